"""COUNT, SUM, AVG, VAR and STDDEV: read from noisy sums.

COUNT and SUM are one noisy sum. AVG is a sum of distances from a centre over the number of the same rows. VAR and
STDDEV are read from the sums of distances, of their squares, and the number of rows.
"""

from __future__ import annotations

from fractions import Fraction
from statistics import NormalDist

import numpy as np

from tacit.frozen import frozen
from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.query.aggregates.aggregate import Aggregate, Distinct, Floats, Measure, NoisyParts, NoisySum, Part
from tacit.query.aggregates.clipping_bias import Sign, mean_bias, nothing_cut, square_factors
from tacit.query.aggregates.noise_intervals import Powers, WeightedReach, is_telling, ratio_between
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

    def at(self, confidence: Fraction) -> Estimates:
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
        floor = -np.inf if self.sign is Sign.EITHER else 0.0
        value, low, high = (np.maximum(end, floor) for end in (value, low, high))
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
            rows = self.bottom.bias or nothing_cut(float(np.maximum(self.bottom.steps, 0.0).sum()))
            shift, deviation = mean_bias(self.top.bias, rows, is_positive=self.mean.total.least >= 0)
            value, first, last = self._moved(value, first, last, confidence, shift, deviation)
            value, first, last = (np.clip(end, low, high) for end in (value, first, last))
        step = float(self.mean.total.step)
        value, first, last = ((end + self.mean.centre) * step for end in (value, first, last))
        return Estimates(value, first, last)

    def _moved(
        self, value: Floats, first: Floats, last: Floats, confidence: Fraction, shift: float, deviation: float
    ) -> tuple[Floats, Floats, Floats]:
        """The mean and its ends, shifted by the clipping bias, which is independent of the noise, so squares add up."""
        if np.isnan(shift):
            return value + np.nan, first - np.inf, last + np.inf
        reach = -NormalDist().inv_cdf(float(1 - confidence) / 2) * deviation
        lower, upper = np.hypot(value - first, reach), np.hypot(last - value, reach)
        lower, upper = np.where(np.isnan(value), np.inf, lower), np.where(np.isnan(value), np.inf, upper)
        middle = np.nan_to_num(value) + shift
        return value + shift, middle - lower, middle + upper


_ENOUGH = 4  # the sharper interval needs noise this many times smaller than the number of rows


@frozen
class Variance(Aggregate):
    """VAR_POP, VAR_SAMP or a standard deviation: with t = x − centre, E[t²] − E[t]² over rows where x is not NULL."""

    squares: Measure
    total: Measure
    rows: Measure
    centre: int
    low: int
    high: int
    is_sample: bool
    is_root: bool

    @property
    def parts(self) -> tuple[Part, ...]:
        return self.squares, self.total, self.rows

    def read(self, noisy: NoisyParts) -> Noisy:
        found = [noisy[part] for part in self.parts]
        squares, total, rows = (part for part in found if isinstance(part, NoisySum))
        return NoisyVariance(self, squares, total, rows)

    def describe(self) -> str:
        return ""


@frozen(eq=False)
class NoisyVariance:
    """A variance, never negative and never above the largest that the bounds permit.

    Where rows are many, its error is that of its tangent in the three sums, which is the sharpest; elsewhere
    intervals for the means of t and t² are combined, each wrong with half of the probability.
    """

    variance: Variance
    squares: NoisySum
    total: NoisySum
    rows: NoisySum

    def at(self, confidence: Fraction) -> Estimates:
        spec, step = self.variance, float(self.variance.total.step)
        low, high = float(spec.low - spec.centre), float(spec.high - spec.centre)
        most = ((high - low) / 2) ** 2
        square = float(spec.squares.step / spec.total.step**2)  # steps of t in one step of the squares
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = self.total.steps / self.rows.steps
            seen = self.squares.steps * square / self.rows.steps - mean**2
            value = np.clip(seen, 0.0, most)
        first, last = self._combined(confidence, square, low, high, most)
        telling = is_telling(self.rows, confidence)
        half = self._tangent(confidence, square, mean, value)
        sharp = telling & (self.rows.steps > _ENOUGH * self.rows.reach(confidence))
        first, last = np.where(sharp, seen - half, first), np.where(sharp, seen + half, last)
        value, first, last = self._unclipped(confidence, mean, value, first, last)
        telling = telling & np.isfinite(last)
        value = np.clip(value, 0.0, most)
        first, last = np.clip(first, 0.0, most), np.clip(last, 0.0, most)
        if spec.is_sample:
            with np.errstate(invalid="ignore", divide="ignore"):
                factor = np.where(self.rows.steps > 2, self.rows.steps / (self.rows.steps - 1), 1.0)
            value, last, most = value * factor, last * factor, most * 2
        ends = [np.where(telling, value, np.nan), first, np.minimum(last, most)]
        scaled = [end * step**2 for end in ends]
        return Estimates(*([np.sqrt(end) for end in scaled] if spec.is_root else scaled))

    def _unclipped(
        self, confidence: Fraction, mean: Floats, value: Floats, first: Floats, last: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """The variance and its ends with the squares that limits cut off; noise and bias are independent."""
        if self.squares.bias is None:
            return value, first, last
        rows = self.rows.bias or nothing_cut(float(np.maximum(self.rows.steps, 0.0).sum()))
        factors = square_factors(self.squares.bias, rows, confidence)
        if np.isnan(factors[0]):  # the bias is unknown
            return value + np.nan, 0 * np.nan_to_num(value), np.full(len(value), np.inf)
        with np.errstate(invalid="ignore", over="ignore"):
            square = value + np.nan_to_num(mean) ** 2
            middle, low, high = (square * factor for factor in factors)
            shifted = value + middle - square
            lower, upper = np.hypot(value - first, middle - low), np.hypot(last - value, high - middle)
        is_told = is_telling(self.rows, confidence) & np.isfinite(shifted + lower + upper)
        return shifted, np.where(is_told, shifted - lower, 0.0), np.where(is_told, shifted + upper, np.inf)

    def _tangent(self, confidence: Fraction, square: float, mean: Floats, value: Floats) -> Floats:
        """The reach of (square·dS₂ − 2·mean·dS₁ + (mean² − value)·dN) / N; the three noises are independent."""
        scales = [float(part.scale) for part in (self.squares, self.total, self.rows)]
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            powers = Powers.of(square / scales[0], 2 * mean / scales[1], (mean**2 - value) / scales[2])
            reach = WeightedReach(self.rows.law).beyond((1 - confidence) / 2, powers)
            return np.asarray(reach / self.rows.steps)

    def _combined(
        self, confidence: Fraction, square: float, low: float, high: float, most: float
    ) -> tuple[Floats, Floats]:
        each = 1 - (1 - confidence) / 2
        farthest = max(low**2, high**2)
        first, last = ratio_between(self.total, self.rows, each, low, high)
        least, top = (end * square for end in ratio_between(self.squares, self.rows, each, 0.0, farthest / square))
        largest = np.maximum(first**2, last**2)
        smallest = np.where((first <= 0) & (last >= 0), 0.0, np.minimum(first**2, last**2))
        return np.clip(least - largest, 0.0, most), np.clip(top - smallest, 0.0, most)
