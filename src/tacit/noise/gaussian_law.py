"""Gaussian laws on the integers: the rounded and the discrete one.

The rounded Gaussian is the nearest integer to a real N(0, σ²) variable. Adding it to an integer is the same as adding
N(0, σ²) and rounding, so every claim about the real Gaussian mechanism holds for it as written, by post-processing.
The discrete Gaussian: P(X = x) ∝ e^{−x²/2σ²} on the integers (Canonne, Kamath and Steinke 2020).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import floor, isqrt, sqrt

from flint import arb

from tacit.exact import Number, positive
from tacit.frozen import frozen
from tacit.noise import discrete_gaussian_sums as sums
from tacit.noise.ball import Ball, ball, between
from tacit.noise.near import Floats, exp_near
from tacit.noise.slabs import AdditiveLaw

_REST = Fraction(13, 5)  # divided by σ⁴: the relative error of the expansion in `relative`
_EXPANDED = 2**48  # the variance from which that is less than 2^-94


@frozen
class RoundedGaussian(AdditiveLaw):
    """Integer noise round(N(0, σ²)) for any rational variance σ² > 0."""

    variance: Fraction

    def __init__(self, variance: Number) -> None:
        object.__setattr__(self, "variance", positive(variance, "variance"))

    def mass(self, value: int) -> Ball:
        return self.weight(abs(value))

    def tail(self, value: int) -> Ball:
        """P(X ≥ x) = P(N(0, σ²) ≥ x − ½)."""
        return (ball(Fraction(2 * value - 1, 2)) / (2 * ball(self.variance)).sqrt()).erfc() / 2

    @property
    def mean_square_up(self) -> Fraction:
        """E X² ≤ σ² + 1/12, for every σ.

        With z − round(z) = Σ_m (−1)^{m+1} sin(2πmz)/(πm) and its square 1/12 + Σ_m (−1)^m cos(2πmz)/(πm)², E X² is
        σ² + 1/12 − Σ_m (−1)^{m+1} (4σ² + 1/(πm)²)·e^{−2π²m²σ²}: an alternating series of falling terms.
        """
        return self.variance + Fraction(1, 12)

    @property
    def width(self) -> float:
        return sqrt(self.variance)

    @property
    def reach(self) -> float:
        return 6.5

    @property
    def margin(self) -> float:
        """Two weights of a bin, each within 2.6/σ⁴ of its expansion (see `relative`), and round-off."""
        return 6 / float(self.variance) ** 2 + 2.0**-40

    def weight(self, magnitude: int) -> Ball:
        return self.tail(magnitude) - self.tail(magnitude + 1)

    def weight_near(self) -> Callable[[int], Ball]:
        """The density at the centre, corrected as in `relative`, and a bound of its error: one exponential each.

        Used up to 8σ where the error leaves 90 bits or more for the tables; otherwise the exact weight.
        """
        if not self.variance >= _EXPANDED:
            return self.weight
        variance, farthest = ball(self.variance), isqrt(64 * floor(self.variance))
        rest, height = ball(_REST) / variance**2, 1 / (2 * arb.pi() * variance).sqrt()
        level, slope = 1 - 1 / (24 * variance) + between(-rest, rest), 1 / (24 * variance)

        def near(magnitude: int) -> Ball:
            if not magnitude <= farthest:
                return self.weight(magnitude)
            squares = ball(magnitude) ** 2 / variance
            return (-squares / 2).exp() * height * (level + slope * squares)

        return near

    def decay(self, magnitude: int) -> Fraction:
        """The density falls by e^{−(2y+1)/2σ²} from y to y+1, and y ≥ x − ½ over the interval of x."""
        return magnitude / self.variance

    def relative(self, magnitude: Floats, near: Floats) -> Floats:
        """The ratio of the densities at the two centres, each corrected for its curvature.

        The mean of cosh(pu)·e^{−su²} over |u| ≤ ½, with p = x/σ² and s = 1/2σ², is
        1 + (p²/2 − s)/12 up to (p⁴/24 + p²s/2 + s²/2)/80 · 1.1, which is at most 2.6/σ⁴ for |x| ≤ 8σ and σ ≥ 32.
        """
        variance = float(self.variance)
        density = exp_near((magnitude - near) * (magnitude + near) / (2 * variance))
        corrected = 24 * variance + magnitude**2 / variance - 1
        reference = 24 * variance + near**2 / variance - 1
        return density * (corrected / reference)


@frozen
class DiscreteGaussianLaw(AdditiveLaw):
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
