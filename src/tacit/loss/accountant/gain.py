"""δ(ε) of a composed loss, and its inverse, from one end."""

from __future__ import annotations

import math

import numpy as np

from tacit.loss.accountant.spectrum import Sum
from tacit.loss.accountant.step import UNIT

_FAR = 50.0  # e^−50: how far down the weight is followed


def delta_above(total: Sum, epsilon: float) -> float:
    """A number ≥ δ(ε) of the composed law."""
    value, margin = _parts(total, epsilon)
    finite = math.exp(min(700.0, total.log_weight + total.tilt * (total.shift - epsilon)))
    kept = (value + margin) * finite * (1 + total.unsure)
    return min(1.0, (total.infinite * (1 + 64 * UNIT) + kept) * (1 + 8 * UNIT))


def delta_below(total: Sum, epsilon: float) -> float:
    """A number ≤ δ(ε) of the composed law."""
    value, margin = _parts(total, epsilon)
    finite = math.exp(min(700.0, total.log_weight + total.tilt * (total.shift - epsilon)))
    kept = (value - margin) * finite / (1 + total.unsure)
    return max(0.0, (total.infinite * (1 - 64 * UNIT) + kept) * (1 - 8 * UNIT))


def _parts(total: Sum, epsilon: float) -> tuple[float, float]:
    """Σ law·w(loss−ε) as computed, and how far it may be off; losses without the shift."""
    at = epsilon - total.shift
    start = min(max(0, math.floor(at / total.spacing) + 1 - total.first), len(total.law))
    stop = min(len(total.law), start + math.ceil(_FAR / total.tilt / total.spacing) + 1)
    above = np.maximum(np.arange(start + total.first, stop + total.first) * total.spacing - at, 0.0)
    with np.errstate(under="ignore"):
        weights = np.exp(-total.tilt * above) * -np.expm1(-above)
    terms = total.law[start:stop] * weights
    value = float(terms.sum())
    most = math.exp(total.tilt * math.log(total.tilt / (1 + total.tilt))) / (1 + total.tilt)  # the largest w
    size = float(np.abs(terms).sum())
    places = abs(at) + abs(total.shift) + abs(epsilon)
    roundings = UNIT * (len(above) + 64) * size + 16 * UNIT * places * (1 + total.tilt) * (size + most)
    return value, total.error * most + math.exp(-_FAR) + roundings


def epsilon_above(total: Sum, delta: float, start: float, close: float) -> float:
    """An ε ≥ 0 with δ(ε) ≤ δ certified, within about `close` of the least that this end can show; `inf` if none."""
    step, high = max(8 * close, 0.01 * start), start
    while delta_above(total, high) > delta:
        high, step = high + step, 4 * step
        if step > 1e5:
            return math.inf
    low, step = high, max(8 * close, 0.01 * start)
    while low > 0 and delta_above(total, low) <= delta:
        high, low, step = low, max(0.0, low - step), 4 * step
    return high if low == high else _narrowed(total, delta, low, high, close, upper=True)


def epsilon_below(total: Sum, delta: float, start: float, close: float) -> float:
    """An ε ≥ 0 with δ(ε) > δ certified (or 0), within about `close` of the largest that this end can show."""
    low, step = start, 8 * close
    while low > 0 and not delta_below(total, low) > delta:
        low, step = max(0.0, low - step), 4 * step
    if not delta_below(total, low) > delta:
        return 0.0
    high, step = low + close, 8 * close
    while delta_below(total, high) > delta:
        low, high, step = high, high + step, 4 * step
    return _narrowed(total, delta, low, high, close, upper=False)


def _narrowed(total: Sum, delta: float, low: float, high: float, close: float, upper: bool) -> float:
    """Regula falsi on ln δ, halving where it is slow; the end that is returned was itself certified."""
    of = delta_above if upper else delta_below
    target = math.log(delta)
    at_low, at_high = (math.log(max(of(total, end), 1e-320)) for end in (low, high))
    for turn in range(60):
        if high - low <= close:
            break
        middle = (low + high) / 2
        if turn % 3 != 2 and at_low > target >= at_high:
            middle = low + (high - low) * (at_low - target) / (at_low - at_high)
            aside = close / 3 if turn % 3 == 0 else -close / 3
            middle = min(max(middle + aside, low + close / 4), high - close / 4)
        value = math.log(max(of(total, middle), 1e-320))
        if (value <= target) if upper else not (value > target):
            high, at_high = middle, value
        else:
            low, at_low = middle, value
    return high if upper else low
