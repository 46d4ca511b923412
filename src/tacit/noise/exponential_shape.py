"""The shape e^{−|x|/scale}, shared by the discrete Laplace and the geometric law."""

from __future__ import annotations

from fractions import Fraction

from tacit.noise.ball import Ball, ball
from tacit.noise.near import Floats, exp_near
from tacit.noise.shape import Shape


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
