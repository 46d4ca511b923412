"""Rows of Python values as an Arrow table, with the types that DuckDB would give it.

The columns are made from their memory: Arrow's own way loads pandas where there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Failed
from tacit.query.dialects.scopes import OutputColumn
from tacit.query.dialects.sql_type import SqlType

if TYPE_CHECKING:
    import pyarrow as pa

_DAY, _MOMENT = date(1970, 1, 1), datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)
_EXACT = Context(prec=80)
_NUMBERS: dict[str, tuple[str, str, Callable[[Any], int | float]]] = {
    "TINYINT": ("int8", "i1", int),
    "SMALLINT": ("int16", "<i2", int),
    "INTEGER": ("int32", "<i4", int),
    "BIGINT": ("int64", "<i8", int),
    "DOUBLE": ("float64", "<f8", float),
    "DATE": ("date32", "<i4", lambda value: (value - _DAY).days),
    "TIMESTAMP": ("timestamp[us]", "<i8", lambda value: (value - _MOMENT) // _MICROSECOND),
}
"""By type: Arrow's name of it, how a value lies in memory, and the number that a value is."""


def arrow_table(rows: Sequence[tuple[Any, ...]], columns: Sequence[OutputColumn]) -> pa.Table:
    """The rows, column by column."""
    import pyarrow as pa

    values = list(zip(*rows, strict=True)) if rows else [() for _ in columns]
    try:
        arrays = [_array(own, column.type) for own, column in zip(values, columns, strict=True)]
    except (ValueError, TypeError, OverflowError, ArithmeticError):
        raise Failed from None
    return pa.Table.from_arrays(arrays, names=[column.name for column in columns])


def _array(values: Sequence[Any], kind: SqlType) -> pa.Array:
    import pyarrow as pa

    there = np.fromiter((value is not None for value in values), np.bool_, len(values))
    if kind.name in _NUMBERS:
        name, memory, number = _NUMBERS[kind.name]
        numbers = np.fromiter((0 if value is None else number(value) for value in values), memory, len(values))
        return _from_memory(pa.type_for_alias(name), there, numbers.tobytes())
    if kind.name == "BOOLEAN":
        return _from_memory(pa.bool_(), there, _bits(np.array([bool(value) for value in values], np.bool_)))
    if kind.name in ("HUGEINT", "DECIMAL"):
        return _from_memory(pa.decimal128(38, kind.scale), there, b"".join(_wide(v, kind.scale) for v in values))
    if kind.name != "VARCHAR":
        raise Failed
    texts = [b"" if value is None else str(value).encode() for value in values]
    ends = np.cumsum([0, *map(len, texts)]).astype("<i4")
    return _from_memory(pa.string(), there, ends.tobytes(), b"".join(texts))


def _wide(value: Any, scale: int) -> bytes:
    number = 0 if value is None else int(Decimal(value).scaleb(scale, _EXACT))
    return number.to_bytes(16, "little", signed=True)


def _bits(flags: NDArray[np.bool_]) -> bytes:
    return np.packbits(flags, bitorder="little").tobytes()


def _from_memory(arrow: pa.DataType, there: NDArray[np.bool_], *parts: bytes) -> pa.Array:
    import pyarrow as pa

    buffers = [None if there.all() else pa.py_buffer(_bits(there)), *map(pa.py_buffer, parts)]
    return pa.Array.from_buffers(arrow, len(there), buffers)
