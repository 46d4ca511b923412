"""Private rows: SQL that gives them one by one, each with the person it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from enum import Enum

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.relations.select import Select
from tacit.query.typed import Typed

UNIT = '"__unit"'


class Ownership(Enum):
    """How many rows one person may have."""

    MANY = "any number of rows a person"
    ONE = "one row a person, by construction"
    EACH = "each row a person"


@frozen
class Joined:
    """A SELECT of joined rows: as it stands, without any cut, and by the rule that cuts; and the tables it joins.

    Claim: `node` and `rule` give the same rows. `whole` gives them too, of people whose rows in the tables of each of
    the `groups` multiply to no more than `most`.
    """

    node: Select
    whole: Select
    rule: Select
    tables: tuple[Select, ...]
    groups: tuple[tuple[Select, ...], ...]
    most: int


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
    bare: str | None = None  # the table's name where these are all its rows
    chain: int = 1  # how many relations with many rows a person were joined; 0 where a person is one row
    scans: int = 1  # how many private tables are read for it, each as often as it is
    joined: Joined | None = None  # the joins of such relations, where there are some
    bounds: tuple[Joined, ...] = ()  # all of them in it, the outer ones after those that they contain

    @property
    def sql(self) -> str:
        """The rows with all their columns: what the rows are, however few of them a statement reads."""
        return self.select.sql

    def under(self, above: str) -> str:
        """The rows with the columns that are named in the text of what reads them, and the person."""
        return self.select.under(above)

    def column(self, name: str, table: str | None) -> Typed:
        """The column that a name in the query means; refused where it means none, several, or the person."""
        found = [key for key in self.columns if _is_called(key, name, table)]
        if self.is_identifier(name, table):
            raise Refused(
                f"the values of {name}",
                "It says who a person is.",
                f"COUNT(DISTINCT {name}), or GROUP BY {name} in a sub-query.",
            )
        if len(found) == 1:
            return self.columns[found[0]]
        asked = f"{table}.{name}" if table else name
        if found:
            choices = ", ".join(f"{alias}.{column}" for alias, column in found)
            raise Refused(f"the column {asked}", "Several tables have it.", f"one of {choices}.")
        names = sorted({column for _, column in self.columns})
        near = get_close_matches(name.lower(), names, n=3) or names
        raise Refused(f"the column {asked}", "The description has no such column here.", ", ".join(near) + ".")

    def is_identifier(self, name: str, table: str | None) -> bool:
        """Whether the name is that of the person."""
        return any(_is_called(key, name, table) for key in self.identifiers)


def _is_called(key: tuple[str, str], name: str, table: str | None) -> bool:
    return key[1] == name.lower() and (table is None or key[0] == table.lower())


def quoted(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'
