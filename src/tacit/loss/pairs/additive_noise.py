"""The dominating pairs of additive noise: Laplace, discrete Laplace, discrete Gaussian and Cauchy.

Each of the first three is a noise against itself, shifted by the sensitivity (integer noise by whole steps). The Cauchy
pair is bounded by the hyperbolic distance of location and scale.
"""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb

from tacit.exact import Number, nonnegative, positive, probability, whole
from tacit.frozen import frozen
from tacit.loss.families.curve import float_up
from tacit.loss.families.precision import order_above_one, sharp
from tacit.loss.families.zcdp import Zcdp
from tacit.loss.pairs.pair import Pair
from tacit.noise.ball import Ball, ball, down, less, up
from tacit.noise.discrete_gaussian_sums import tail, total
from tacit.words import shown


@frozen(repr=False)
class LaplacePair(Pair):
    """What real Laplace noise of scale b costs when neighbours' answers differ by at most Δ₁ in ℓ₁; ratio r = Δ₁/b.

    Claim, under the neighbour relation that Δ₁ is the sensitivity of: the release, scalar or vector, is
    dominated by Lap(0, 1) against Lap(r, 1). Laplace noise is log-concave, so this is the argument of pair.py.
    The two directions coincide, because x ↦ r−x swaps the two laws. For ε < r the loss exceeds ε exactly
    where x < (r−ε)/2, which gives δ(ε) = 1−e^((ε−r)/2).
    Integer noise is not this pair: price it by `DiscreteLaplacePair`.
    """

    ratio: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "ratio", nonnegative(self.ratio, "ratio"))

    @property
    def pure_epsilon(self) -> Fraction:
        return self.ratio

    def delta_ball(self, epsilon: Fraction) -> Ball:
        return -ball((epsilon - self.ratio) / 2).expm1() if epsilon < self.ratio else arb(0)

    def epsilon(self, delta: Number) -> float:
        allowed = probability(delta, "delta")
        if allowed in (0, 1):
            return float_up(self.ratio * (1 - allowed))
        return max(0.0, up(sharp(lambda: ball(self.ratio) + 2 * ball(-allowed).log1p())))

    def tradeoff(self, alpha: Number) -> float:
        """1−e^r α up to e^−r/2, then e^−r/(4α) up to 1/2, then e^−r(1−α): T_r of pair.py, written out."""
        at = probability(alpha, "alpha")
        ratio = self.ratio
        if 2 * at > 1:
            return down(sharp(lambda: ball(-ratio).exp() * ball(1 - at)))
        if less(lambda: ball(2 * at), lambda: ball(-ratio).exp()):
            return max(0.0, down(sharp(lambda: 1 - ball(ratio).exp() * ball(at))))
        return down(sharp(lambda: ball(-ratio).exp() / ball(4 * at)))

    def rdp_ball(self, order: Fraction) -> Ball:
        """Mironov 2017: the integral of p^α q^(1−α), in closed form on each side of the two peaks."""
        a, r = order, self.ratio
        rise, fall = ball((a - 1) * r).exp(), ball(-a * r).exp()
        return (ball(a / (2 * a - 1)) * rise + ball((a - 1) / (2 * a - 1)) * fall).log() / ball(a - 1)

    def group(self, people: int) -> LaplacePair:
        """k people move the answer by at most kΔ₁: the same family, k times the ratio."""
        return LaplacePair(self.ratio * whole(people, "people", 1))

    def __str__(self) -> str:
        return f"Laplace noise, sensitivity/scale = {shown(self.ratio)}"


