"""The number of runs of a private selection: a geometric number, given that it is at most so many.

Masses are ratios of whole numbers, so that a draw is one uniform whole number and a comparison.
"""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction
from functools import cached_property
from itertools import accumulate

import numpy as np

from tacit.errors import Refused
from tacit.exact import Number, proper, whole
from tacit.frozen import frozen
from tacit.noise.ball import Ball, ball
from tacit.noise.bits import Bits, Integers
from tacit.noise.law import Law
from tacit.noise.uniform import UniformBelow

_MOST = 4096  # runs: beyond, masses are numbers of very many digits


@frozen
class CappedGeometric(Law):
    """P(K = k) ∝ (1 − γ)^k on 1, 2, …, `most`: the geometric law of stopping chance γ, given that K ≤ `most`.

    It is the truncated negative binomial law of Papernot and Steinke (2021) with η = 1, given that K ≤ `most`.
    """

    stop: Fraction
    most: int

    def __init__(self, stop: Number, most: int) -> None:
        object.__setattr__(self, "stop", proper(stop, "stop"))
        object.__setattr__(self, "most", whole(most, "most", least=1))
        if not self.most <= _MOST:
            raise Refused(f"up to {self.most:,} runs", "Its masses are exact.", f"at most {_MOST:,}.")

    @cached_property
    def _ends(self) -> list[int]:
        """Weights a^(k−1)·b^(most−k) for 1 − γ = a/b, added up."""
        over, under = (1 - self.stop).as_integer_ratio()
        return list(accumulate(over**k * under ** (self.most - 1 - k) for k in range(self.most)))

    def share(self, value: int) -> Fraction:
        """P(K = value), exactly."""
        if not 1 <= value <= self.most:
            return Fraction(0)
        before = self._ends[value - 2] if value > 1 else 0
        return Fraction(self._ends[value - 1] - before, self._ends[-1])

    def mass(self, value: int) -> Ball:
        return ball(self.share(value))

    def tail(self, value: int) -> Ball:
        if value <= 1:
            return ball(1)
        return ball(1 - Fraction(self._ends[min(value - 1, self.most) - 1], self._ends[-1]))

    @cached_property
    def mean(self) -> Fraction:
        """E[K], exactly."""
        return sum((k * self.share(k) for k in range(1, self.most + 1)), Fraction(0))

    def missed(self, chance: Fraction) -> Fraction:
        """E[(1 − chance)^K]: how likely no run is of a kind that each is with this chance."""
        return sum((self.share(k) * (1 - chance) ** k for k in range(1, self.most + 1)), Fraction(0))

    def draw_one(self, bits: Bits) -> int:
        """One draw."""
        return 1 + bisect_right(self._ends, UniformBelow(self._ends[-1]).draw_integer(bits))

    def draw(self, size: int, bits: Bits) -> Integers:
        return np.array([self.draw_one(bits) for _ in range(size)], np.int64)
