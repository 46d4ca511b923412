"""COUNT and SUM: one noisy sum."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from tacit.frozen import frozen
from tacit.query.above.estimates import Estimates, Noisy
from tacit.query.aggregates.aggregate import Aggregate, NoisyParts
from tacit.query.aggregates.noisy_parts import NoisySum
from tacit.query.aggregates.parts import Distinct, Measure, Part


@frozen
class Total(Aggregate):
    """COUNT(*), COUNT(x), COUNT(DISTINCT …) or SUM(x): the sum of one measure, or a number of different values."""

    part: Measure | Distinct
    words: str = ""

    @property
    def parts(self) -> tuple[Part, ...]:
        return (self.part,)

    def read(self, noisy: NoisyParts) -> Noisy:
        found = noisy[self.part]
        if not isinstance(found, NoisySum):
            raise TypeError("a total is read from a sum")
        step = self.part.step if isinstance(self.part, Measure) else Fraction(1)
        least = self.part.value.low if isinstance(self.part, Measure) else 0
        return NoisyTotal(found, step, is_positive=least >= 0)

    def describe(self) -> str:
        return self.words


@frozen(eq=False)
class NoisyTotal:
    """A noisy sum with the exact quantile of its noise on both sides; a sum of no negative numbers is none itself."""

    sum: NoisySum
    step: Fraction
    is_positive: bool

    def at(self, confidence: Fraction) -> Estimates:
        step = float(self.step)
        whole = self.step.denominator == 1
        value, half = self.sum.steps * step, self.sum.reach(confidence) * step
        if whole:
            value, half = np.round(value), float(np.ceil(half))
        floor = 0.0 if self.is_positive else -np.inf
        value, low, high = (np.maximum(end, floor) for end in (value, value - half, value + half))
        return Estimates(value, low, high, whole)
