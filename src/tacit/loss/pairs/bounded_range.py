"""Bounded range: what the exponential mechanism costs, by the width of its privacy loss."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from tacit.exact import Number, nonnegative, probability, whole
from tacit.frozen import frozen
from tacit.loss.families.curve import ExactCurve, float_down, float_up
from tacit.loss.families.precision import order_above_one, sharp
from tacit.loss.families.zcdp import Zcdp
from tacit.noise.ball import Ball, ball, down, up
from tacit.words import shown


@frozen(repr=False)
class BoundedRange(ExactCurve):
    """The cost of a release whose privacy loss, for any two neighbours, lies in some interval [t−ε, t].

    Claim, under the neighbour relation that Δ is the score's sensitivity of: the exponential mechanism with P ∝
    exp(εq/2Δ) has it, because scores move by at most ±Δ, so the unnormalised loss lies in [−ε/2, ε/2] and the
    normaliser only shifts it. Any convex function of the loss is then largest on the two-atom pair with
    losses t and t−ε (Dong–Durfee–Rogers 2020), whose first atom has P-mass (1−e^(t−ε))/(1−e^−ε), 0 ≤ t ≤ ε; and
    the reverse of a pair is the pair of ε−t, so both directions are covered. Each answer here is the worst over t.

    That worst t differs from question to question, so there is no single dominating pair, and products of this
    δ(ε) mean nothing: compose by `zcdp_rho` = ε²/8 (Cesar–Rogers 2021), by `rdp`, or as pure ε.
    """

    width: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "width", nonnegative(self.width, "epsilon"))

    @property
    def pure_epsilon(self) -> Fraction:
        """The loss itself is at most ε, because 0 lies in its interval."""
        return self.width

    @property
    def zcdp_rho(self) -> Fraction:
        """ρ = ε²/8, by Hoeffding's lemma on a loss of range ε."""
        return self.width**2 / 8

    def delta_ball(self, epsilon: Fraction) -> Ball:
        """(1−e^(−(ε−ε′)/2))²/(1−e^−ε) at ε′: the mass of the atom times 1−e^(ε′−t), largest at t = (ε+ε′)/2."""
        if epsilon >= self.width:
            return arb(0)
        return ball((epsilon - self.width) / 2).expm1() ** 2 / -ball(-self.width).expm1()

    def epsilon(self, delta: Number) -> float:
        allowed = probability(delta, "delta")
        if allowed in (0, 1):
            return float_up(self.width * (1 - allowed))

        def inverse() -> Ball:
            gone = (-ball(-self.width).expm1() * ball(allowed)).sqrt()
            return ball(self.width) + 2 * (-gone).log1p()

        return max(0.0, up(sharp(inverse)))

    def tradeoff(self, alpha: Number) -> float:
        """(1−α)/(1+α(e^ε−1)): a convex curve through the corners of all the two-atom pairs, hence their infimum."""
        at = probability(alpha, "alpha")
        if at in (0, 1) or self.width == 0:
            return float_down(1 - at)
        return down(sharp(lambda: ball(1 - at) / (1 + ball(at) * ball(self.width).expm1())))

    def rdp_ball(self, order: Fraction) -> Ball:
        """The worst two-atom pair's.

        With u = e^t, E[e^((α−1)L)] = (A·u^(α−1) − B·u^α)/(e^ε−1), A = e^ε−e^((1−α)ε) and B = 1−e^((1−α)ε). It is 1 at
        both ends of 1 ≤ u ≤ e^ε and has one hump between them, at u = (α−1)A/αB.
        """
        above, rest = ball(order - 1), ball((1 - order) * self.width)
        a, b = ball(self.width).exp() - rest.exp(), -rest.expm1()
        worst = above * a / (ball(order) * b)
        return worst.log() + (a / ball(order) / ball(self.width).expm1()).log() / above

    def rdp(self, order: Number) -> float:
        at = order_above_one(order)
        if self.width == 0:
            return 0.0
        return min(float_up(at * self.zcdp_rho), up(sharp(lambda: self.rdp_ball(at))))

    def zcdp(self) -> Zcdp:
        return Zcdp(self.zcdp_rho)

    def group(self, people: int) -> BoundedRange:
        """Along a chain of k neighbours the losses add, and so do the widths of their intervals."""
        return BoundedRange(self.width * whole(people, "people", 1))

    def __str__(self) -> str:
        return f"bounded range, ε = {shown(self.width)}"
