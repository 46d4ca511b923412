"""VAR and STDDEV: read from the noisy sums of distances from a centre, of their squares, and the number of rows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from tacit.frozen import frozen
from tacit.query.aggregates.aggregate import Aggregate, Floats, Measure, NoisyParts, NoisySum, Part
from tacit.query.aggregates.clipping_bias import ClippingBias, Sign, square_factors
from tacit.query.aggregates.noise_intervals import Powers, WeightedReach, is_telling, ratio_between
from tacit.query.post_noise.estimates import Estimates, Noisy

_ENOUGH = 4  # times smaller than the number of rows must its noise be for the sharper interval


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
    """A variance, never negative and never beyond what the bounds permit.

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
        value, first, last = self._unclipped(confidence, square, value, first, last)
        telling = telling & np.isfinite(last)
        value = np.clip(value, 0.0, most)
        first, last = np.clip(first, 0.0, most), np.clip(last, 0.0, most)
        if spec.is_sample:
            fewest = np.where(sharp, self.rows.steps, self.rows.steps - self.rows.reach(confidence))
            value, last = value * _of_sample(self.rows.steps), last * _of_sample(fewest)
            most *= 2  # the variance of two rows
        ends = [np.where(telling, value, np.nan), first, np.minimum(last, most)]
        scaled = [end * step**2 for end in ends]
        return Estimates(*([np.sqrt(end) for end in scaled] if spec.is_root else scaled))

    def _unclipped(
        self, confidence: Fraction, square: float, value: Floats, first: Floats, last: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """The variance and its ends with the squares that limits cut off: noise and cut are independent.

        Where the noise alone reaches 0, so does the interval: a reach that ends at 0 is no deviation of the noise.
        """
        if self.squares.bias is None:
            return value, first, last
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            moved, low, high = self._with_cut(self.squares.bias, confidence, square, value)
            lower, upper = np.hypot(value - first, moved - low), np.hypot(last - value, high - moved)
        is_told = is_telling(self.rows, confidence) & np.isfinite(moved + lower + upper)
        moved = np.where(is_told, moved, np.nan)
        least = np.where(first > 0, moved - lower, np.fmin(first, moved - lower))
        return moved, np.where(is_told, least, 0.0), np.where(is_told, moved + upper, np.inf)

    def _with_cut(
        self, squares: ClippingBias, confidence: Fraction, square: float, value: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """(middle, low, high): the variance with what was cut off. Squares and distances are cut off together.

        Where all rows are there, each sum was cut by itself; elsewhere rows were cut off with what they add.
        """
        mean = self.total.steps / self.rows.steps
        if self.rows.bias is not None:
            factors = square_factors(squares, self.rows.bias, confidence)
            moved = [(value + mean**2) * factor - mean**2 for factor in factors]
            return moved[0], moved[1], moved[2]
        sign = Sign.ADDS if self.variance.total.least >= 0 else Sign.EITHER
        cut = squares.cut(self.squares.steps, self.squares.deviation, confidence, Sign.ADDS)
        tops = [value + mean**2 + square * each / self.rows.steps for each in cut]
        means = [mean + 0 * value] * 3
        if self.total.bias is not None:
            cut = self.total.bias.cut(self.total.steps, self.total.deviation, confidence, sign)
            means = [mean + each / self.rows.steps for each in cut]
        low, high = (np.maximum(0.0, each**2) for each in means[1:])
        if sign is Sign.EITHER:
            low, high = np.maximum(low, high), np.where(means[1] * means[2] < 0, 0.0, np.minimum(low, high))
        middle, ends = tops[0] - means[0] ** 2, (tops[1] - low, tops[2] - high)
        return middle, np.fmin(middle, np.fmin(*ends)), np.fmax(middle, np.fmax(*ends))

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


def _of_sample(rows: Floats) -> Floats:
    """How many times the variance of so many rows is that of a sample; there are two at least."""
    many = np.maximum(rows, 2.0)
    return np.asarray(many / (many - 1))
