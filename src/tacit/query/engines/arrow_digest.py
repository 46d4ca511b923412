"""A digest of a table's rows: the same for the same rows, however they are cut into pieces of memory."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as at

from tacit.query.engines.plain_arrow import is_text

_PIECE = 2**18  # rows that are looked at together: what is copied of them fits a processor's own memory

_EMPTY = pa.Array.from_buffers(pa.large_binary(), 1, [None, pa.py_buffer(bytes(16)), pa.py_buffer(b"")])[0]
"""An empty text, made so that Arrow need not load pandas for it."""


def digest(table: pa.Table) -> str:
    """Names, types, and every cell. Whoever knows it could tell whether a guess of all rows is right: keep it."""
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
    """Octets that follow one another from piece to piece, wherever the cuts are; what lies under a NULL is left out."""
    kind = piece.type
    if at.is_dictionary(kind):
        values = piece.dictionary.cast(pa.large_binary()) if is_text(kind.value_type) else piece.dictionary
        yield from _streams(values.take(piece.indices))
        return
    if at.is_null(kind):
        return
    if at.is_nested(kind):  # read as text at most; another cut may look like other rows, which costs a repeat
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
