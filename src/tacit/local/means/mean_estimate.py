"""An estimated mean: the average of the reports, and its error.

Bennett's bound limits the deviation of an average of bounded, independent terms of known variance, for every n.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import sqrt
from typing import Protocol

from tacit.exact import Number, positive, proper, whole
from tacit.frozen import frozen
from tacit.loss.families.curve import float_down, float_up
from tacit.mechanisms.mechanism import percent
from tacit.noise.ball import Ball, ball, first_true, precision

_HALVINGS = 64


@lru_cache(maxsize=4096)
def farthest(variance: Fraction, bound: Fraction, people: int, miss: Fraction) -> Fraction:
    """A distance that the average exceeds its mean by with probability at most `miss`; likewise from below.

    The terms are independent, have a mean square deviation of at most `variance`, and lie within `bound` of their
    means. Bennett (1962): P(average − mean ≥ t) ≤ exp(−n·(v/b²)·h(bt/v)), h(u) = (1+u)ln(1+u) − u, which grows with t,
    falls in v and needs no common law. What is returned was itself checked in certified arithmetic; it is the
    least such distance but for one part in 10⁹. A distance of b needs no bound.
    """
    low, high = Fraction(0), bound
    with precision(96):
        needed = -ball(miss).log()
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            if _exponent(variance, bound, people, middle) >= needed:
                high = middle
            else:
                low = middle
    return high


def _exponent(variance: Fraction, bound: Fraction, people: int, distance: Fraction) -> Ball:
    step = ball(bound * distance / variance)
    return ball(people * variance / bound**2) * ((1 + step) * step.log1p() - step)


class Reporting(Protocol):
    """The properties of a response: its report values, and their mean squares."""

    @property
    def outputs(self) -> tuple[int, ...]: ...

    @property
    def per_unit(self) -> int: ...

    @property
    def reach(self) -> Fraction: ...

    @property
    def squares(self) -> tuple[Fraction, ...]: ...

    @property
    def worst_variance(self) -> Fraction: ...


@frozen
class MeanEstimate:
    """An estimated mean: the count of each report, and the response that made them."""

    counts: tuple[int, ...]
    response: Reporting

    @property
    def people(self) -> int:
        return sum(self.counts)

    @property
    def exact_value(self) -> Fraction:
        """The average of the reports' values: unbiased, and so not always within [−1, 1]."""
        total = sum(out * count for out, count in zip(self.response.outputs, self.counts, strict=True))
        return Fraction(total, self.people * self.response.per_unit)

    @property
    def value(self) -> float:
        return float(self.exact_value)

    @property
    def standard_error(self) -> float:
        """The square root of the unbiased estimate of the estimate's variance; `inf` for a single report."""
        if self.people == 1:
            return float("inf")
        squares = sum(out * out * count for out, count in zip(self.response.outputs, self.counts, strict=True))
        spread = Fraction(squares, self.people * self.response.per_unit**2) - self.exact_value**2
        return sqrt(spread / (self.people - 1))

    def interval(self, confidence: Number = "0.95") -> tuple[float, float]:
        """Bennett's interval for the mean of the population, valid for every number of reports; cut to [−1, 1].

        Claim: for respondents drawn independently it holds the population's mean with at least this probability.
        Proof: a report's value has that mean, lies within reach + 1 of it, and has at most the largest mean square of
        any row as its variance. At 95% and for many reports it is √(2·ln 40)/1.96 = 1.39 times as wide as the normal
        interval of a population with that variance.
        """
        return self._around(population_error(self.response, self.people, confidence))

    def respondents_interval(self, confidence: Number = "0.95") -> tuple[float, float]:
        """The same for the mean of these respondents: only the reports are random."""
        return self._around(respondents_error(self.response, self.people, confidence))

    def normal_interval(self, confidence: Number = "0.95") -> tuple[float, float]:
        """The normal interval from the reports' own spread, valid asymptotically only."""
        from scipy.stats import norm

        reach = float(norm.isf(float(1 - proper(confidence, "confidence")) / 2)) * self.standard_error
        return max(-1.0, min(1.0, self.value - reach)), min(1.0, max(-1.0, self.value + reach))

    def describe(self, confidence: Number = "0.95") -> str:
        """Value and interval, in one line."""
        low, high = self.interval(confidence)
        return f"{self.value:.4g}, {percent(confidence)} interval {low:.4g} to {high:.4g}"

    def __str__(self) -> str:
        return self.describe()

    def _around(self, error: Fraction) -> tuple[float, float]:
        low, high = self.exact_value - error, self.exact_value + error
        return max(-1.0, min(1.0, float_down(low))), min(1.0, max(-1.0, float_up(high)))


def population_error(response: Reporting, people: int, confidence: Number = "0.95") -> Fraction:
    """The error of the estimate from so many reports about the population's mean, with this confidence."""
    miss = (1 - proper(confidence, "confidence")) / 2
    return farthest(max(response.squares), response.reach + 1, whole(people, "people", 1), miss)


def respondents_error(response: Reporting, people: int, confidence: Number = "0.95") -> Fraction:
    """The error about the mean of the respondents themselves, with this confidence."""
    miss = (1 - proper(confidence, "confidence")) / 2
    return farthest(response.worst_variance, response.reach + 1, whole(people, "people", 1), miss)


def people_needed(response: Reporting, error: Number, confidence: Number = "0.95") -> int:
    """The least number of reports whose interval for the population's mean reaches no farther than this."""
    wanted, sure = positive(error, "error"), proper(confidence, "confidence")
    return first_true(lambda people: population_error(response, people, sure) <= wanted, 1)
