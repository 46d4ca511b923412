"""Sources of random bits: the interface, and the kinds for releases and for tests, which must never be confused.

Bits for tests and audits are scripted (to enumerate outcomes) or seeded (to repeat a run). A release never uses them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Words: TypeAlias = NDArray[np.unsignedinteger[Any]]
Integers: TypeAlias = NDArray[np.int64]

_TYPES: dict[int, type[np.unsignedinteger[Any]]] = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}


class Bits(ABC):
    """A source of independent fair bits."""

    __slots__ = ()

    @abstractmethod
    def octets(self, count: int) -> NDArray[np.uint8]:
        """`count` fresh bytes, never returned again."""

    def words(self, count: int, width: int = 64) -> Words:
        """`count` fresh unsigned words of `width` bits (8, 16, 32 or 64)."""
        return self.octets(count * width // 8).view(_TYPES[width])

    def integer(self, width: int) -> int:
        """One fresh integer of `width` bits; `width` is a multiple of 8."""
        return int.from_bytes(self.octets(width // 8).tobytes(), "big")


class Rehearsal(Bits):
    """Bits that are not secret: scripted or seeded, for tests and audits. `release` never takes them."""


class ScriptEnded(Exception):  # noqa: N818  (the end of a script is a position, not an error)
    """The script has no more bits: its bits do not decide the draw."""


class Scripted(Rehearsal):
    """Returns a given string of bytes, in order, and counts the bytes taken."""

    def __init__(self, octets: bytes | Iterable[int]) -> None:
        self._octets = np.frombuffer(bytes(octets), np.uint8)
        self.taken = 0

    def octets(self, count: int) -> NDArray[np.uint8]:
        if self.taken + count > self._octets.size:
            raise ScriptEnded
        self.taken += count
        return self._octets[self.taken - count : self.taken].copy()


class Seeded(Rehearsal):
    """A repeatable stream from a seed: fair enough for statistics, worthless for privacy."""

    def __init__(self, seed: int) -> None:
        self._generator = np.random.Generator(np.random.PCG64(seed))

    def octets(self, count: int) -> NDArray[np.uint8]:
        return np.frombuffer(self._generator.bytes(count), np.uint8)
