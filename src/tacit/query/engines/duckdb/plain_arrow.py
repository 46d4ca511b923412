"""Arrow tables in plain types, and a digest of their rows.

An engine reads plain types without failure for all values. DuckDB fails on a whole table where a second, a millisecond
or a day lies beyond its calendar. Such values become NULL here, before any query, and coarse timestamps are converted
to microseconds. The digest does not depend on the division of the rows into chunks.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as at

_MOST_DAYS = 2**31 - 2  # either way from 1970
_MICROSECONDS = {"s": 1_000_000, "ms": 1_000, "us": 1}
_FIRST, _LAST = -9_223_372_022_400_000_000, 2**63 - 2  # in microseconds: DuckDB's calendar without its infinities
_DAY = 86_400_000  # milliseconds


def is_plain(kind: pa.DataType) -> bool:
    """Whether the type can be converted to a plain one."""
    if at.is_dictionary(kind):
        return _is_leaf(kind.value_type)
    if at.is_list(kind) or at.is_large_list(kind) or at.is_fixed_size_list(kind):
        return _is_inner(kind.value_type)
    if at.is_struct(kind):
        return all(_is_inner(kind.field(place).type) for place in range(kind.num_fields))
    return _is_leaf(kind)


def as_plain(table: pa.Table) -> pa.Table:
    """The table in plain types. A column that is already plain is not copied."""
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
    """Whether the type is allowed inside a list or a structure, where values are not checked."""
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


_PIECE = 2**18  # rows processed at a time, so that copies fit the processor's cache

_EMPTY = pa.Array.from_buffers(pa.large_binary(), 1, [None, pa.py_buffer(bytes(16)), pa.py_buffer(b"")])[0]
"""An empty text, made so that Arrow need not load pandas for it."""


def digest(table: pa.Table) -> str:
    """A digest of names, types and every cell. It must be kept secret, because it confirms a guess of all rows."""
    whole = blake2b(f"{table.num_rows}".encode(), digest_size=32)
    for field, column in zip(table.schema, table.columns, strict=True):
        whole.update(f"{len(field.name)}:{field.name}:{field.type}".encode())
        streams: dict[str, Any] = {}
        for piece in _pieces(column):
            for name, octets in _streams(piece):
                streams.setdefault(name, blake2b(digest_size=32)).update(octets)
        for name in sorted(streams):
            whole.update(name.encode() + streams[name].digest())
    return whole.hexdigest()


def _pieces(column: pa.ChunkedArray) -> Iterator[pa.Array]:
    for chunk in column.chunks:
        for start in range(0, len(chunk), _PIECE):
            yield chunk.slice(start, _PIECE)


def _streams(piece: pa.Array) -> Iterator[tuple[str, Any]]:
    """The concatenated octets of all chunks, without the values under a NULL."""
    kind = piece.type
    if at.is_dictionary(kind):
        values = piece.dictionary.cast(pa.large_binary()) if is_text(kind.value_type) else piece.dictionary
        yield from _streams(values.take(piece.indices))
        return
    if at.is_null(kind):
        return
    # types that are read only as text; with other chunks their digest may differ, which costs a repeated release
    if at.is_nested(kind):
        yield "nested", _written(piece)
        return
    yield "missing", _octets(piece.is_null().cast(pa.uint8()))
    if is_text(kind) or at.is_binary(kind):
        piece = piece.cast(pa.large_binary())
    if at.is_large_binary(piece.type):
        filled = pc.fill_null(piece, _EMPTY) if piece.null_count else piece
        yield "lengths", _octets(pc.binary_length(filled))
        yield "letters", _letters(filled)
        return
    yield "values", _octets(_filled(piece))


def _filled(piece: pa.Array) -> pa.Array:
    """Numbers of a fixed width, zero where the value is missing."""
    kind = piece.type
    if at.is_boolean(kind):
        piece = piece.cast(pa.uint8())
    elif not at.is_decimal(kind):
        piece = piece.view({8: pa.uint8(), 16: pa.int16(), 32: pa.int32(), 64: pa.int64()}[kind.bit_width])
    zero = pa.Array.from_buffers(piece.type, 1, [None, pa.py_buffer(bytes(piece.type.bit_width // 8))])[0]
    return pc.fill_null(piece, zero) if piece.null_count else piece


def _octets(piece: pa.Array) -> memoryview:
    width = piece.type.bit_width // 8
    return memoryview(piece.buffers()[1])[piece.offset * width : (piece.offset + len(piece)) * width]


def _letters(piece: pa.Array) -> memoryview:
    """The text of all values, one after the other."""
    _, ends, letters = piece.buffers()
    offsets = memoryview(ends)[: (piece.offset + len(piece) + 1) * 8].cast("B").cast("q")
    if letters is None:
        return memoryview(b"")
    return memoryview(letters)[offsets[piece.offset] : offsets[piece.offset + len(piece)]]


def _written(piece: pa.Array) -> pa.Buffer:
    sink = pa.BufferOutputStream()
    batch = pa.record_batch([piece.take(pa.array(range(len(piece))))], ["x"])
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue()
