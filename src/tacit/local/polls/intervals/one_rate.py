"""The interval of a binomial rate, by any method."""

from __future__ import annotations

import numpy as np

from tacit.local.polls.intervals.approximate import wald, wilson
from tacit.local.polls.intervals.exact import blaker, clopper_pearson
from tacit.local.polls.intervals.method import Method


def rate_interval(count: float, people: float, miss: float, method: Method) -> tuple[float, float]:
    """The ends of the interval of the rate. Counts that survey weights made fractional are taken too."""
    if method is Method.ASYMPTOTIC:
        return wald(count, people, miss)
    if method is Method.SCORE:
        return wilson(count, people, miss)
    if float(count).is_integer() and float(people).is_integer():
        low, high = blaker(np.array([count]), int(people), miss)
        return float(low[0]), float(high[0])
    low, high = clopper_pearson(np.array([count]), people, miss)
    return float(low[0]), float(high[0])
