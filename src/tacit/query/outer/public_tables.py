"""A public table for an outer query: its declared columns, read by the data set's own engine."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tacit.errors import Failed, Refused
from tacit.query.engines.duckdb.sealed import MOST_ROWS, PublicTable
from tacit.query.engines.protocol import Engine
from tacit.query.sql.rows import quoted
from tacit.query.sql.scan import reading
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import Lookup
from tacit.schema.kind import Kind

COLUMN_TYPES: Final = {kind: kind.traits.sql or "DOUBLE" for kind in Kind} | {Kind.INTEGER: "HUGEINT"}
"""The types of columns of each kind in a sealed database."""


def read_public(lookup: Lookup, catalogue: Catalogue, engine: Engine) -> PublicTable:
    """The rows of a public table; no private one is in the session that reads it."""
    alone = replace(catalogue.description, tables={}, lookups={lookup.name: lookup})
    columns = {name: typed for (_, name), typed in reading(lookup, lookup.name, catalogue).items()}
    listed = ", ".join(f"{typed.sql} AS {quoted(name)}" for name, typed in columns.items())
    try:
        with engine.session(alone, catalogue.physical) as session:
            found = session.run(f"SELECT {listed} FROM {quoted(lookup.name)} LIMIT {MOST_ROWS + 1}")
    except Failed:
        raise Refused(
            f"the public table {lookup.name}", "It cannot be read.", "the file as it was described."
        ) from None
    if found.num_rows > MOST_ROWS:
        why = f"It has more than {MOST_ROWS:,} rows, and is joined in little memory."
        raise Refused(
            f"FROM {lookup.name} beside released groups", why, "its join in the sub-query, before the groups."
        )
    values = {}
    for place, (name, typed) in enumerate(columns.items()):
        shown = found.column(place).to_pylist()
        if typed.kind is Kind.DECIMAL:
            shown = [None if value is None else int(value) / 10**typed.scale for value in shown]
        values[name] = [str(value) if typed.kind is Kind.INTEGER and value is not None else value for value in shown]
    return PublicTable({name: COLUMN_TYPES[typed.kind] for name, typed in columns.items()}, values)
