"""The discrete Gaussian pair: integer noise with Gaussian weights against itself, some whole steps away."""

from __future__ import annotations

import math
from fractions import Fraction

from tacit.exact import Number, positive, whole
from tacit.frozen import frozen
from tacit.loss.curve import float_up
from tacit.loss.families.zcdp import Zcdp
from tacit.loss.pairs.pair import Pair
from tacit.loss.sharp import order_above_one, shown
from tacit.noise.ball import Ball, ball
from tacit.noise.discrete_gaussian_sums import tail, total


@frozen(repr=False)
class DiscreteGaussianPair(Pair):
    """What integer noise with mass ∝ e^(−x²/2σ²) costs when neighbours' integers differ by at most `shift` steps.

    Claim, under the neighbour relation that `shift` is the sensitivity of (in grid steps): one integer's
    release is dominated by the noise at 0 against the noise at `shift`; the noise is log-concave, so this is the
    argument of pair.py. It holds for a vector only if `shift` is its ℓ₁ sensitivity: for ℓ₂ claim
    ρ = Δ₂²/2σ² instead. The two directions coincide, because x ↦ shift−x swaps the laws. The loss exceeds ε
    beyond one threshold, so δ(ε) = P(X ≥ m) − e^ε P(X ≥ m+shift) with m = ⌊εσ²/shift − shift/2⌋+1.
    This can be twice the continuous Gaussian's δ at μ = shift/σ: never price this noise as GDP.
    """

    variance: Fraction
    shift: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "variance", positive(self.variance, "variance"))
        object.__setattr__(self, "shift", whole(self.shift, "shift", 1))

    @property
    def pure_epsilon(self) -> None:
        """The loss grows without bound along the tail."""
        return

    @property
    def zcdp_rho(self) -> Fraction:
        """ρ = shift²/2σ² (Canonne–Kamath–Steinke 2020)."""
        return Fraction(self.shift**2) / (2 * self.variance)

    def delta_ball(self, epsilon: Fraction) -> Ball:
        first = math.floor(epsilon * self.variance / self.shift - Fraction(self.shift, 2)) + 1
        beyond = tail(self.variance, first) - ball(epsilon).exp() * tail(self.variance, first + self.shift)
        return beyond / total(self.variance)

    def rdp_ball(self, order: Fraction) -> Ball:
        """α·ρ + ln(θ(α·shift)/θ(0))/(α−1), where θ(c) = Σ_k e^(−(k−c)²/2σ²).

        Complete the square in p^α q^(1−α). θ(c) is largest at the integers (Poisson summation has positive
        coefficients), so the second term is never positive and vanishes where α·shift is whole.
        """
        bound = ball(order * self.zcdp_rho)
        centre = order * self.shift % 1
        if centre == 0:
            return bound
        return bound + (total(self.variance, centre) / total(self.variance)).log() / ball(order - 1)

    def rdp(self, order: Number) -> float:
        return min(float_up(order_above_one(order) * self.zcdp_rho), super().rdp(order))

    def zcdp(self) -> Zcdp:
        return Zcdp(self.zcdp_rho)

    def group(self, people: int) -> DiscreteGaussianPair:
        """k people move the integer by at most k·shift steps: the same family."""
        return DiscreteGaussianPair(self.variance, self.shift * whole(people, "people", 1))

    def __str__(self) -> str:
        return f"discrete Gaussian noise, σ² = {shown(self.variance)}, shift = {self.shift}"
