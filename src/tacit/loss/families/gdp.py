"""Gaussian privacy: two neighbours are no easier to distinguish than N(0, 1) and N(μ, 1).

The standard normal law is certified, as Arb balls at the current precision: Φ(x) = erfc(−x/√2)/2, so
Φ⁻¹(p) = −√2·erfc⁻¹(2p). For p near 1 use the symmetry Φ⁻¹(p) = −Φ⁻¹(1−p) with 1−p exact.
"""

from __future__ import annotations

import math
from fractions import Fraction

from tacit.exact import Number, nonnegative, probability, whole
from tacit.frozen import frozen
from tacit.loss.families.curve import ExactCurve, epsilon_from_delta, float_up
from tacit.loss.families.loss import Relation, Stated
from tacit.loss.families.precision import order_above_one, sharp
from tacit.loss.families.zcdp import Zcdp
from tacit.noise.ball import Ball, ball, down, up


@frozen(init=False, repr=False)
class Gdp(Stated, ExactCurve):
    """μ-Gaussian privacy, given and kept as μ², which is what adds up; under the release's own relation.

    `Gdp(4)` is μ = 2, as is `Gdp.from_mu(2)`.

    It is the dominating pair N(0, 1) against N(μ, 1) of a Gaussian mechanism with noise σ on a query of
    ℓ₂ sensitivity Δ, μ = Δ/σ, and of anything computed from its answer, rounding included: by rotation
    only the component along the difference tells the worlds apart. It is *not* a bound for the discrete
    Gaussian. The pair is symmetric, so one direction suffices.
    """

    mu_squared: Fraction

    def __init__(self, mu_squared: Number, *, relation: Relation | None = None) -> None:
        object.__setattr__(self, "mu_squared", nonnegative(mu_squared, "mu_squared"))
        self._state(relation)

    @classmethod
    def from_mu(cls, mu: Number) -> Gdp:
        """The loss with a given μ = Δ/σ."""
        return cls(nonnegative(mu, "mu") ** 2)

    def delta_ball(self, epsilon: Fraction) -> Ball:
        """Exactly δ(ε) = Φ(μ/2−ε/μ) − e^ε Φ(−μ/2−ε/μ) (Balle–Wang 2018), for any ε."""
        if self.mu_squared == 0:
            return ball(0)
        mu = ball(self.mu_squared).sqrt()
        centre, shift = ball(epsilon) / mu, mu / 2
        value = cumulative(shift - centre) - ball(epsilon).exp() * cumulative(-shift - centre)
        if value.rel_accuracy_bits() > 0 or not centre > shift:
            return value
        return (-((centre - shift) ** 2) / 2).exp().union(ball(0))  # e^ε would overflow: δ ≤ Φ(−x) ≤ e^{−x²/2}

    def epsilon(self, delta: Number) -> float:
        """The inverse of the exact curve, by certified bisection, rounded up; `inf` at δ = 0 unless μ = 0."""
        target = probability(delta, "delta")
        if target == 1 or self.mu_squared == 0:
            return 0.0
        if target == 0:
            return math.inf
        enough = self.zcdp().epsilon(target)
        return epsilon_from_delta(self.delta_ball, target, Fraction(enough)) if enough < math.inf else math.inf

    def tradeoff(self, alpha: Number) -> float:
        """Exactly Φ(Φ⁻¹(1−α)−μ), rounded down."""
        level = probability(alpha, "alpha")
        if level in (0, 1):
            return float(1 - level)
        value = sharp(lambda: cumulative(-quantile(ball(level)) - ball(self.mu_squared).sqrt()))
        return max(0.0, down(value))

    def rdp_ball(self, order: Fraction) -> Ball:
        """Exactly αμ²/2."""
        return ball(order * self.mu_squared / 2)

    def rdp(self, order: Number) -> float:
        return float_up(order_above_one(order) * self.mu_squared / 2)

    def group(self, people: int) -> Gdp:
        """kμ for k people: k shifts by μ are one shift by kμ (Dong–Roth–Su 2022)."""
        return Gdp(whole(people, "people", least=1) ** 2 * self.mu_squared, relation=self.relation)

    def zcdp(self) -> Zcdp:
        """ρ = μ²/2: the Rényi divergences of the pair are exactly ρα."""
        return Zcdp(self.mu_squared / 2, relation=self.relation)

    def gdp(self) -> Gdp:
        return self

    def __str__(self) -> str:
        return f"μ = {up(sharp(lambda: ball(self.mu_squared).sqrt())):g}"


def cumulative(x: Ball) -> Ball:
    """Φ(x): the probability that a standard normal is at most x."""
    return (-x / ball(2).sqrt()).erfc() / 2


def quantile(p: Ball) -> Ball:
    """Φ⁻¹(p), for p strictly between 0 and 1 (NaN if the ball reaches beyond)."""
    return -ball(2).sqrt() * (2 * p).erfcinv()
