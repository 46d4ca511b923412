"""The variance of values that lie within declared bounds."""

from __future__ import annotations

from math import sqrt
from typing import Any

from tacit.exact import Number, proper, whole
from tacit.frozen import frozen
from tacit.loss.families.approx import Approx
from tacit.loss.families.loss import Relation
from tacit.mechanisms.inputs import total
from tacit.mechanisms.statistics.bounded_mean import Moment
from tacit.mechanisms.statistics.counts import Sensitivity, TallyAnswer, check_size, unknown_people
from tacit.mechanisms.statistics.noise_intervals import Ratio, reach
from tacit.noise.bits import Integers
from tacit.words import number


@frozen
class BoundedVariance(Moment):
    """The variance Σ(x−mean)²/n of one value per person, each clamped to [lower, upper] and rounded to a public grid.

    With t = (x−lower)/(upper−lower), three sums are released: of (1−t)², 2t(1−t) and t². They determine the number of
    people (their sum), the mean and the variance, which is M(1−M) − X for the means M of t and X of t(1−t). The three
    are never negative and add up to 1, so one person adds a vector of ℓ₁ norm 1: all three cost as much as one of them.
    For Gaussian noise the middle one is stretched by w = 28/15: with x = t(1−t) ≤ ¼ the squared ℓ₂ norm is 1 − 4x + 2x²
    + 4w²x² ≤ 1, because (2+4w²)x ≤ 4. Vectors without negative coordinates are at most √2 (ℓ₂) and 2 (ℓ₁) times their
    norm apart, which is the sensitivity under replace; n is public there. A missing value (NaN) is left out under
    add/remove, and is the middle of the bounds under replace; infinities are clamped.
    """

    fineness = 20

    @property
    def stretch(self) -> tuple[int, int]:
        """The factors of the outer and the middle sums before the noise."""
        return (1, 1) if isinstance(self.target, Approx) and self.target.exact_delta == 0 else (15, 28)

    @property
    def unit(self) -> int:
        """The most that one person adds to the outer sums."""
        return self.stretch[0] * self.bounds.span**2

    @property
    def sensitivity(self) -> Sensitivity:
        worlds = 2 if self.relation is Relation.REPLACE else 1
        return Sensitivity(worlds * self.unit, worlds * self.unit**2)

    def tally(self, records: Any) -> list[int]:
        span, (outer, middle) = self.bounds.span, self.stretch
        if self.people is not None:
            check_size(records, self.people)
        steps = self.bounds.read(records, missing=None if self.people is None else span // 2)
        first, second = total(steps), _total_of_squares(steps)
        low = steps.size * span**2 - 2 * span * first + second
        return [outer * low, middle * 2 * (span * first - second), outer * second]

    def error(self, confidence: Number = "0.95", people: int | None = None) -> float:
        """The error of the variance of about this many people, if their values lie near the middle of the bounds."""
        size = self.people if people is None else whole(people, "people", 1)
        if size is None:
            raise unknown_people()
        outer, middle = self.stretch
        weights = (0.25, -0.25 * outer / middle, 0.25)
        return reach(self.noise, weights, confidence) / self.unit * _width(self) ** 2 / size

    def answer(self, parts: tuple[int, ...]) -> VarianceAnswer:
        ratio = self.stretch[0] / self.stretch[1]  # factor by which the noise of the middle sum is smaller
        if self.people is None:
            people = (1.0, ratio, 1.0)
            mean = Ratio(self.noise, parts, (0.0, ratio / 2, 1.0), people, 0.0, 1.0)
            mixed = Ratio(self.noise, parts, (0.0, ratio / 2, 0.0), people, 0.0, 0.25)
        else:  # the three sums must add up to n, which is public: the difference is distributed by their variances
            numbers, everyone = (*parts, self.people * self.unit), (0.0, 0.0, 0.0, 1.0)
            shared = ratio**2 / (4 + 2 * ratio**2)
            weights = (-shared, (0.5 - shared) * ratio, -shared, shared)
            mean = Ratio(self.noise, numbers, (-0.5, 0.0, 0.5, 0.5), everyone, 0.0, 1.0, exact=1)
            mixed = Ratio(self.noise, numbers, weights, everyone, 0.0, 0.25, exact=1)
        return VarianceAnswer(_variance(mean.value, mixed.value) * _width(self) ** 2, self, mean, mixed)


@frozen(eq=False)
class VarianceAnswer(TallyAnswer):
    """A private variance, never negative and never above the largest that the bounds permit."""

    mechanism: BoundedVariance
    mean: Ratio
    mixed: Ratio

    @property
    def deviation(self) -> float:
        """The standard deviation."""
        return sqrt(self.value)

    def is_telling(self, confidence: Number = "0.95") -> bool:
        """Whether there are certainly enough people to report a variance."""
        return self.mean.is_telling(confidence)

    def interval(self, confidence: Number = "0.95") -> tuple[float, float]:
        """From intervals for the means of t and of t(1−t), both valid together with this confidence."""
        width = _width(self.mechanism)
        shared = 1 - (1 - proper(confidence, "confidence")) / 2
        first, last = self.mean.interval(shared)
        least, most = self.mixed.interval(shared)
        peak = 0.25 if first <= 0.5 <= last else max(first * (1 - first), last * (1 - last))
        peak = max(peak, most)  # the true mean of t(1−t) is at most M(1−M), even where the noisy one is not
        low = min(first * (1 - first), last * (1 - last)) - most
        slack = float(self.mechanism.bounds.step) * width  # rounding moves a deviation from the mean by a step at most
        return max(0.0, low * width**2 - slack), min(width**2 / 4, (peak - least) * width**2 + slack)

    def error(self, confidence: Number = "0.95") -> float:
        low, high = self.interval(confidence)
        return (high - low) / 2

    def describe(self, confidence: Number = "0.95") -> str:
        low, high = self.interval(confidence)
        half = (high - low) / 2
        ends = f"between {number(low, half)} and {number(high, half)}"
        if not self.is_telling(confidence):
            return f"too few people to say; {ends}{self.terms(confidence)}"
        deviation = f"standard deviation {number(self.deviation, sqrt(high) - sqrt(low))}"
        return f"{number(self.value, half)}, {ends}{self.terms(confidence, deviation)}"


def _variance(mean: float | None, mixed: float | None) -> float:
    """The variance of t from the means of t and of t(1−t).

    The largest possible, where the noisy number of people is not positive.
    """
    if mean is None or mixed is None:
        return 0.25
    return min(max(mean * (1 - mean) - mixed, 0.0), 0.25)


def _width(mechanism: BoundedVariance) -> float:
    return float(mechanism.bounds.span * mechanism.bounds.step)


def _total_of_squares(steps: Integers) -> int:
    """Σ s², from halves that are small enough: s = 2²⁰a + b, with squares and products below 2⁶³."""
    high, low = steps >> 20, steps & 0xFFFFF
    return (total(high * high) << 40) + (total(high * low) << 21) + total(low * low)
