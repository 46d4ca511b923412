"""Bits for tests and audits: scripted ones to enumerate, seeded ones to repeat. Never for a release."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from tacit.noise.bits import Rehearsal


class ScriptEnded(Exception):  # noqa: N818  (the end of a script is a position, not an error)
    """The script had no more bits: on this prefix the draw is not yet decided."""


class Scripted(Rehearsal):
    """Hands out a given string of bytes, in order, and counts what was taken."""

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
