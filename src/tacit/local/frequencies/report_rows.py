"""Reports as rows: one row of whole numbers per person; sets of options as rows of packed bits."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.errors import Refused
from tacit.noise.bits import Integers

Rows: TypeAlias = NDArray[Any]
Packed: TypeAlias = NDArray[np.uint64]

_LANES = np.uint64(0x0101010101010101)
_TWOS, _FOURS, _BYTES = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
BIT = np.left_shift(1, np.arange(8)).astype(np.uint8)
_DEEP = 255  # rows that a byte can count
_BATCH = 64


def checked_rows(reports: ArrayLike, ceilings: tuple[int, ...]) -> Rows:
    """The reports as rows whose numbers lie below these ceilings; others are refused."""
    rows = np.asarray(reports)
    if not (rows.ndim == 2 and len(rows) > 0 and rows.shape[1] == len(ceilings) and rows.dtype.kind in "iu"):
        raise Refused("an estimate from what are no reports", "They cannot be read.", "one row of integers a report.")
    is_negative = rows.dtype.kind == "i" and rows.min() < 0
    highest = rows.max(axis=0).tolist()
    if is_negative or not all(top < ceiling for top, ceiling in zip(highest, ceilings, strict=True)):
        raise Refused("a report outside the alphabet", "Nobody can have sent it.", "rows that `report` made.")
    return rows.astype(np.uint64 if max(ceilings) > 1 << 63 else np.int64, copy=False)


def width(options: int) -> int:
    """How many 64-bit words a set of options takes: option v is bit v mod 64 of word ⌊v/64⌋."""
    return -(-options // 64)


def pack(options: int, members: tuple[int, ...]) -> tuple[int, ...]:
    """The row of one set."""
    number = sum(1 << member for member in members)
    return tuple(number >> 64 * word & (1 << 64) - 1 for word in range(width(options)))


def unpack(row: tuple[int, ...]) -> tuple[int, ...]:
    """The set of one row."""
    return tuple(64 * word + bit for word, held in enumerate(row) for bit in range(64) if held >> bit & 1)


def set_ceilings(options: int) -> tuple[int, ...]:
    """The exclusive upper bound of each word of a row."""
    return (1 << 64,) * (width(options) - 1) + (1 << (options - 1) % 64 + 1,)


def padding(options: int) -> np.uint64:
    """The bits of a row's last word that stand for options."""
    return np.uint64(set_ceilings(options)[-1] - 1)


def column_sums(rows: Packed, options: int) -> Integers:
    """The number of sets that contain each option.

    One bit of every byte is masked out, so that each byte of a 64-bit word counts one option over up to 255 rows.
    """
    counts = np.zeros((8, rows.shape[1] * 8), np.int64)
    for start in range(0, len(rows), _DEEP * _BATCH):
        part = rows[start : start + _DEEP * _BATCH]
        full = len(part) // _DEEP * _DEEP
        for stack in (part[:full].reshape(-1, _DEEP, rows.shape[1]), part[None, full:]):
            for shift in range(8):
                lanes = (stack >> np.uint64(shift)) & _LANES
                bytewise = np.add.reduce(lanes, axis=1).view(np.uint8)
                counts[shift] += bytewise.sum(axis=0, dtype=np.int64)
    return counts.T.reshape(-1)[:options].copy()


def row_sizes(rows: Packed) -> Integers:
    """The size of each set: bits are added in pairs, fours and eights, then the bytes of a word."""
    sizes = np.empty(len(rows), np.int64)
    one, two, four, top = (np.uint64(shift) for shift in (1, 2, 4, 56))
    for start in range(0, len(rows), _DEEP * _BATCH):
        part = rows[start : start + _DEEP * _BATCH]
        pairs = part - ((part >> one) & _TWOS)
        fours = (pairs & _FOURS) + ((pairs >> two) & _FOURS)
        bytewise = (fours + (fours >> four)) & _BYTES
        sizes[start : start + len(part)] = ((bytewise * _LANES) >> top).sum(axis=1, dtype=np.int64)
    return sizes


def set_bits(rows: Packed, options: Integers, values: NDArray[np.bool_]) -> None:
    """Put one option in or out of each set."""
    octets = rows.view(np.uint8).reshape(-1)
    place = np.arange(len(rows)) * (8 * rows.shape[1]) + (options >> 3)
    bit = BIT[options & 7]
    octets[place] = np.where(values, octets[place] | bit, octets[place] & ~bit)