@frozen(repr=False)
class DiscreteLaplacePair(Pair):
    """What integer noise with mass ∝ e^(−rate·|x|) costs when neighbours' integers differ by ≤ `shift` steps in ℓ₁.

    Claim, under the neighbour relation that `shift` is the ℓ₁ sensitivity of (in grid steps): the
    release, scalar or vector, is dominated by the noise at 0 against the noise at `shift`; the noise is
    log-concave, so this is the argument of pair.py. The two directions coincide, because x ↦ shift−x swaps the
    laws. The loss at x is rate·(|x−shift|−|x|), which falls from rate·shift to −rate·shift in steps of 2·rate, so that
    δ(ε) = P(X ≤ m) − e^ε P(X ≤ m−shift) for the last m at which the loss still exceeds ε.
    """

    rate: Fraction
    shift: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", positive(self.rate, "rate"))
        object.__setattr__(self, "shift", whole(self.shift, "shift", 1))

    @property
    def pure_epsilon(self) -> Fraction:
        return self.rate * self.shift

    def delta_ball(self, epsilon: Fraction) -> Ball:
        if epsilon >= self.pure_epsilon:
            return arb(0)
        last = math.ceil((self.shift - epsilon / self.rate) / 2) - 1  # 0 ≤ last < shift
        above = ball(-self.rate * (last + 1)).exp()
        below = ball(epsilon - self.rate * (self.shift - last)).exp()
        return 1 - (above + below) / (1 + ball(-self.rate).exp())

    def rdp_ball(self, order: Fraction) -> Ball:
        """Σ p^α q^(1−α), a geometric sum on each of x ≤ 0, 0 < x < shift and x ≥ shift."""
        a, r, s = order, self.rate, self.shift
        t = ball(-r).exp()
        high, low = ball((a - 1) * r * s).exp(), ball(-a * r * s).exp()
        ratio = ball(-(2 * a - 1) * r)
        between_peaks = ratio.exp() * (ratio * (s - 1)).expm1() / ratio.expm1()
        peaks_and_beyond = (high + low) / (1 + t)
        return (peaks_and_beyond + (1 - t) / (1 + t) * high * between_peaks).log() / ball(a - 1)

    def group(self, people: int) -> DiscreteLaplacePair:
        """k people move the integers by at most k·shift steps: the same family."""
        return DiscreteLaplacePair(self.rate, self.shift * whole(people, "people", 1))

    def __str__(self) -> str:
        return f"discrete Laplace noise, rate = {shown(self.rate)}, shift = {self.shift}"


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


@frozen(repr=False)
class CauchyPair(Pair):
    """The loss of two Cauchy laws, of locations f, f′ and scales s, s′, at hyperbolic distance ≤ ε.

    The distance d is given by cosh d = 1 + ((f−f′)² + (s−s′)²)/2ss′. Claim: adding Cauchy noise costs this much if
    neighbours' (f, s) are at most ε apart; in particular it is ε-private with δ = 0. Proof: the densities are s/π over
    the quadratic form (y−f)² + s², whose matrix, divided by s, has determinant 1. So the largest and the least ratio of
    two densities are the eigenvalues of a matrix of determinant 1 and trace ((f−f′)² + s² + s′²)/ss′ = 2·cosh d: they
    are e^d and e^−d. Möbius maps of the line carry Cauchy laws to Cauchy laws and keep d, so every pair at distance d
    is equivalent to scales 1 and e^d at one location; and adding Cauchy noise of scale t to both of those brings them
    to any smaller distance, so smaller ones are dominated. The two directions coincide, because y ↦ e^d/y swaps the
    laws.
    """

    distance: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "distance", positive(self.distance, "epsilon"))

    @property
    def pure_epsilon(self) -> Fraction:
        return self.distance

    def delta_ball(self, epsilon: Fraction) -> Ball:
        """(2/π)(atan c − e^t·atan(c/u)) at t, with u = e^ε: the narrow law has ratio > e^t on |y| < c."""
        if epsilon >= self.distance:
            return arb(0)
        u, t = ball(self.distance).exp(), ball(epsilon).exp()
        c = (-u * ball(epsilon - self.distance).expm1() / (t - 1 / u)).sqrt()
        return 2 / arb.pi() * (c.atan() - t * (c / u).atan())

    def rdp_ball(self, order: Fraction) -> Ball:
        """ln P_{α−1}(cosh ε)/(α−1), a Legendre function, by Laplace's integral ∫(cosh ε + sinh ε·cos θ)^{α−1}dθ/2π."""
        return ball(self.distance).cosh().legendre_p(ball(order - 1)).log() / ball(order - 1)

    def group(self, people: int) -> CauchyPair:
        """Hyperbolic distance obeys the triangle inequality: kε for k people, in the same family."""
        return CauchyPair(self.distance * whole(people, "people", 1))

    def __str__(self) -> str:
        return f"Cauchy noise, ε = {shown(self.distance)}"
