"""COUNT, SUM and AVG: read from noisy sums.

COUNT and SUM are one noisy sum. AVG is a sum of distances from a centre over the number of the same rows.
"""

from __future__ import annotations

from fractions import Fraction
from statistics import NormalDist

import numpy as np

from tacit.frozen import frozen
from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.query.aggregates.aggregate import Aggregate, Distinct, Floats, Measure, NoisyParts, NoisySum, Part
from tacit.query.aggregates.clipping_bias import Sign, mean_bias
from tacit.query.aggregates.noise_intervals import is_telling, ratio_between
from tacit.query.post_noise.estimates import Estimates, Noisy


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
        sign = Sign.PARTLY if isinstance(self.part, Distinct) else Sign.ADDS if self.part.least >= 0 else Sign.EITHER
        return NoisyTotal(found, self.part.step, sign)

    def describe(self) -> str:
        return self.words


@frozen(eq=False)
class NoisyTotal:
    """A noisy sum with the exact quantile of its noise on both sides; a sum of nonnegative numbers is cut at 0.

    Where its bias is known, the answer is shifted by the median of the clipping bias, and the interval joins both.
    """

    sum: NoisySum
    step: Fraction
    sign: Sign

    @property
    def is_cut(self) -> bool:
        """Whether it is cut at 0, since it adds up numbers that are never negative."""
        return self.sign is not Sign.EITHER

    def at(self, confidence: Fraction) -> Estimates:
        found = self.uncut(confidence)
        floor = 0.0 if self.is_cut else -np.inf
        value, low, high = (np.maximum(end, floor) for end in (found.value, found.low, found.high))
        return Estimates(value, low, high, found.whole)

    def uncut(self, confidence: Fraction) -> Estimates:
        """The same without the cut at 0, under which small noisy numbers would add up to too much."""
        step, whole, bias = float(self.step), self.step.denominator == 1, self.sum.bias
        value, reach = self.sum.steps * step, self.sum.reach(confidence) * step
        if bias is None:
            value, reach = (np.round(value), float(np.ceil(reach))) if whole else (value, reach)
            low, high = value - reach, value + reach
        else:
            laplace = isinstance(self.sum.law, DiscreteLaplace)
            moved = bias.joined(self.sum.steps, self.sum.deviation, confidence, self.sign, laplace=laplace)
            value, low, high = (value + move * step for move in moved)
            value, low, high = (np.round(value), np.floor(low), np.ceil(high)) if whole else (value, low, high)
        return Estimates(value, low, high, whole)


@frozen
class Mean(Aggregate):
    """AVG(x) = centre + Σ(x − centre) / (rows where x is not NULL); numerator and denominator have the same rows.

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
    """A mean with Fieller's interval, cut to the declared bounds; there is no value where rows are too few."""

    mean: Mean
    top: NoisySum
    bottom: NoisySum

    def at(self, confidence: Fraction) -> Estimates:
        low, high = (float(end - self.mean.centre) for end in (self.mean.low, self.mean.high))
        first, last = ratio_between(self.top, self.bottom, confidence, low, high)
        with np.errstate(invalid="ignore", divide="ignore"):
            value = np.clip(self.top.steps / self.bottom.steps, low, high)
        value = np.where(is_telling(self.bottom, confidence), value, np.nan)
        if self.top.bias is not None:
            value, first, last = self._unclipped(value, first, last, confidence)
            value, first, last = (np.clip(end, low, high) for end in (value, first, last))
        step = float(self.mean.total.step)
        value, first, last = ((end + self.mean.centre) * step for end in (value, first, last))
        return Estimates(value, first, last)

    def _unclipped(
        self, value: Floats, first: Floats, last: Floats, confidence: Fraction
    ) -> tuple[Floats, Floats, Floats]:
        """The mean and its ends, moved by what clipping did: independent of the noise, so that squares add up."""
        top, bottom, is_positive = self.top.bias, self.bottom.bias, self.mean.total.least >= 0
        if top is None:
            return value, first, last
        if bottom is None:  # all rows are there, and the sum alone was cut
            sign = Sign.ADDS if is_positive else Sign.EITHER
            cut = top.cut(self.top.steps, self.top.deviation, confidence, sign)
            with np.errstate(invalid="ignore", divide="ignore"):
                shift, lowest, highest = (end / self.bottom.steps for end in cut)
                below, above = shift - lowest, highest - shift
        else:
            middle, deviation = mean_bias(top, bottom, is_positive=is_positive)
            reach = -NormalDist().inv_cdf(float(1 - confidence) / 2) * deviation
            shift, below, above = (each + 0 * first for each in (middle, reach, reach))
        with np.errstate(invalid="ignore"):
            lower, upper = np.hypot(value - first, below), np.hypot(last - value, above)
            lower, upper = (np.where(np.isnan(value + each), np.inf, each) for each in (lower, upper))
            return value + shift, _finite(value + shift) - lower, _finite(value + shift) + upper


def _finite(values: Floats) -> Floats:
    return np.nan_to_num(values, posinf=0.0, neginf=0.0)
