"""AVG: a sum of distances from a centre over the number of the same rows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from tacit.frozen import frozen
from tacit.query.above.estimates import Estimates, Noisy
from tacit.query.aggregates.aggregate import Aggregate, NoisyParts
from tacit.query.aggregates.fieller import is_telling, ratio_between
from tacit.query.aggregates.noisy_parts import NoisySum
from tacit.query.aggregates.parts import Measure, Part


@frozen
class Mean(Aggregate):
    """AVG(x) = centre + Σ(x − centre) / (rows where x is not NULL); the same rows stand above and below.

    `low` and `high` are the declared bounds of x, in steps.
    """

    total: Measure
    rows: Measure
    centre: int
    low: int
    high: int

    @property
    def parts(self) -> tuple[Part, ...]:
        return self.total, self.rows

    def read(self, noisy: NoisyParts) -> Noisy:
        top, bottom = noisy[self.total], noisy[self.rows]
        if not (isinstance(top, NoisySum) and isinstance(bottom, NoisySum)):
            raise TypeError("a mean is read from two sums")
        return NoisyMean(self, top, bottom)

    def describe(self) -> str:
        return ""


@frozen(eq=False)
class NoisyMean:
    """A mean with Fieller's interval, cut to the declared bounds; nothing is said where rows are too few."""

    mean: Mean
    top: NoisySum
    bottom: NoisySum

    def at(self, confidence: Fraction) -> Estimates:
        low, high = (float(end - self.mean.centre) for end in (self.mean.low, self.mean.high))
        first, last = ratio_between(self.top, self.bottom, confidence, low, high)
        with np.errstate(invalid="ignore", divide="ignore"):
            value = np.clip(self.top.steps / self.bottom.steps, low, high)
        value = np.where(is_telling(self.bottom, confidence), value, np.nan)
        step = float(self.mean.total.step)
        value, first, last = ((end + self.mean.centre) * step for end in (value, first, last))
        return Estimates(value, first, last)
