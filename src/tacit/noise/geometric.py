"""The geometric law: P(X = x) = (1 − e^{−1/scale})·e^{−x/scale} on 0, 1, 2, …"""

from __future__ import annotations

from fractions import Fraction

from tacit.exact import Number, positive
from tacit.frozen import frozen
from tacit.noise.ball import Ball, ball
from tacit.noise.bits import Bits, Integers
from tacit.noise.exponential_shape import ExponentialShape
from tacit.noise.law import Law
from tacit.noise.saturate import saturated
from tacit.noise.slabs import slabs


@frozen
class Geometric(ExponentialShape, Law):
    """The number of steps before the first stop, each step going on with probability e^{−1/scale}."""

    scale: Fraction

    def __init__(self, scale: Number) -> None:
        object.__setattr__(self, "scale", positive(scale, "scale"))

    def mass(self, value: int) -> Ball:
        if value < 0:
            return ball(0)
        return -(-1 / ball(self.scale)).expm1() * self.weight(value)

    def tail(self, value: int) -> Ball:
        return self.weight(max(value, 0))

    def draw(self, size: int, bits: Bits) -> Integers:
        return saturated(slabs(self).draw(size, bits))

    @property
    def two_sided(self) -> bool:
        return False
