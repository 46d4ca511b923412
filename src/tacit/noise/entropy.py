"""The entropy source of every release: an AES-256-CTR keystream keyed by the operating system.

There is no seed. Each thread of each process has its own key; a fork, a spawn or a copy by pickle starts over with a
new one, and a new key is taken for every 256 KiB of keystream, so that two copies of a snapshot soon draw different
bits.
"""

from __future__ import annotations

import os
import threading
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from tacit.noise.bits import Bits

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
