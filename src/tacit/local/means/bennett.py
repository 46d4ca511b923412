"""Bennett's bound: how far an average of bounded, independent terms of known variance strays, for every n."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from tacit.noise.ball import Ball, ball, precision

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
