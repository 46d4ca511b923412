"""The discrete Laplace law (two-sided geometric): P(X = x) ∝ e^{−|x|/scale} on the integers."""

from __future__ import annotations

from fractions import Fraction

from tacit.exact import Number, positive
from tacit.frozen import frozen
from tacit.noise.additive import AdditiveLaw
from tacit.noise.ball import Ball, ball
from tacit.noise.exponential_shape import ExponentialShape


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
