"""Random bits that a device can draw again: a keystream for each question and answer, from the device's own key."""

from __future__ import annotations

import hmac
import json
from hashlib import sha256
from typing import Any, Final

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.local.randomizers.randomizer import Randomizer
from tacit.noise.bits import Bits
from tacit.noise.entropy import ENTROPY

KEY_BYTES: Final = 32
_PURPOSE: Final = b"tacit: a respondent's memory, version 1"


class KeyedBits(Bits):
    """The AES-256-CTR keystream of HMAC-SHA256(device key; question, answer, randomizer).

    Claim: to whoever does not have the key, the streams of different questions, answers or randomizers are independent
    fair bits, as far as HMAC-SHA256 is a pseudo-random function and AES a pseudo-random permutation; the same three
    give the same stream. Each part is written with its length before it, so no two triples are written alike. Every
    stream has a cipher key of its own, so that its counter may start at 0.
    """

    __slots__ = ("_stream",)

    def __init__(self, key: bytes, question: str, answer: int, randomizer: Randomizer[Any]) -> None:
        rule = json.dumps(randomizer.written(), sort_keys=True, separators=(",", ":"))
        parts = (_PURPOSE, question.encode(), str(answer).encode(), rule.encode())
        message = b"".join(len(part).to_bytes(8, "big") + part for part in parts)
        own = hmac.new(a_key(key), message, sha256).digest()
        self._stream = Cipher(algorithms.AES(own), modes.CTR(bytes(16))).encryptor()

    def octets(self, count: int) -> NDArray[np.uint8]:
        return np.frombuffer(self._stream.update(bytes(count)), np.uint8)


def new_key() -> bytes:
    """A device's key, from the operating system's entropy. It never leaves the device: who has it sees every answer."""
    return ENTROPY.octets(KEY_BYTES).tobytes()


def a_key(key: bytes) -> bytes:
    """The key itself; anything else is refused, unseen."""
    if not (isinstance(key, bytes) and len(key) == KEY_BYTES):
        raise Refused("a device key", f"It is not {KEY_BYTES} bytes.", "new_key(), kept on the device.")
    return key
