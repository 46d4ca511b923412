"""The check of a description's tables against the headers of their files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from tacit.schema.description import Description, EachRow, Lookup, Table
from tacit.schema.header_types import base_type, can_be_read, can_identify, is_read_without_fail
from tacit.schema.names import folded, suggestion
from tacit.schema.tables import identifiers

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
