"""Intervals of a rate by the normal approximation: at the estimate, or at each candidate."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist


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
