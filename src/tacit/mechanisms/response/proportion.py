"""The share of a population with some true answer, estimated from randomized reports.

The exact (Clopper–Pearson) interval of a proportion contains the success rates at which the observed count is not
improbable.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import isqrt, log, sqrt
from statistics import NormalDist
from typing import Protocol

from tacit.exact import Number, proper
from tacit.frozen import frozen
from tacit.loss.families.precision import sharp
from tacit.mechanisms.mechanism import percent
from tacit.noise.ball import Ball, ball, down, precision, up


class ReportChannel(Protocol):
    """The two probabilities of a response: that a report counts for an option if it is true, and if another is."""

    def hit(self, option: int = 1) -> Ball: ...

    def stray(self, option: int = 1) -> Ball: ...


@frozen
class Share:
    """An estimated share: how many of the reports count for it, and the response they went through."""

    count: int
    people: int
    response: ReportChannel
    option: int = 1

    @property
    def value(self) -> float:
        """(count/n − stray)/(hit − stray): unbiased, and so not always within [0, 1]."""
        rate = Fraction(self.count, self.people)
        return float(sharp(lambda: (ball(rate) - self.response.stray(self.option)) / self._contrast()))

    @property
    def standard_error(self) -> float:
        """The square root of the unbiased estimate of the estimate's variance; `inf` for a single report."""
        if self.people == 1:
            return float("inf")
        rate = self.count / self.people
        return sqrt(rate * (1 - rate) / (self.people - 1)) / abs(float(sharp(self._contrast)))

    def interval(self, confidence: Number = "0.95") -> tuple[float, float]:
        """Clopper and Pearson's exact interval of the reports' rate, read back as a share and cut to [0, 1].

        Claim: for respondents drawn independently from the population it holds the true share with at least this
        probability. Proof: the count is binomial, and the share a monotone function of its rate.
        """
        miss = (1 - proper(confidence, "confidence")) / 2
        with precision(96):
            ends = [
                (ball(end(self.count, self.people, miss)) - self.response.stray(self.option)) / self._contrast()
                for end in (lower_end, upper_end)
            ]
            return min(1.0, max(0.0, min(map(down, ends)))), max(0.0, min(1.0, max(map(up, ends))))

    def describe(self, confidence: Number = "0.95") -> str:
        """Value and interval, in one line."""
        low, high = self.interval(confidence)
        return f"{self.value:.1%}, {percent(confidence)} interval {low:.1%} to {high:.1%}"

    def __str__(self) -> str:
        return self.describe()

    def _contrast(self) -> Ball:
        return self.response.hit(self.option) - self.response.stray(self.option)


_RESOLUTION = 2.0**-32  # of the interval
_LOWEST = -1e4


@lru_cache(maxsize=4096)
def upper_end(count: int, trials: int, miss: Fraction) -> float:
    """The largest rate at which `count` successes or fewer in so many trials still have probability ≥ `miss`.

    Rounded up, by less than 2^-30 of the interval. For a binomial count the true rate exceeds this end with
    probability at most `miss`, whatever it is (Clopper and Pearson 1934): it does so only for counts
    whose lower tail is below `miss`. The search is by false position; what is returned was itself checked.
    """
    if count == trials:
        return 1.0
    low = count / trials
    # Hoeffding's bound: the count is certainly improbable
    high = min(1.0, low + sqrt(log(1 / miss) / (2 * trials)) + 1e-12)
    close = _RESOLUTION * (high - low)
    above, below = -log(miss), _LOWEST
    while high - low > 2 * close:
        guess = low + (high - low) * above / (above - below)
        guess = min(max(guess, low + close), high - close)
        value = _log_tail_up(count, trials, guess) - log(miss)
        if value < 0:
            high, below, above = guess, value, above / 2
        else:
            low, above, below = guess, value, below / 2
    return high


def _log_tail_up(count: int, trials: int, rate: float) -> float:
    """ln P(at most `count` successes), rounded up."""
    with precision(64):
        tail = (1 - ball(rate)).beta_lower(trials - count, count + 1, regularized=True)
        return max(_LOWEST, float(tail.upper().log()) + 1e-14)


def lower_end(count: int, trials: int, miss: Fraction) -> float:
    """The least such rate, rounded down: failures are successes with the opposite rate."""
    return 1 - upper_end(trials - count, trials, miss)


@lru_cache(maxsize=1024)
def longest_reach(trials: int, miss: Fraction) -> float:
    """The largest distance from count/trials to an end, over all counts.

    The distance has one maximum, about z√n/3 counts below the half, where z is the normal quantile: the search begins
    there. The maximum is so flat that from 10⁴ trials on strides of √n/100 lose less than one part in 1000·n.
    """
    stride = max(1, isqrt(trials) // 100)
    start = round(trials / 2 + NormalDist().inv_cdf(float(miss)) * sqrt(trials) / 3)
    count = min(max(start, 0), trials)

    def reach(at: int) -> float:
        return upper_end(at, trials, miss) - at / trials if 0 <= at <= trials else 0.0

    for step in (-stride, stride):
        while reach(count + step) > reach(count):
            count += step
    return reach(count)
