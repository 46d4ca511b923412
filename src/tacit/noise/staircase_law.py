"""The staircase law on the integers: flat steps that fall by e^−ε once every period (Geng and Viswanath 2014).

Noise of this shape makes an integer ε-private if neighbours differ by at most one period, and for one number
no other ε-private noise is smaller on average, if the width of the first stair is right.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Literal, TypeAlias, get_args

import numpy as np

from tacit.errors import Refused
from tacit.exact import Number, positive, whole
from tacit.frozen import frozen
from tacit.noise.ball import Ball, ball, first_true, less
from tacit.noise.bits import Bits, Integers
from tacit.noise.discrete_laplace import Geometric
from tacit.noise.grid import Draws, saturated, saturated_sum
from tacit.noise.law import SymmetricLaw
from tacit.noise.selection_draws import choose_many
from tacit.noise.slabs import slabs
from tacit.noise.uniform import UniformBelow

Aim: TypeAlias = Literal["magnitude", "square"]
"""The objective that the best width minimises: E|X|, or E[X²]."""

_LONGEST = 1 << 40  # longer periods are refused: no use needs a grid that fine


@frozen
class StaircaseLaw(SymmetricLaw):
    """P(±(kΔ + j)) ∝ e^{−kε} for 0 ≤ j < width, and ∝ e^{−(k+1)ε} for width ≤ j < Δ, with Δ the period."""

    epsilon: Fraction
    period: int
    width: int

    def __init__(self, epsilon: Number, period: int, width: int) -> None:
        object.__setattr__(self, "epsilon", positive(epsilon, "epsilon"))
        object.__setattr__(self, "period", whole(period, "period", 1))
        object.__setattr__(self, "width", whole(width, "width", 1))
        if not self.width <= self.period <= _LONGEST:
            raise Refused(
                f"a stair {self.width} wide in a period of {self.period}",
                "A stair lies within its period, and a period has an end.",
                f"1 ≤ width ≤ period ≤ {_LONGEST}.",
            )

    @classmethod
    def best(cls, epsilon: Number, period: int, aim: Aim = "magnitude") -> StaircaseLaw:
        """The law of this ε and period with the least E|X|, or the least E[X²].

        Each aim is a convex function of the width over a positive linear one, so it falls to one least value and then
        rises; and no two widths tie, because e^−ε is transcendental.
        """
        if aim not in get_args(Aim):
            raise Refused("another aim", "It says which mean is made smallest.", "'magnitude' or 'square'.")
        return cls(epsilon, period, _best_width(positive(epsilon, "epsilon"), whole(period, "period", 1), aim))

    def mass(self, value: int) -> Ball:
        periods, rest = divmod(abs(value), self.period)
        return self._top() * self._fall(periods + (rest >= self.width))

    def tail(self, value: int) -> Ball:
        if value <= 0:
            return 1 - self.tail(1 - value)
        periods, rest = divmod(value, self.period)
        upper, lower = max(self.width - rest, 0), self.period - max(self.width, rest)
        here = (upper + lower * self._fall(1)) * self._fall(periods)
        beyond = self._period_weight() * self._fall(periods + 1) / (1 - self._fall(1))
        return self._top() * (here + beyond)

    def magnitude(self) -> Ball:
        """E|X|."""
        b, first = self._fall(1), self._moment(1)
        return 2 * self._top() * (self.period * self._period_weight() * b / (1 - b) ** 2 + first / (1 - b))

    def square(self) -> Ball:
        """E[X²]."""
        b, first, second = self._fall(1), self._moment(1), self._moment(2)
        whole_periods = self.period**2 * self._period_weight() * b * (1 + b) / (1 - b) ** 3
        return 2 * self._top() * (whole_periods + 2 * self.period * first * b / (1 - b) ** 2 + second / (1 - b))

    def draw(self, size: int, bits: Bits) -> Integers:
        return saturated(self._draw(size, bits))

    def add(self, values: Integers, bits: Bits) -> Integers:
        """values + independent noise in each place; a sum outside 64 bits saturates."""
        return saturated_sum(values, self._draw(values.size, bits))

    def _draw(self, size: int, bits: Bits) -> Draws:
        """Period, stair, place on the stair and sign, each drawn exactly.

        −0 is rejected, otherwise 0 would count twice.
        """
        out = np.zeros(size, object)
        pending = np.arange(size)
        while pending.size:
            periods = slabs(Geometric(1 / self.epsilon)).draw(pending.size, bits).astype(object)
            magnitudes = periods * self.period + self._places(pending.size, bits)
            signs = 1 - 2 * UniformBelow(2).draw(pending.size, bits)
            kept = ((magnitudes > 0) | (signs > 0)).astype(bool)
            out[pending[kept]] = (magnitudes * signs)[kept]
            pending = pending[~kept]
        return out

    def _places(self, size: int, bits: Bits) -> Integers:
        if self.width == self.period:
            return UniformBelow(self.width).draw(size, bits)
        counts = np.array([self.width, self.period - self.width])
        lower = choose_many(counts, np.array([0, 1]), self.epsilon, size, bits) == 1
        places = np.empty(size, np.int64)
        places[~lower] = UniformBelow(self.width).draw(int((~lower).sum()), bits)
        places[lower] = self.width + UniformBelow(int(counts[1])).draw(int(lower.sum()), bits)
        return places

    def _fall(self, stairs: int) -> Ball:
        return (-ball(self.epsilon * stairs)).exp()

    def _period_weight(self) -> Ball:
        return self.width + (self.period - self.width) * self._fall(1)

    def _top(self) -> Ball:
        """P(0), from the normalisation; twice the sum over 0, 1, 2, … counts 0 twice."""
        b = self._fall(1)
        return (1 - b) / (2 * self._period_weight() - (1 - b))

    def _moment(self, power: Literal[1, 2]) -> Ball:
        """Σ j^power over the first period, weighted."""
        upper, all_of = _power_sum(self.width, power), _power_sum(self.period, power)
        return upper + (all_of - upper) * self._fall(1)


def _power_sum(count: int, power: Literal[1, 2]) -> int:
    """Σ j^power over 0 ≤ j < count."""
    return count * (count - 1) // 2 if power == 1 else (count - 1) * count * (2 * count - 1) // 6


@lru_cache(maxsize=256)
def _best_width(epsilon: Fraction, period: int, aim: Aim) -> int:
    def value(width: int) -> Ball:
        law = StaircaseLaw(epsilon, period, width)
        return law.magnitude() if aim == "magnitude" else law.square()

    return first_true(lambda width: width == period or less(lambda: value(width), lambda: value(width + 1)), 1)
