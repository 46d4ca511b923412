"""What a description means, as one number: equal for two files under which every answer means the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import date
from fractions import Fraction

from tacit.schema.description import Column, Description, Lookup, OwnColumn, Owner, Source, Table, Through
from tacit.schema.kind import Key

_FORM = "tacit description 1"


def description_digest(description: Description) -> str:
    """SHA-256 over the unit, tables, columns, bounds, keys, limits and lookups, in one canonical form.

    The budget, the analysts, the words and the place of the file change no answer's meaning and are left out.
    """
    meaning = {
        "form": _FORM,
        "unit": [str(description.unit.relation), description.unit.identifier],
        "tables": {name: _table(table) for name, table in description.tables.items()},
        "lookups": {name: _lookup(lookup) for name, lookup in description.lookups.items()},
    }
    text = json.dumps(meaning, sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _table(table: Table) -> dict[str, object]:
    limits = table.limits
    return {
        "source": _source(table.source),
        "columns": _columns(table.columns),
        "owner": _owner(table.owner),
        "limits": [limits.rows, limits.keys, {name: str(total) for name, total in limits.totals.items()}],
    }


def _lookup(lookup: Lookup) -> dict[str, object]:
    return {"source": _source(lookup.source), "columns": _columns(lookup.columns), "key": lookup.key}


def _source(source: Source) -> list[str]:
    return [source.identity, source.delimiter]


def _owner(owner: Owner) -> list[str]:
    if isinstance(owner, OwnColumn):
        return ["column", owner.column]
    if isinstance(owner, Through):
        return ["through", owner.column, owner.table, owner.key]
    return ["row"]


def _columns(columns: Mapping[str, Column]) -> dict[str, list[object]]:
    return {name: _column(column) for name, column in columns.items()}


def _column(column: Column) -> list[object]:
    """What is declared, keys in their order: the first one may stand for a missing value."""
    keys = None if column.keys is None else [_key(key) for key in column.keys]
    return [str(column.kind), _bound(column.low), _bound(column.high), column.nullable, column.scale, keys]


def _bound(bound: Fraction | None) -> str | None:
    return None if bound is None else str(bound)


def _key(key: Key) -> str:
    """A key with its type, so that 1, true and "1" stay apart."""
    return f"{type(key).__name__} {key.isoformat() if isinstance(key, date) else key}"
