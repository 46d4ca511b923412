"""A release as an Arrow table: typed keys, and each number with its two ends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from tacit.query.post_noise.estimates import Estimates, Floats, Keys, Rendered
from tacit.schema.kind import Kind

_TYPES = {
    Kind.INTEGER: pa.int64(),
    Kind.DECIMAL: pa.float64(),
    Kind.FLOAT: pa.float64(),
    Kind.TEXT: pa.string(),
    Kind.BOOLEAN: pa.bool_(),
    Kind.DATE: pa.date32(),
    Kind.TIMESTAMP: pa.timestamp("us"),
}
_BEYOND = 2.0**63


def arrow_table(rendered: Rendered) -> pa.Table:
    """Each key column under its name; each number `c` as `c`, `c_low` and `c_high`, null where nothing is known."""
    columns: dict[str, pa.Array] = {}
    for column in rendered.columns:
        if isinstance(column.values, Keys):
            columns[column.name] = _keys(column.values)
        else:
            columns[column.name] = _points(column.values)
            columns[f"{column.name}_low"] = _floats(column.values.low)
            columns[f"{column.name}_high"] = _floats(column.values.high)
    return pa.table(columns)


def _keys(keys: Keys) -> pa.Array:
    values: list[Any] = list(keys.values)
    if keys.type is Kind.INTEGER:  # beyond 64 bits there is no such number in Arrow
        values = [None if value is None or not -_BEYOND <= value < _BEYOND else value for value in values]
    return pa.array(values, _TYPES[keys.type])


def _points(numbers: Estimates) -> pa.Array:
    if not numbers.whole:
        return _floats(numbers.value)
    fits = np.abs(numbers.value) < _BEYOND
    return pa.array(np.where(fits, numbers.value, 0).astype(np.int64), mask=~fits)


def _floats(values: Floats) -> pa.Array:
    return pa.array(values, mask=~np.isfinite(values))
