"""Integers as bytes: little-endian, every one as wide as the widest needs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Failed

_WORD = 8


def packed_width(values: NDArray[np.int64]) -> int:
    """How many bytes hold each of them, sign included: 1 to 8."""
    reach = max((max(int(values.max()), ~int(values.min())) if values.size else 0), 0)
    return reach.bit_length() // 8 + 1


def packed(values: NDArray[np.int64], width: int) -> bytes:
    """The integers, one after the other, `width` bytes each."""
    words = np.ascontiguousarray(values, "<i8").ravel()
    return words.view(np.uint8).reshape(-1, _WORD)[:, :width].tobytes()


def unpacked(octets: bytes, width: int, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """The integers that were packed so."""
    many = int(np.prod(shape, dtype=np.int64))
    if not (1 <= width <= _WORD and len(octets) == many * width):
        raise Failed
    words = np.zeros((many, _WORD), np.uint8)
    words[:, _WORD - width :] = np.frombuffer(octets, np.uint8).reshape(many, width)
    shifted = words.view("<i8").astype(np.int64) >> (8 * (_WORD - width))  # which brings the sign along
    return np.asarray(shifted.reshape(shape))
