"""The discrete Gaussian law: P(X = x) ∝ e^{−x²/2σ²} on the integers (Canonne, Kamath and Steinke 2020)."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

from tacit.exact import Number, positive
from tacit.frozen import frozen
from tacit.noise import discrete_gaussian_sums as sums
from tacit.noise.additive import AdditiveLaw
from tacit.noise.ball import Ball, ball
from tacit.noise.near import Floats, exp_near


@frozen
class DiscreteGaussian(AdditiveLaw):
    """Integer noise with mass ∝ e^{−x²/2σ²} for any rational σ² > 0 (its variance is slightly less than σ²)."""

    sigma_squared: Fraction

    def __init__(self, sigma_squared: Number) -> None:
        object.__setattr__(self, "sigma_squared", positive(sigma_squared, "sigma_squared"))

    def mass(self, value: int) -> Ball:
        return self.weight(abs(value)) / sums.total(self.sigma_squared)

    def tail(self, value: int) -> Ball:
        return sums.tail(self.sigma_squared, value) / sums.total(self.sigma_squared)

    @property
    def width(self) -> float:
        return sqrt(self.sigma_squared)

    @property
    def reach(self) -> float:
        return 6.5

    @property
    def margin(self) -> float:
        return 2.0**-40

    def weight(self, magnitude: int) -> Ball:
        return (-ball(magnitude**2 / (2 * self.sigma_squared))).exp()

    def decay(self, magnitude: int) -> Fraction:
        """From x to x+1 the weight falls by e^{−(2x+1)/2σ²}."""
        return (2 * magnitude + 1) / (2 * self.sigma_squared)

    def relative(self, magnitude: Floats, near: Floats) -> Floats:
        return exp_near((magnitude - near) * (magnitude + near) / (2 * float(self.sigma_squared)))
