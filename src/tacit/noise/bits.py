"""Where random bits come from: the interface, and the two kinds that must never be confused."""

from __future__ import annotations

from abc import ABC, abstractmethod
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
        """`count` fresh bytes, never handed out again."""

    def words(self, count: int, width: int = 64) -> Words:
        """`count` fresh unsigned words of `width` bits (8, 16, 32 or 64)."""
        return self.octets(count * width // 8).view(_TYPES[width])

    def integer(self, width: int) -> int:
        """One fresh integer of `width` bits; `width` is a multiple of 8."""
        return int.from_bytes(self.octets(width // 8).tobytes(), "big")


class Rehearsal(Bits):
    """Bits that are not secret: scripted or seeded, for tests and audits. `release` never takes them."""
