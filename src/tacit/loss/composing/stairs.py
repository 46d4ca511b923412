"""ε at δ for a pair with finitely many losses: between two of them δ is linear in e^ε, and is inverted."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from fractions import Fraction

from tacit.loss.curve import Curve, float_up
from tacit.loss.sharp import sharp
from tacit.noise.ball import START_BITS, Ball, ball, precision, up

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
