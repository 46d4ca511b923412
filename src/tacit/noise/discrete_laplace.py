"""Laws with weights e^{−|x|/scale} on the integers: discrete Laplace, geometric and truncated geometric.

The discrete Laplace law (two-sided geometric): P(X = x) ∝ e^{−|x|/scale} on the integers.
The geometric law: P(X = x) = (1 − e^{−1/scale})·e^{−x/scale} on 0, 1, 2, …
The truncated geometric law: a whole number plus discrete Laplace noise, cut to 0 … n (Ghosh et al. 2009).
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from tacit.exact import Number, positive, whole
from tacit.frozen import frozen
from tacit.noise.ball import Ball, ball
from tacit.noise.bits import Bits, Integers
from tacit.noise.grid import saturated
from tacit.noise.law import Law
from tacit.noise.near import Floats, exp_near
from tacit.noise.partition import Shape
from tacit.noise.slabs import AdditiveLaw, slabs


class ExponentialShape(Shape):
    """Weights that fall by the factor e^{−1/scale} at every step."""

    scale: Fraction

    @property
    def width(self) -> float:
        return float(self.scale)

    @property
    def reach(self) -> float:
        return 14.0

    @property
    def margin(self) -> float:
        return 2.0**-40

    def weight(self, magnitude: int) -> Ball:
        return (-ball(magnitude / self.scale)).exp()

    def decay(self, magnitude: int) -> Fraction:
        return 1 / self.scale

    def relative(self, magnitude: Floats, near: Floats) -> Floats:
        return exp_near((magnitude - near) / float(self.scale))


@frozen
class DiscreteLaplace(ExponentialShape, AdditiveLaw):
    """Integer noise with mass tanh(1/2t)·e^{−|x|/t} for any rational scale t > 0."""

    scale: Fraction

    def __init__(self, scale: Number) -> None:
        object.__setattr__(self, "scale", positive(scale, "scale"))

    def mass(self, value: int) -> Ball:
        return (1 / ball(2 * self.scale)).tanh() * self.weight(abs(value))

    def tail(self, value: int) -> Ball:
        """P(X ≥ x) = e^{−x/t} / (1 + e^{−1/t}) for x ≥ 1, and by symmetry below."""
        if value <= 0:
            return 1 - self.tail(1 - value)
        return self.weight(value) / (1 + self.weight(1))


@frozen
class Geometric(ExponentialShape, Law):
    """The number of steps before the first stop; each step continues with probability e^{−1/scale}."""

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


@frozen
class TruncatedGeometricLaw(Law):
    """min(n, max(0, centre + X)) for discrete Laplace X: the mass beyond an end is an atom on it."""

    limit: int
    centre: int
    scale: Fraction

    def __init__(self, limit: int, centre: int, scale: Number) -> None:
        object.__setattr__(self, "limit", whole(limit, "limit"))
        object.__setattr__(self, "centre", min(whole(centre, "centre"), self.limit))
        object.__setattr__(self, "scale", positive(scale, "scale"))

    def mass(self, value: int) -> Ball:
        if 0 < value < self.limit:
            return DiscreteLaplace(self.scale).mass(value - self.centre)
        return self.tail(value) - self.tail(value + 1)

    def tail(self, value: int) -> Ball:
        if value <= 0 or value > self.limit:
            return ball(int(value <= 0))
        return DiscreteLaplace(self.scale).tail(value - self.centre)

    def draw(self, size: int, bits: Bits) -> Integers:
        centres = np.full(size, self.centre, np.int64)
        return np.clip(DiscreteLaplace(self.scale).add(centres, bits), 0, self.limit)
