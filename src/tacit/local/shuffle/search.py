"""The ε at which a falling curve δ(ε) crosses a given δ, between two ε that were themselves tried."""

from __future__ import annotations

import math
from collections.abc import Callable

_LEAST = 1e-320
_SHRINK = 4.0
_TURNS = 80


def crossing(
    curve: Callable[[float], float], delta: float, low: float, high: float, close: float
) -> tuple[float, float]:
    """(low, high) with curve(low) > δ ≥ curve(high), apart by at most the share `close` of high; the ends hold already.

    Regula falsi on ln δ, with the Illinois rule; at first by large steps, as high may be far too high.
    """
    target = math.log(max(delta, _LEAST))
    at_low = at_high = math.nan
    while high > _SHRINK * max(low, high * close):
        middle = high / _SHRINK
        value = curve(middle)
        if value > delta:
            low, at_low = middle, math.log(value)
            break
        high, at_high = middle, math.log(max(value, _LEAST))
    kept = 0
    for _ in range(_TURNS):
        if high - low <= close * high:
            break
        middle = (low + high) / 2
        if at_high > -700 and at_low > target:
            middle = low + (high - low) * (at_low - target) / (at_low - at_high)
            margin = close * high / 3
            middle = min(max(middle + (margin if kept > 0 else -margin), low + margin), high - margin)
        value = curve(middle)
        if value > delta:
            low, at_low, kept = middle, math.log(value), max(kept, 0) + 1
            at_high = target + (at_high - target) / 2 if kept > 1 else at_high
        else:
            high, at_high, kept = middle, math.log(max(value, _LEAST)), min(kept, 0) - 1
            at_low = target + (at_low - target) / 2 if kept < -1 else at_low
    return low, high
