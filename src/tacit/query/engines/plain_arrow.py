"""Arrow's types, made plain: those that an engine reads without fail, whatever values are in them.

DuckDB gives up on a whole table where a second, a millisecond or a day lies beyond its calendar. Such values are made
missing here, before anything is asked, and coarse moments are kept in microseconds.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as at

_MOST_DAYS = 2**31 - 2  # either way from 1970
_MICROSECONDS = {"s": 1_000_000, "ms": 1_000, "us": 1}
_FIRST, _LAST = -9_223_372_022_400_000_000, 2**63 - 2  # in microseconds: DuckDB's calendar without its infinities
_DAY = 86_400_000  # milliseconds


def is_plain(kind: pa.DataType) -> bool:
    """Whether the type is one of those that can be made plain."""
    if at.is_dictionary(kind):
        return _is_leaf(kind.value_type)
    if at.is_list(kind) or at.is_large_list(kind) or at.is_fixed_size_list(kind):
        return _is_inner(kind.value_type)
    if at.is_struct(kind):
        return all(_is_inner(kind.field(place).type) for place in range(kind.num_fields))
    return _is_leaf(kind)


def as_plain(table: pa.Table) -> pa.Table:
    """The table in plain types. A column that is plain already is the same memory."""
    for place, field in enumerate(table.schema):
        plain = _plain(table.column(place))
        if plain is not table.column(place):
            table = table.set_column(place, field.name, plain)
    return table.replace_schema_metadata(None)


def _is_leaf(kind: pa.DataType) -> bool:
    is_number = at.is_integer(kind) or at.is_floating(kind) or at.is_boolean(kind) or at.is_null(kind)
    is_decimal = at.is_decimal(kind) and not at.is_decimal256(kind)
    is_time = at.is_timestamp(kind) or at.is_date(kind)
    return is_number or is_decimal or is_time or is_text(kind) or at.is_binary(kind) or at.is_large_binary(kind)


def _is_inner(kind: pa.DataType) -> bool:
    """Whether the type may stand inside a list or a structure, where values are not looked at."""
    return is_plain(kind) and not (at.is_timestamp(kind) or at.is_date(kind) or at.is_float16(kind))


def is_text(kind: pa.DataType) -> bool:
    return bool(at.is_string(kind) or at.is_large_string(kind) or str(kind) == "string_view")


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    if at.is_dictionary(kind) and not is_text(kind.value_type):
        return _plain(column.cast(kind.value_type))
    if at.is_float16(kind):
        return column.cast(pa.float32())
    if at.is_timestamp(kind) and kind.unit != "ns":
        scale = _MICROSECONDS[kind.unit]
        return _within(column, pa.int64(), -(-_FIRST // scale), _LAST // scale, scale, pa.timestamp("us", kind.tz))
    if at.is_date64(kind):
        days = pc.divide(_within(column, pa.int64(), 0 - _MOST_DAYS * _DAY, _MOST_DAYS * _DAY), _DAY)
        return days.cast(pa.int32()).cast(pa.date32())
    if at.is_date32(kind):
        return _within(column, pa.int32(), -_MOST_DAYS, _MOST_DAYS, 1, kind)
    return column


def _within(
    column: pa.ChunkedArray, whole: pa.DataType, low: int, high: int, scale: int = 1, kind: pa.DataType | None = None
) -> pa.ChunkedArray:
    """The column's whole numbers times a scale, those beyond the bounds missing; itself, if nothing is to be done."""
    numbers = pa.chunked_array([chunk.view(whole) for chunk in column.chunks], whole)
    ends = pc.min_max(numbers)
    is_inside = not ends["min"].is_valid or (ends["min"].as_py() >= low and ends["max"].as_py() <= high)
    if is_inside and kind is not None and scale == 1:
        return column
    if not is_inside:
        inside = pc.and_(pc.greater_equal(numbers, low), pc.less_equal(numbers, high))
        numbers = pc.if_else(inside, numbers, pa.scalar(None, whole))
    scaled = pc.multiply(numbers, pa.scalar(scale, whole)) if scale != 1 else numbers
    return scaled if kind is None else scaled.cast(kind)
