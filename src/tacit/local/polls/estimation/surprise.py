"""P-values of counts at the edge of a design's range: exact tails, for all values of the unknowns."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, inf, log
from typing import Final

import numpy as np

from tacit.local.polls.estimation.two_rates import Blend

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
