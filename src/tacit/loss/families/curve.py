"""From a curve δ(ε) to ε(δ) and to the trade-off curve, with every rounding on the safe side.

A `Curve` takes an exact ε ≥ 0 and returns, at Arb's working precision, a ball that contains the δ of
both directions of the neighbouring pair (or an upper bound of it: the answers are then bounds too).
An `ExactCurve` is a loss whose δ(ε) is known exactly: one certified ball serves every answer about it.
For a pair with finitely many losses, δ is linear in e^ε between two of them, and is inverted there exactly.
"""

from __future__ import annotations

import math
import sys
from abc import abstractmethod
from bisect import bisect_left
from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

from tacit.exact import Number, nonnegative
from tacit.loss.families.loss import Loss
from tacit.loss.families.precision import sharp
from tacit.noise.ball import START_BITS, Ball, ball, down, precision, up

Curve: TypeAlias = Callable[[Fraction], Ball]

_LARGEST = Fraction(sys.float_info.max)
_GOLDEN = (math.sqrt(5) - 1) / 2
_SEARCH_STEPS = 100  # steps of the golden section: 0.618^100 is below 2^-69
_FARTHEST = 2.0**40  # larger than any useful ε


def epsilon_from_delta(delta_of: Curve, delta: Fraction, ceiling: Fraction | None = None) -> float:
    """The least float ε with a certified δ(ε) ≤ δ, for a decreasing curve; `inf` where there is none.

    `ceiling` is an ε beyond which the curve falls no further (a pure ε, say), if one is known.
    It is sound because the float returned was itself certified; bisection only decides which float to try.
    """
    if _lies_below(delta_of, Fraction(0), delta):
        return 0.0
    low, high = 0.0, 1.0
    if ceiling is not None:
        high = float_up(ceiling)
        if not _lies_below(delta_of, Fraction(high), delta):
            return math.inf
    else:
        while not _lies_below(delta_of, Fraction(high), delta):
            low, high = high, 2 * high
            if not high <= _FARTHEST:
                return math.inf
    while high - low > max(math.ulp(high), 2.0**-80):
        middle = (low + high) / 2
        if _lies_below(delta_of, Fraction(middle), delta):
            high = middle
        else:
            low = middle
    return float_up(Fraction(high))


def tradeoff_from_delta(delta_of: Curve, alpha: Fraction) -> float:
    """The trade-off curve at α: f(α) = sup over ε of max(0, 1−δ(ε)−e^ε α, e^−ε(1−δ(ε)−α)), rounded down.

    The supremum is the theorem (Dong–Roth–Su 2022, convex duality; exact for a symmetric pair, the
    convex hull of both directions otherwise). Each ε alone is a valid lower bound, because (ε, δ(ε))
    bounds every test, so searching for the best ε in floats cannot make the answer unsound. Both
    expressions have one hump: δ is convex in e^ε, so the first is concave in e^ε and the second in e^−ε.
    """

    def steep(epsilon: float) -> Ball:
        exactly = Fraction(epsilon)
        return 1 - delta_of(exactly) - ball(exactly).exp() * ball(alpha)

    def shallow(epsilon: float) -> Ball:
        exactly = Fraction(epsilon)
        return (-ball(exactly)).exp() * (1 - delta_of(exactly) - ball(alpha))

    with precision(START_BITS):
        return max(0.0, down(_highest(steep)), down(_highest(shallow)))


def float_up(value: Fraction) -> float:
    """The least float ≥ an exact number, both as the dyadic number it is and as the decimal it is written as."""
    rounded = math.inf if value > _LARGEST else float(value)
    while math.isfinite(rounded) and not (Fraction(rounded) >= value and Fraction(repr(rounded)) >= value):
        rounded = math.nextafter(rounded, math.inf)
    return rounded


def float_down(value: Fraction) -> float:
    """The greatest float ≤ an exact number."""
    return -float_up(-value)


def _lies_below(delta_of: Curve, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether δ(ε) ≤ δ is certified; a comparison undecided at the last precision counts as no."""
    for bits in (START_BITS, 4 * START_BITS, 16 * START_BITS):
        with precision(bits):
            value, bound = delta_of(epsilon), ball(delta)
            if value <= bound:
                return True
            if value > bound:
                return False
    return False


def _highest(hump: Callable[[float], Ball]) -> Ball:
    """The value of a unimodal function near its maximum over [0, ∞): exponential search, then golden section."""
    high, best = 1.0, hump(0.0)
    while high <= _FARTHEST and (farther := hump(high)).mid() > best.mid():
        high, best = 2 * high, farther
    low = 0.0
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = hump(left), hump(right)
    for _ in range(_SEARCH_STEPS):
        if at_left.mid() > at_right.mid():
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = hump(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = hump(right)
        best = max(best, at_left, at_right, key=lambda value: value.lower())
    return best


class ExactCurve(Loss):
    """A loss that states its exact curve and rounds it once, to the safe side."""

    @abstractmethod
    def delta_ball(self, epsilon: Fraction) -> Ball:
        """The exact δ(ε), the larger of both directions, at Arb's working precision."""

    def delta(self, epsilon: Number) -> float:
        return self.delta_between(epsilon)[1]

    def delta_between(self, epsilon: Number) -> tuple[float, float]:
        """The exact curve, as a bracket one or two floats wide."""
        at = nonnegative(epsilon, "epsilon")
        value = sharp(lambda: self.delta_ball(at))
        return max(0.0, down(value)), min(1.0, up(value))


_BITS = 4 * START_BITS


def epsilon_between_losses(delta_of: Curve, loss: Callable[[int], Fraction], count: int, allowed: Fraction) -> float:
    """The least ε ≥ 0 with δ(ε) ≤ allowed, rounded up; δ at the largest loss must be within `allowed`.

    `loss(0) > loss(1) > …` are the `count` nonnegative losses of the pair. The curve is convex and bends only at
    e^loss, so the answer is a corner or lies on the chord between two. A tie that no precision can
    decide counts as a no; the chord then ends at the corner, and the answer is still an upper bound.
    """

    def within(at: Fraction) -> bool:
        with precision(_BITS):
            return bool(delta_of(at) <= ball(allowed))

    if count == 0 or within(Fraction(0)):
        return 0.0
    inside = 1 + bisect_left(range(1, count), True, key=lambda i: not within(loss(i)))
    near = loss(inside - 1)
    far = loss(inside) if inside < count else Fraction(0)

    def inverse() -> Ball:
        low, high = delta_of(near), delta_of(far)
        share = (ball(allowed) - low) / (high - low)
        return ball(near) + (share * ball(far - near).expm1()).log1p()

    return max(0.0, min(float_up(near), up(sharp(inverse))))
