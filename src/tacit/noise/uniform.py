"""A uniform integer below n, without the bias of a remainder."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import numpy as np

from tacit.exact import Number, proper, whole
from tacit.frozen import frozen
from tacit.noise.ball import Ball, ball
from tacit.noise.bits import Bits, Integers
from tacit.noise.law import Law

_MOST = (1 << 63) - 1


@frozen
class UniformBelow(Law):
    """Each of 0, 1, …, n−1 with probability 1/n.

    A word below the largest multiple of n leaves each remainder equally often; a word above it is drawn anew.
    """

    n: int

    def __init__(self, n: int) -> None:
        object.__setattr__(self, "n", whole(n, "n", least=1))

    def mass(self, value: int) -> Ball:
        return ball(Fraction(int(0 <= value < self.n), self.n))

    def tail(self, value: int) -> Ball:
        return ball(Fraction(self.n - min(max(value, 0), self.n), self.n))

    def quantile(self, probability: Number) -> int:
        return ceil(proper(probability, "probability") * self.n) - 1

    def draw(self, size: int, bits: Bits) -> Integers:
        if self.n > 1 << 63:
            return np.array([min(self.draw_integer(bits), _MOST) for _ in range(size)], np.int64)
        width = 16 if self.n <= 1 << 8 else 32 if self.n <= 1 << 24 else 64
        top = (1 << width) // self.n * self.n - 1
        words = bits.words(size, width)
        while (poor := np.flatnonzero(words > top)).size:
            words = words.copy()
            words[poor] = bits.words(poor.size, width)
        return (words % words.dtype.type(self.n)).astype(np.int64)

    def draw_integer(self, bits: Bits) -> int:
        """One draw as a Python integer, for n of any size."""
        width = (self.n.bit_length() // 8 + 1) * 8
        top = (1 << width) // self.n * self.n
        while (word := bits.integer(width)) >= top:
            pass
        return word % self.n
