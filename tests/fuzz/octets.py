"""Columns of every type that Arrow writes, whose values are any octets: what files hold, not what people mean."""

from __future__ import annotations

import struct
from random import Random

import pyarrow as pa

_WORD = struct.Struct("<Q")
_EDGES = (0, 1, 2, 2**31 - 1, 2**31, 2**53, 2**62, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 1, 0x7FF8000000000001, 1 << 52)
_UNITS = ("s", "ms", "us", "ns")
_TEXTS = (b"", b"1", b"-1", b"1e400", b"nan", b"2020-02-29", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\x00", b"a" * 300)

FIXED: tuple[pa.DataType, ...] = (
    *(pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()),
    *(pa.float16(), pa.float32(), pa.float64(), pa.decimal128(18, 3), pa.decimal128(38, 10), pa.decimal256(60, 5)),
    *(pa.date32(), pa.date64(), pa.time32("ms"), pa.time64("us"), pa.binary(16)),
    *(pa.duration(unit) for unit in _UNITS),
    *(pa.timestamp(unit, zone) for unit in _UNITS for zone in (None, "UTC", "Asia/Kathmandu")),
)
"""Types whose values are all of one width, so that any octets of that width are one."""
WRITTEN: tuple[pa.DataType, ...] = (pa.string(), pa.large_string(), pa.binary(), pa.dictionary(pa.int32(), pa.string()))
TYPES = (*FIXED, *WRITTEN, pa.bool_())


def _wild_word(random: Random) -> int:
    """A word at or beside an edge of some type, or any; often small enough for a date or a moment."""
    chance = random.random()
    if chance < 0.4:
        return (random.choice(_EDGES) + random.choice((-1, 0, 0, 1))) % 2**64
    return random.getrandbits(random.choice((8, 32, 48, 55, 64))) * random.choice((1, -1)) % 2**64


def wild(kind: pa.DataType, count: int, random: Random) -> pa.Array:
    """So many values of any octets, some of them missing."""
    valid = pa.array([random.random() < 0.9 for _ in range(count)]).buffers()[1]
    if pa.types.is_boolean(kind):
        return pa.array([random.choice((True, False, None)) for _ in range(count)], kind)
    if pa.types.is_dictionary(kind):
        return wild(pa.string(), count, random).dictionary_encode()
    if kind in WRITTEN:
        octets = [random.choice(_TEXTS) + random.randbytes(random.choice((0, 0, 0, 3))) for _ in range(count)]
        is_large = pa.types.is_large_string(kind)
        _, offsets, data = pa.array(octets, pa.large_binary() if is_large else pa.binary()).buffers()
        return pa.Array.from_buffers(kind, count, [valid, offsets, data])
    width = kind.bit_width // 8
    words = b"".join(_value(width, random) for _ in range(count))
    return pa.Array.from_buffers(kind, count, [valid, pa.py_buffer(words)])


def _value(width: int, random: Random) -> bytes:
    """One value: a word, its sign carried on where the type is wider."""
    word = _WORD.pack(_wild_word(random))
    return word[:width] if width <= 8 else word + bytes([255 * (word[7] >> 7)]) * (width - 8)


def plain(kind: pa.DataType, count: int, random: Random) -> pa.Array:
    """So many ordinary values: small numbers, recent timestamps, short words."""
    if pa.types.is_boolean(kind) or kind in WRITTEN:
        words: list[object] = [random.choice((True, False)) for _ in range(count)]
        if kind in WRITTEN:
            words = [random.choice(("1", "2", "2020-02-29", "a")) for _ in range(count)]
            is_octets = pa.types.is_binary(kind)
            return pa.array([str(word).encode() for word in words] if is_octets else words, kind)
        return pa.array(words, kind)
    width = kind.bit_width // 8
    words_ = b"".join(_WORD.pack(random.randrange(100))[:width].ljust(width, b"\0") for _ in range(count))
    return pa.Array.from_buffers(kind, count, [None, pa.py_buffer(words_)])
