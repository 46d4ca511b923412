"""The privacy profile δ(ε) of a release: certified points, and bounds that follow from them.

The ε at which a falling curve δ(ε) crosses a given δ lies between two ε that were themselves tried.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

from flint import arb

from tacit.frozen import frozen
from tacit.loss.families.precision import sharp
from tacit.noise.ball import START_BITS, Ball, ball, down, precision, up


@frozen
class PrivacyProfile:
    """Points (ε, δ) at which a release is (ε, δ)-private both ways round; ε rises from 0, and the last δ is 0."""

    points: tuple[tuple[Fraction, Fraction], ...]

    def tradeoff(self, alpha: Fraction) -> float:
        """max(0, 1−δ−e^ε α, e^−ε(1−δ−α)) over the points, rounded down: each point alone bounds every test."""
        with precision(START_BITS):
            lines = [
                (ball(1 - delta) - ball(epsilon).exp() * ball(alpha), (-ball(epsilon)).exp() * ball(1 - delta - alpha))
                for epsilon, delta in self.points
            ]
        return max(0.0, *(down(bound) for pair in lines for bound in pair))

    def rdp(self, order: Fraction) -> float:
        """A bound of the Rényi divergence of this order, rounded up.

        With E(g) the hockey-stick divergence at g = e^ε (Sason and Verdú 2016, at the power a):
        E_Q(P/Q)^a = 1 + a(a−1)·∫ g^{a−2}·E_g(P‖Q) + g^{−a−1}·E_g(Q‖P) dg over g ≥ 1. E is convex in g, so that it lies
        below the chords of points that lie above it.
        """

        def divergence() -> Ball:
            a, total = ball(order), arb(0)
            for (left, high), (right, low) in pairwise(self.points):
                start, end = ball(left).exp(), ball(right).exp()
                slope = ball(low - high) / (end - start)
                level = ball(high) - slope * start
                total += level * _power(start, end, a - 1) + slope * _power(start, end, a)
                total += level * _power(start, end, -a) + slope * _power(start, end, 1 - a)
            return (1 + a * (a - 1) * total).log() / (a - 1)

        return max(0.0, up(sharp(divergence)))


def _power(start: Ball, end: Ball, exponent: Ball) -> Ball:
    """∫ g^{exponent−1} dg from start to end."""
    return ((end.log() * exponent).exp() - (start.log() * exponent).exp()) / exponent


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
