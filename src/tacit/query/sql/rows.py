"""Private rows: SQL that gives them one by one, each with the person it belongs to.

A nested SELECT is written with all its columns, or only with those named above it.

People are compared in one form, and so are keys that lead to people. Claim: two rows are one person's in one
statement if and only if they are in every other, whatever types and collations their columns have, on every engine.
Proof: a person is the text of the identifier, octet by octet. Either it is read as that text, under the binary
collation; or all tables have it in a type whose values are equal where their texts are (whole numbers, UUIDs), and it
stays of that type, which is faster.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from difflib import get_close_matches
from enum import Enum
from functools import cached_property
from typing import TypeAlias

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.sql.values.typed import LONGEST, Typed
from tacit.schema.catalogue import Catalogue, is_whole
from tacit.schema.description import OwnColumn, Through

_NO_COLUMN = '1 AS "__row"'


@frozen
class SelectItem:
    """An item of a SELECT list: its text, and its name above; None where it always stays."""

    sql: str
    name: str | None = None


ALL = SelectItem("*")


@frozen
class Select:
    """The list of columns, and the parts after FROM: text, and other SELECTs in brackets.

    Where the list names the columns of a source by *, it `is_open`: names used above refer to the sources too.

    Claim: `under(above)` gives the rows that `sql` gives, with the same values in every column that `above` names.
    Proof: a row is there whatever is listed, for there is no DISTINCT and no UNION but UNION ALL of two that list the
    same, an aggregate stands in a list only beside GROUP BY, and what that names stays. All else that a column is used
    for stands in `above`, in this list or in `origin`. A name is written alike wherever it is used, in quotes, so a
    column that is used is found in the text that uses it; a text that only looks like its name keeps it too. Omitted
    expressions are total, so omitting them changes no failure.
    """

    columns: tuple[SelectItem, ...]
    origin: tuple[str | Select, ...]
    is_open: bool = False

    @cached_property
    def sql(self) -> str:
        """The SELECT with all its columns."""
        return _written(self.columns, [part if isinstance(part, str) else f"({part.sql})" for part in self.origin])

    def under(self, above: str) -> str:
        """The SELECT with the columns that the text above it names."""
        columns = [column for column in self.columns if column.name is None or column.name in above]
        said = [column.sql for column in columns] + [part for part in self.origin if isinstance(part, str)]
        used = "\n".join([*said, above] if self.is_open else said)
        return _written(columns, [part if isinstance(part, str) else f"({part.under(used)})" for part in self.origin])

    def reading(self, instead: Mapping[Select, Select]) -> Select:
        """The SELECT with some inner SELECTs replaced by others with the same rows and names."""
        if self in instead:
            return instead[self]
        origin = tuple(part if isinstance(part, str) else part.reading(instead) for part in self.origin)
        return Select(self.columns, origin, self.is_open)


def _written(columns: Sequence[SelectItem], origin: Sequence[str]) -> str:
    return f"SELECT {', '.join(column.sql for column in columns) or _NO_COLUMN} FROM {''.join(origin)}"


UNIT = '"__unit"'


class Ownership(Enum):
    """The number of rows that one person may have."""

    MANY = "any number of rows a person"
    ONE = "one row a person, by construction"
    EACH = "each row a person"


@frozen
class Joined:
    """A SELECT of joined rows: the current form, the form without any cut, the rule that cuts, and the tables it joins.

    Claim: `node` and `rule` give the same rows. `whole` gives them too, of people whose rows in the tables of each of
    the `groups` multiply to no more than `most`.
    """

    node: Select
    whole: Select
    rule: Select
    tables: tuple[Select, ...]
    groups: tuple[tuple[Select, ...], ...]
    most: int


Known: TypeAlias = Mapping[str, Typed]
"""By the SQL of an expression of the rows: the same expression, with the values that it can have."""


@frozen
class Rows:
    """A relation of private rows.

    Claim: `select` is total; its columns are "__unit", the person (never NULL; absent where each row is a person), and
    those that `columns` refer to. All rows of one person depend on that person's own rows of the source tables, and
    on public tables, alone. With ownership ONE no person has two rows.
    """

    select: Select
    columns: Mapping[tuple[str, str], Typed]  # (alias, name), both in lower case
    identifiers: frozenset[tuple[str, str]]  # the names by which the person is called
    ownership: Ownership
    tables: frozenset[str]  # the described tables that the rows come from
    bare: str | None = None  # the table's name, if these are all its rows
    chain: int = 1  # number of joined relations with many rows per person; 0 where a person is one row
    scans: int = 1  # number of reads of private tables
    looks: int = 0  # number of further reads, which only decide about rows
    joined: Joined | None = None  # the joins of such relations, if any
    bounds: tuple[Joined, ...] = ()  # all joins in it, outer ones after those that they contain
    known: Known = field(default_factory=dict)  # what the query and public tables say of values (`sql.known_values`)
    # columns with a foreign key that leads to a person, or the key that it points to: (table, key)
    links: Mapping[tuple[str, str], frozenset[tuple[str, str]]] = field(default_factory=dict)
    matches: int = 0  # number of truth values of sub-queries that stand beside the rows
    absent: frozenset[tuple[str, str]] = frozenset()  # identifiers that are NULL where a LEFT JOIN finds no partner

    @property
    def sql(self) -> str:
        """The rows with all their columns, independent of the columns that a statement reads."""
        return self.select.sql

    def under(self, above: str) -> str:
        """The rows with the columns named in the text that reads them, and the person."""
        return self.select.under(above)

    def column(self, name: str, table: str | None) -> Typed:
        """The column that a name in the query means; refused where it means none, several, or the identifier."""
        found = [key for key in self.columns if _is_called(key, name, table)]
        if self.is_identifier(name, table):
            raise Refused(
                f"the values of {name}",
                "It says who a person is.",
                f"COUNT(DISTINCT {name}), or GROUP BY {name} in a sub-query.",
            )
        if any(_is_called(key, name, table) for key in self.absent):
            why = "It says who a person is, and is NULL where the LEFT JOIN found no partner."
            raise Refused(f"the values of {name}", why, "the identifier of the table on the left.")
        if len(found) == 1:
            return self.columns[found[0]]
        asked = f"{table}.{name}" if table else name
        if found:
            choices = ", ".join(f"{alias}.{column}" for alias, column in found)
            raise Refused(f"the column {asked}", "Several tables have it.", f"one of {choices}.")
        aliases = sorted({alias for alias, _ in (*self.columns, *self.identifiers)})
        if table is not None and table.lower() not in aliases:
            near = get_close_matches(table.lower(), aliases, n=3) or aliases
            raise Refused(f"the column {asked}", f"FROM has no table {table}.", f"columns of {', '.join(near)}.")
        names = sorted({column for _, column in self.columns})
        near = get_close_matches(name.lower(), names, n=3) or names
        raise Refused(f"the column {asked}", "The description has no such column here.", ", ".join(near) + ".")

    def is_identifier(self, name: str, table: str | None) -> bool:
        """Whether the name is that of the person."""
        return any(_is_called(key, name, table) for key in self.identifiers)

    def knows(self, name: str, table: str | None) -> bool:
        """Whether a name in the query means a column here, or the person."""
        return any(_is_called(key, name, table) for key in (*self.columns, *self.identifiers, *self.absent))

    def place(self, name: str, table: str | None) -> str:
        """The name of the table that has the column."""
        found = {key[0] for key in (*self.columns, *self.identifiers) if _is_called(key, name, table)}
        if len(found) != 1:
            self.column(name, table)
        return min(found, default="")

    def link(self, name: str, table: str | None) -> frozenset[tuple[str, str]]:
        """The keys of tables that a column holds, through which rows are owned; none if it is not one."""
        found = [key for key in self.columns if _is_called(key, name, table)]
        return self.links.get(found[0], frozenset()) if len(found) == 1 else frozenset()


def _is_called(key: tuple[str, str], name: str, table: str | None) -> bool:
    return key[1] == name.lower() and (table is None or key[0] == table.lower())


def quoted(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


_NARROW = frozenset(["TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"])
_TEXT = "VARCHAR"


def unit_type(catalogue: Catalogue) -> str:
    """The type in which people are compared, in all tables of a data set."""
    tables = catalogue.description.tables.values()
    owners = [(table.name, table.owner) for table in tables if isinstance(table.owner, OwnColumn)]
    return common_type(catalogue.physical_type(name, owner.column) for name, owner in owners)


def key_type(child: str, owner: Through, catalogue: Catalogue) -> str:
    """The type in which a table's foreign key is compared with the key that it points to."""
    ends = ((child, owner.column), (owner.table, owner.key))
    return common_type(catalogue.physical_type(*end) for end in ends)


def common_type(kinds: Iterable[str | None]) -> str:
    """The type in which columns of these types are compared; None is an unknown type."""
    known = {_TEXT if kind is None else kind.strip().upper() for kind in kinds}
    if len(known) == 1 and all(is_whole(kind) or kind == "UUID" for kind in known):
        return known.pop()
    return "BIGINT" if known and known <= _NARROW else _TEXT


def in_type(reference: str, kind: str | None, common: str) -> str:
    """A column in its comparison type. A value outside the type is NULL: its row belongs to no one."""
    own = kind is not None and kind.strip().upper() == common
    value = reference if own else f"TRY_CAST({reference} AS {common})"
    return value if common != _TEXT else _whole_text(f'({value} COLLATE "C")')


def _whole_text(value: str) -> str:
    """A text, or NULL where it is too long: if it were cut, two people or keys could become one."""
    return f"(CASE WHEN strlen({value}) < {LONGEST} THEN {value} END)"
