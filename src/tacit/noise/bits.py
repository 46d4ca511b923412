"""Sources of random bits: the interface, the entropy of every release, and the kinds for tests, never to be confused.

A release draws from an AES-256-CTR keystream keyed by the operating system. There is no seed. Each thread of each
process has its own key; a fork, a spawn or a copy by pickle starts over with a new one, and a new key is taken for each
256 KiB of keystream, so that two copies of a snapshot soon draw different bits. Bits for tests and audits are scripted
(to enumerate outcomes) or seeded (to repeat a run). A release never uses them.
"""

from __future__ import annotations

import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Final, TypeAlias, final

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


_CHUNK: Final = 1 << 18
_SLACK: Final = 16  # the cipher requires one spare block behind its output
_ZEROS: Final = memoryview(bytes(_CHUNK))

_forks = 0  # number of forks between the first process and this one


def _count_fork() -> None:
    global _forks
    _forks += 1


os.register_at_fork(after_in_child=_count_fork)


def _keystream(count: int) -> NDArray[np.uint8]:
    """`count` ≤ 256 KiB bytes under a key that is used for nothing else."""
    # computing a price draws no noise, so does not need the cipher
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    key = os.urandom(48)
    cipher = Cipher(algorithms.AES(key[:32]), modes.CTR(key[32:])).encryptor()
    out = np.empty(count + _SLACK, np.uint8)
    cipher.update_into(_ZEROS[:count], out.data)
    return out[:count]


class _Stock(threading.local):
    """Unused keystream: one stock for each thread, invalid in any other process."""

    owner: tuple[int, int] = (-1, -1)
    octets: NDArray[np.uint8] = np.empty(0, np.uint8)
    used: int = 0
    busy: bool = False

    def take(self, count: int) -> NDArray[np.uint8]:
        """The next `count` bytes; words stay aligned; bytes skipped for alignment are never used."""
        owner = (os.getpid(), _forks)
        if self.owner != owner or self.used + count > self.octets.size:
            self.octets, self.used, self.owner = _keystream(_CHUNK), 0, owner
        start = self.used
        self.used += -(-count // 8) * 8
        return self.octets[start : start + count]


_STOCK = _Stock()


@final
class Entropy(Bits):
    """Cryptographic randomness of the operating system. It takes no seed and holds no state of its own."""

    __slots__ = ()

    def octets(self, count: int) -> NDArray[np.uint8]:
        stock = _STOCK
        if stock.busy or count > _CHUNK:  # a signal handler that interrupts a draw gets a key of its own
            return np.concatenate([_keystream(min(_CHUNK, count - start)) for start in range(0, count, _CHUNK)])
        stock.busy = True
        try:
            return stock.take(count)
        finally:
            stock.busy = False


ENTROPY: Final = Entropy()
