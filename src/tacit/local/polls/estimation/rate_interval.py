"""Intervals of a binomial rate: exact (Clopper and Pearson, Blaker), or by the normal approximation (Wald, Wilson).

An exact interval excludes only rates at which the count is improbable.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from math import sqrt
from statistics import NormalDist
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray


class Method(Enum):
    """The method of an interval."""

    ASYMPTOTIC = "asymptotic"
    """Normal approximation at the estimate (Wald): textbook, too short for small polls and rare answers."""

    SCORE = "score"
    """Normal approximation at each candidate rate (Wilson): 95% on average over the prevalence."""

    EXACT = "exact"
    """Only rates at which the count is improbable are excluded (Blaker): coverage is never below 95%."""


def wald(count: float, people: float, miss: float) -> tuple[float, float]:
    """The estimate ± z standard errors, as the estimate itself states them (Wald)."""
    rate = count / people
    reach = two_sided(miss) * sqrt(rate * (1 - rate) / people)
    return max(0.0, rate - reach), min(1.0, rate + reach)


def wilson(count: float, people: float, miss: float) -> tuple[float, float]:
    """The rates r with (count − people·r)² ≤ z²·people·r(1−r) (Wilson 1927)."""
    z2 = two_sided(miss) ** 2
    centre = (count + z2 / 2) / (people + z2)
    reach = sqrt(z2 * (count * (1 - count / people) + z2 / 4)) / (people + z2)
    return max(0.0, centre - reach), min(1.0, centre + reach)


def two_sided(miss: float) -> float:
    """The normal deviate that is exceeded, on either side, with probability `miss`."""
    return NormalDist().inv_cdf(1 - miss / 2)


Reals: TypeAlias = NDArray[np.float64]

_HALVINGS: Final = 60
_OUTWARD: Final = 1e-12  # more than the error of the incomplete beta function


def clopper_pearson(counts: Reals, people: float, miss: float) -> tuple[Reals, Reals]:
    """Each tail at most miss/2: the exact interval that spends its error evenly (Clopper and Pearson 1934)."""
    from scipy.special import betaincinv

    with np.errstate(invalid="ignore", divide="ignore"):
        low = np.where(counts > 0, betaincinv(counts, people - counts + 1, miss / 2), 0.0)
        high = np.where(counts < people, betaincinv(counts + 1, people - counts, 1 - miss / 2), 1.0)
    return np.maximum(0, low - _OUTWARD), np.minimum(1, high + _OUTWARD)


def blaker(counts: Reals, people: int, miss: float) -> tuple[Reals, Reals]:
    """The hull of the rates at which a count is acceptable (Blaker 2000): exact, and never wider than the last.

    A rate accepts the count x if the probability of its tail, plus the largest opposite tail that is no more likely,
    is at least `miss`. A rate that is the true one rejects with probability below `miss`.
    """
    low = _lower_ends(np.asarray(counts, np.float64), people, miss)
    high = 1 - _lower_ends(people - np.asarray(counts, np.float64), people, miss)
    return low, high


def _lower_ends(counts: Reals, people: int, miss: float) -> Reals:
    """The least acceptable rate of each count.

    It lies at or above Clopper and Pearson's end, where the upper tail P(X ≥ x) is miss/2. Between two rates at which
    the opposite tail takes in one count more, P(X ≥ x) + P(X ≤ y) first falls, then rises, since the ratio of the two
    derivatives is a power of the odds; and where it takes one in, both tails are equal, so that the sum is at least
    miss. So the end is the first crossing in the first piece, or that piece's end.
    """
    start, _ = clopper_pearson(counts, people, miss)
    reached = _upper_tail(start, counts, people)
    opposite = _last_below(start, reached, people)
    entering = _bisect(lambda rate: _lower_tail(rate, opposite + 1, people) <= _upper_tail(rate, counts, people), start)
    crossing = _bisect(
        lambda rate: _upper_tail(rate, counts, people) + _lower_tail(rate, opposite, people) >= miss, start
    )
    return np.where(counts > 0, np.maximum(0, np.minimum(entering, crossing) - _OUTWARD), 0.0)


def _bisect(claim: Callable[[Reals], Any], low: Reals) -> Reals:
    """The least rate from which the claim holds, for a claim that is false at `low` and true at 1; rounded down."""
    below, above = low.copy(), np.ones_like(low)
    for _ in range(_HALVINGS):
        middle = (below + above) / 2
        holds = claim(middle)
        below, above = np.where(holds, below, middle), np.where(holds, middle, above)
    return below


def _upper_tail(rate: Reals, counts: Reals, people: int) -> Reals:
    """P(X ≥ count)."""
    from scipy.special import betainc

    with np.errstate(invalid="ignore"):
        return np.where(counts <= 0, 1.0, np.where(counts > people, 0.0, betainc(counts, people - counts + 1, rate)))


def _lower_tail(rate: Reals, counts: Reals, people: int) -> Reals:
    """P(X ≤ count)."""
    return 1 - _upper_tail(rate, counts + 1, people)


def _last_below(rate: Reals, tail: Reals, people: int) -> Reals:
    """The largest y with P(X ≤ y) ≤ tail, −1 where there is none."""
    low, high = np.full_like(rate, -1), np.full_like(rate, people)
    while np.any(high - low > 1):
        middle = np.floor((low + high) / 2)
        holds = _lower_tail(rate, middle, people) <= tail
        low, high = np.where(holds, middle, low), np.where(holds, high, middle)
    return low


def rate_interval(count: float, people: float, miss: float, method: Method) -> tuple[float, float]:
    """The ends of the interval of the rate. Fractional counts, from survey weights, are accepted too."""
    if method is Method.ASYMPTOTIC:
        return wald(count, people, miss)
    if method is Method.SCORE:
        return wilson(count, people, miss)
    if float(count).is_integer() and float(people).is_integer():
        low, high = blaker(np.array([count]), int(people), miss)
        return float(low[0]), float(high[0])
    low, high = clopper_pearson(np.array([count]), people, miss)
    return float(low[0]), float(high[0])
