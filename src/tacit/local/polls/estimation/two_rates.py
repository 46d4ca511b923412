"""Shares from two samples, one poll and one that asks only the innocuous question: intervals, and p-values at the edge.

P-values of counts at the edge of a design's range come from exact tails, for all values of the unknowns.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, inf, log
from typing import Final

import numpy as np

from tacit.frozen import frozen
from tacit.local.polls.estimation.rate_interval import Reals, two_sided

_HALVINGS: Final = 50
_INNER: Final = 1e-15


@frozen
class Blend:
    """The poll's rate of yes: λ = own·π + innocuous·u + both·π·u, of the share π asked for.

    It is affine in the innocuous prevalence u, so the likelihood of both samples is concave in u.
    """

    own: float
    innocuous: float
    both: float

    def rate(self, share: Reals, other: Reals) -> Reals:
        return np.clip(share * self.own + other * (self.innocuous + share * self.both), 0.0, 1.0)

    def share(self, rate: Reals, other: Reals) -> Reals:
        """The share that gives the rate: the estimate where both rates are observed."""
        return (rate - other * self.innocuous) / (self.own + other * self.both)


@frozen
class TwoCounts:
    """Yes among the poll's respondents, and yes to the innocuous question in the second sample; arrays of polls."""

    yes: Reals
    people: float
    other_yes: Reals
    other_people: float

    @property
    def rate(self) -> Reals:
        return self.yes / self.people

    @property
    def other(self) -> Reals:
        return self.other_yes / self.other_people


def score_interval(blend: Blend, counts: TwoCounts, miss: float) -> tuple[Reals, Reals]:
    """The shares in [0, 1] whose best-fitting u leaves Pearson's statistic of both counts at most z².

    For a difference of two rates this is Mee's score interval, for a ratio Koopman's; here `blend` joins the two. The
    statistic is 0 at the estimate (or least at the end of [0, 1] next to it) and grows to both sides.
    """
    limit = two_sided(miss) ** 2
    with np.errstate(invalid="ignore", divide="ignore"):
        estimate = np.nan_to_num(np.clip(blend.share(counts.rate, counts.other), 0.0, 1.0))
        low, high = (_end(blend, counts, limit, estimate, edge) for edge in (0.0, 1.0))
    return low, high


def _end(blend: Blend, counts: TwoCounts, limit: float, inside: Reals, edge: float) -> Reals:
    """The last point from `inside` towards `edge` at which the statistic is within the limit."""
    outside = np.full_like(inside, edge)
    reached = _statistic(blend, counts, outside) <= limit
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        holds = _statistic(blend, counts, middle) <= limit
        inside, outside = np.where(holds, middle, inside), np.where(holds, outside, middle)
    return np.where(reached, edge, inside)


def _statistic(blend: Blend, counts: TwoCounts, share: Reals) -> Reals:
    other = _fitting(blend, counts, share)
    own = _pearson(counts.yes, counts.people, blend.rate(share, other))
    return own + _pearson(counts.other_yes, counts.other_people, other)


def _pearson(count: Reals, people: float, rate: Reals) -> Reals:
    distance = (count - people * rate) ** 2
    return np.where(distance < _INNER, 0.0, distance / (people * rate * (1 - rate)))


def _fitting(blend: Blend, counts: TwoCounts, share: Reals) -> Reals:
    """The u of the largest likelihood at this share: where the derivative, which falls, changes sign."""
    slope = blend.innocuous + share * blend.both
    low, high = np.zeros_like(share), np.ones_like(share)
    for _ in range(_HALVINGS):
        other = (low + high) / 2
        rate = np.clip(blend.rate(share, other), _INNER, 1 - _INNER)
        own = slope * (counts.yes / rate - (counts.people - counts.yes) / (1 - rate))
        derivative = own + counts.other_yes / other - (counts.other_people - counts.other_yes) / (1 - other)
        low, high = np.where(derivative > 0, other, low), np.where(derivative > 0, high, other)
    return (low + high) / 2


_THIRDS: Final = 120  # iterations; each keeps two thirds of the range


def rate_surprise(count: float, people: float, rate: float, *, is_low: bool) -> float:
    """P(X ≤ count), or P(X ≥ count) where the count is not low but high, for X binomial with this rate."""
    from scipy.special import betainc

    if is_low:
        return 1.0 if count >= people else float(betainc(people - count, count + 1, 1 - rate))
    return 1.0 if count <= 0 else float(betainc(count, people - count + 1, rate))


def blend_surprise(blend: Blend, share: float, own: tuple[int, int], other: tuple[int, int], *, is_low: bool) -> float:
    """A p-value of the counts (yes, people) of two samples at this share, for any innocuous prevalence u.

    Claim: it is at most α with probability at most α. Proof: at the true u the tails p₁ of the poll and p₂, to the
    other side, of the second sample are independent, and each is at most α with probability at most α; so q = p₁p₂
    does q(1 − ln q) (Fisher). The largest over all u is no smaller. Both tails are log-concave in u (they are
    distribution functions of beta laws with parameters of at least 1, and the rate is affine in u): thirds find it. One
    tail falls in u and the other rises, so where both are too small for a float, all products are.
    """

    def tails(u: float) -> tuple[float, float]:
        rate = float(blend.rate(np.array(share), np.array(u)))
        found = rate_surprise(*own, rate, is_low=is_low), rate_surprise(*other, u, is_low=not is_low)
        return found if is_low else (found[1], found[0])  # the tail that falls in u comes first

    low, high, largest = 0.0, 1.0, -inf
    for _ in range(_THIRDS):
        one, two = low + (high - low) / 3, high - (high - low) / 3
        logs = []
        for u in (one, two):
            falling, rising = tails(u)
            if not falling and not rising:
                return 0.0
            logs.append(log(falling) + log(rising) if falling and rising else -inf)
            if not falling:
                high = min(high, u)
            if not rising:
                low = max(low, u)
        largest = max(largest, *logs)
        if min(logs) > -inf:
            low, high = (one, high) if logs[0] < logs[1] else (low, two)
    return exp(largest) * (1 - largest) if largest > -inf else 0.0


def order_surprise(larger: Sequence[int], smaller: Sequence[int]) -> float:
    """A p-value of two samples' tallies, where the first is drawn from a law that is nowhere below the second's.

    Claim: it is at most α with probability at most α. Proof: at each threshold the first sample's share at or above it
    is drawn with no smaller rate, so Fisher's exact test of it, given both samples together, is a p-value; of k tests
    one is at most α/k with probability at most α.
    """
    from scipy.stats import hypergeom

    above = [np.cumsum(tally[::-1])[::-1] for tally in (larger, smaller)]
    tails = [
        float(hypergeom.cdf(one, above[0][0] + above[1][0], one + two, above[0][0]))
        for one, two in zip(above[0][1:], above[1][1:], strict=True)
    ]
    return min(1.0, len(tails) * min(tails, default=1.0))
