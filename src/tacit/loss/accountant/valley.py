"""Where a function with one valley is least."""

from __future__ import annotations

import math
from collections.abc import Callable

_GOLDEN = (math.sqrt(5) - 1) / 2


def valley(score: Callable[[float], float], low: float, high: float, close: float) -> float:
    """About the point, between e^low and e^high, at which a function with one valley is least: golden section."""
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = score(math.exp(left)), score(math.exp(right))
    while high - low > close:
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = score(math.exp(left))
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = score(math.exp(right))
    return math.exp((low + high) / 2)
