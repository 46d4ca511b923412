"""The public facts for the planner: the description, the types of the files' headers, and public tables. No data.

Types are in DuckDB's terms: what each can be read as, and whether a description fits the headers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from difflib import get_close_matches
from functools import cached_property
from typing import TypeAlias

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.schema.description import Description, EachRow, Lookup, Table
from tacit.schema.kind import Key, Kind
from tacit.schema.names import folded, suggestion
from tacit.schema.tables import identifiers

_OF_HEADER = {name: kind for kind in Kind for name in kind.traits.headers}
_DECIMAL = re.compile(r"DECIMAL\(\s*\d+\s*,\s*(\d+)\s*\)")
_NOTHING = frozenset(["NULL", '"NULL"'])  # a column without values
_WHATEVER_IT_HOLDS = _NOTHING | _OF_HEADER.keys() | {"BLOB", "JSON"}
_MOST_DIGITS = 9


def base_type(engine_type: str) -> str:
    """The type without its brackets: those of an enumeration contain values, which must not be shown."""
    name = engine_type.strip().upper()
    if name.endswith("]"):
        return "LIST"
    return name.split("(", 1)[0].strip()


def natural_kind(engine_type: str) -> tuple[Kind, int] | None:
    """The kind, and the digits after the point, of a column of this type; None if Tacit has no kind for it."""
    kind = _OF_HEADER.get(base_type(engine_type))
    if kind is Kind.DECIMAL:
        return _decimal(engine_type)
    return None if kind is None else (kind, 0)


def is_whole(engine_type: str) -> bool:
    """Whether a column of this type holds only whole numbers, each with one spelling."""
    return base_type(engine_type) in Kind.INTEGER.traits.headers


def can_identify(engine_type: str) -> bool:
    """Whether values of this type can identify units: whole numbers and texts, which are equal if their texts are."""
    base = base_type(engine_type)
    if base == "DECIMAL":
        return _decimal(engine_type) == (Kind.INTEGER, 0)
    return base in Kind.INTEGER.traits.headers or base in Kind.TEXT.traits.headers or base in _NOTHING


def _decimal(engine_type: str) -> tuple[Kind, int]:
    found = _DECIMAL.fullmatch(engine_type.strip().upper())
    digits = int(found[1]) if found else 3  # DuckDB's own DECIMAL is (18, 3)
    if digits == 0:
        return Kind.INTEGER, 0
    return (Kind.DECIMAL, digits) if digits <= _MOST_DIGITS else (Kind.FLOAT, 0)


def can_be_read(engine_type: str, kind: Kind) -> bool:
    """Whether a value of this type, other than NULL, can be read as the kind; a text can spell a value of any kind."""
    base = base_type(engine_type)
    if kind is Kind.TEXT or base in ("VARCHAR", "ENUM") or base in _NOTHING:
        return True
    own = _OF_HEADER.get(base)
    return own is not None and (own.is_time if kind.is_time else own.is_number or own is Kind.BOOLEAN)


def is_read_without_fail(engine_type: str) -> bool:
    """Whether DuckDB can read a Parquet column of this type for any octets in it.

    A time beyond a day, also one inside a list or a structure, makes DuckDB's reader fail, and with it the query.
    """
    return base_type(engine_type) in _WHATEVER_IT_HOLDS


Header: TypeAlias = Sequence[tuple[str, str]]
"""The columns of a file: name and DuckDB type. No value is in it."""


def compare_headers(description: Description, headers: Mapping[str, Header]) -> list[str]:
    """The mismatches of every table or lookup whose header is given, by name."""
    sentences: list[str] = []
    for table in description.tables.values():
        if table.name in headers:
            sentences += compare_header(table, headers[table.name], identifiers(table, description.tables))
    for lookup in description.lookups.values():
        if lookup.name in headers:
            sentences += compare_header(lookup, headers[lookup.name])
    return sentences


def compare_header(table: Table | Lookup, header: Header, pointed_to: Sequence[str] = ()) -> list[str]:
    """A sentence for each column that the file lacks or whose type cannot be read as declared.

    `pointed_to` names the columns that other tables' foreign keys lead to.
    """
    types = {folded(name): engine_type for name, engine_type in header}
    names = [name for name, _ in header]
    sentences = []
    for name in _named(table, pointed_to):
        if folded(name) not in types:
            sentences.append(f"{table.name} has no column {name}. Accepted: {suggestion(name, names)}")
    for name in _identifying(table, pointed_to):
        engine_type = types.get(folded(name))
        if engine_type is not None and not can_identify(engine_type):
            sentences.append(
                f"{table.name}.{name} is {base_type(engine_type)} in the file and says whose a row is; one value of it "
                "may be written in several ways. Accepted: whole numbers (BIGINT, or DECIMAL without digits after the "
                'point; of a data frame .astype("Int64")), or text.'
            )
    for column in table.columns.values():
        engine_type = types.get(folded(column.name))
        if engine_type is not None and not can_be_read(engine_type, column.kind):
            sentences.append(
                f"{table.name}.{column.name} is {base_type(engine_type)} in the file and {column.kind} in the "
                "description; no value of it can be read so. Accepted: another type, or leave the column out."
            )
        elif engine_type is not None and table.source.format == "parquet" and not is_read_without_fail(engine_type):
            sentences.append(
                f"{table.name}.{column.name} is {base_type(engine_type)} in the file; a value that is none makes every "
                "query of the file fail. Accepted: the column as text in the file, or leave it out."
            )
    return sentences


def _named(table: Table | Lookup, pointed_to: Sequence[str]) -> list[str]:
    """The columns that the description names, declared or not."""
    return list(dict.fromkeys([*table.columns, *_identifying(table, pointed_to)]))


def _identifying(table: Table | Lookup, pointed_to: Sequence[str]) -> list[str]:
    """The columns that determine the owner of a row."""
    own = [] if isinstance(table, Lookup) or isinstance(table.owner, EachRow) else [table.owner.column]
    return list(dict.fromkeys([*pointed_to, *own]))


Levels: TypeAlias = Callable[[str, str], tuple[Key | None, ...] | None]
"""The values of a public table's column, by both names, NULL among them if there is one; None where they are many."""


def _unread(lookup: str, column: str) -> None:
    """No values are known."""


@frozen
class Catalogue:
    """The public facts of a data set: its description, the headers of its tables, and the values of public tables.

    `physical` maps a table's columns to the engine's type names.
    """

    description: Description
    physical: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    levels: Levels = field(default=_unread, compare=False)

    def table(self, name: str) -> Table | Lookup:
        """The table that a name in the query means."""
        known: dict[str, Table | Lookup] = {**self.description.tables, **self.description.lookups}
        for own, table in known.items():
            if own.lower() == name.lower():
                return table
        near = get_close_matches(name.lower(), [own.lower() for own in known], n=3) or sorted(known)
        raise Refused(f"the table {name}", "The description has no such table.", ", ".join(near) + ".")

    def physical_type(self, table: str, column: str) -> str | None:
        """The engine's own type of a column, from its header, if that was read."""
        return self._types.get(table, {}).get(column.lower())

    @cached_property
    def _types(self) -> Mapping[str, Mapping[str, str]]:
        """The types by names in lower case; the first of two names that differ in case only."""
        headers = {table: [*header.items()][::-1] for table, header in self.physical.items()}
        return {table: {name.lower(): kind for name, kind in header} for table, header in headers.items()}
