"""δ(ε) of a composed loss, and its inverse, from one end."""

from __future__ import annotations

import math

import numpy as np

from tacit.loss.accountant.fourier import Complex, Sum
from tacit.loss.accountant.tilt import log_largest
from tacit.loss.distributions.step import UNIT, Array


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
    kept = max(0.0, value - margin) * finite / (1 + total.unsure)
    return min(1.0, (total.infinite * (1 - 64 * UNIT) + kept) * (1 - 8 * UNIT))


def unseen(total: Sum, epsilon: float) -> float:
    """The part of δ(ε) from above that only bounds the error of the law."""
    finite = math.exp(min(700.0, total.log_weight + total.tilt * (total.shift - epsilon)))
    return total.error * math.exp(log_largest(total.tilt)) * finite


def _parts(total: Sum, epsilon: float) -> tuple[float, float]:
    """Σ law_k·w(loss_k−ε) as computed, and a bound of its error.

    Over the nodes from k to the end of the circle's window, w is a difference of two geometric sequences; so each
    frequency contributes two geometric sums, and the law itself is never needed.
    """
    at = epsilon - total.shift
    last = total.first + total.size
    start = min(max(total.first, math.floor(at / total.spacing) + 1), last)
    gap = max(start * total.spacing - at, 0.0)
    angles = 2 * math.pi / total.size * total.frequencies
    phases = np.exp(2j * math.pi / total.size * (total.frequencies * (start % total.size) % total.size))
    series = [
        math.exp(-rate * gap) * _geometric(rate * total.spacing, angles, last - start)
        for rate in (total.tilt, total.tilt + 1)
    ]
    alone = 2 * total.frequencies % total.size == 0  # 0 and, on an even circle, the one opposite: their own conjugates
    weights = np.where(alone, 1.0, 2.0) / total.size
    value = float((weights * (total.coefficients * phases * (series[0] - series[1])).real).sum())
    size = float((weights * np.abs(total.coefficients) * (np.abs(series[0]) + np.abs(series[1]))).sum())
    most = math.exp(log_largest(total.tilt))
    places = abs(at) + abs(total.shift) + abs(epsilon)
    roundings = UNIT * (len(angles) + 256) * size + 16 * UNIT * places * (1 + total.tilt) * (size + most)
    return value, total.error * most + roundings


def _geometric(fall: float, angles: Array, count: int) -> Complex:
    """Σ e^{(−fall+i·angle)m} over 0 ≤ m < count, without cancellation."""
    return _one_less(fall * count, angles * count) / _one_less(fall, angles)


def _one_less(fall: float, angles: Array) -> Complex:
    """1 − e^{−fall+i·angle}."""
    kept = math.exp(-fall)
    less: Complex = np.empty(len(angles), dtype=np.complex128)
    less.real = -math.expm1(-fall) * np.cos(angles) + 2 * np.sin(angles / 2) ** 2
    less.imag = -kept * np.sin(angles)
    return less


def epsilon_above(total: Sum, delta: float, start: float, close: float) -> float:
    """An ε ≥ 0 with δ(ε) ≤ δ certified, within about `close` of the least such ε of this end; `inf` if none."""
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
    """An ε ≥ 0 with δ(ε) > δ certified (or 0), within about `close` of the largest that this end can certify."""
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
    """Regula falsi on ln δ, halving where it is slow; the value returned was itself certified."""
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
