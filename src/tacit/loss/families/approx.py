"""(ε, δ)-privacy and its pure case, δ = 0; and the largest privacy loss of any release, exactly where it is known."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Protocol, runtime_checkable

from tacit.errors import Refused
from tacit.exact import Number, nonnegative, probability, whole
from tacit.frozen import frozen
from tacit.loss.families.curve import ExactCurve, float_down, float_up
from tacit.loss.families.gdp import Gdp, quantile
from tacit.loss.families.loss import Loss, Relation, Stated
from tacit.loss.families.precision import order_above_one, sharp
from tacit.loss.families.zcdp import Zcdp
from tacit.noise.ball import Ball, ball, down, fraction_up, up
from tacit.words import shown


@frozen(init=False, repr=False)
class Approx(Stated, ExactCurve):
    """(ε, δ)-privacy: P(S) ≤ e^ε Q(S) + δ for every event S, both ways round, under the release's own relation.

    The worst such release reveals everything with probability δ and is otherwise a coin that tells the
    truth with odds e^ε; every other one is a post-processing of it (Kairouz–Oh–Viswanath 2015). So every
    answer below is that release's own, and no better answer follows from (ε, δ) alone.
    """

    exact_epsilon: Fraction
    exact_delta: Fraction

    def __init__(self, epsilon: Number, delta: Number, *, relation: Relation | None = None) -> None:
        object.__setattr__(self, "exact_epsilon", nonnegative(epsilon, "epsilon"))
        object.__setattr__(self, "exact_delta", probability(delta, "delta"))
        self._state(relation)

    def delta(self, epsilon: Number) -> float:
        """δ + (1−δ)(e^ε − e^t)₊/(1+e^ε) at t, rounded up."""
        target = nonnegative(epsilon, "epsilon")
        if target >= self.exact_epsilon:
            return float_up(self.exact_delta)
        return self.delta_between(target)[1]

    def delta_ball(self, epsilon: Fraction) -> Ball:
        """The exact δ at ε of the worst release, at Arb's working precision."""
        own, slack = ball(self.exact_epsilon), ball(self.exact_delta)
        if epsilon >= self.exact_epsilon:
            return slack
        gain = -ball(epsilon - self.exact_epsilon).expm1() / (1 + (-own).exp())  # both sides divided by e^ε
        return slack + (1 - slack) * gain

    def epsilon(self, delta: Number) -> float:
        """The inverse of `delta`: e^t = e^ε − (1+e^ε)(d−δ)/(1−δ), rounded up; `inf` for d < δ."""
        target = probability(delta, "delta")
        if self.delta(0) <= target:
            return 0.0
        if target < self.exact_delta:
            return math.inf
        share = (target - self.exact_delta) / (1 - self.exact_delta)

        def inverse() -> Ball:
            own = ball(self.exact_epsilon)
            return own + (-ball(share) * (1 + (-own).exp())).log1p()

        value = up(sharp(inverse))
        return max(0.0, min(value, float_up(self.exact_epsilon)))

    def tradeoff(self, alpha: Number) -> float:
        """max(0, 1−δ−e^ε α, e^−ε(1−δ−α)), rounded down."""
        level = probability(alpha, "alpha")
        left = 1 - self.exact_delta
        if level == 0:
            return float_down(left)
        steep = sharp(lambda: ball(left) - ball(self.exact_epsilon).exp() * ball(level))
        shallow = sharp(lambda: (-ball(self.exact_epsilon)).exp() * ball(left - level))
        return max(0.0, down(steep), down(shallow))

    def rdp(self, order: Number) -> float:
        """For δ = 0 the Rényi divergence of the coin: ln(cosh((α−½)ε)/cosh(ε/2))/(α−1); for δ > 0 `inf`.

        With δ > 0 the worst release may reveal everything, and no order is finite: `core` sets δ apart.
        """
        alpha = order_above_one(order)
        if self.exact_delta > 0:
            return math.inf

        def divergence() -> Ball:
            half, lean = ball(self.exact_epsilon) / 2, (2 * ball(alpha) - 1) * ball(self.exact_epsilon) / 2
            folded = (-2 * lean).exp().log1p() - (-2 * half).exp().log1p()  # ln cosh x = x + ln(1+e^−2x) − ln 2
            return (lean - half + folded) / ball(alpha - 1)

        return max(0.0, min(up(sharp(divergence)), float_up(self.exact_epsilon)))

    def group(self, people: int) -> Approx:
        """(kε, δ(e^{kε}−1)/(e^ε−1)) for k people: chain P₀ ≤ e^ε P₁ + δ ≤ … and add the geometric series."""
        size = whole(people, "people", least=1)
        if self.exact_delta == 0 or size == 1:
            return Approx(size * self.exact_epsilon, self.exact_delta, relation=self.relation)
        if self.exact_epsilon == 0:
            return Approx(0, min(Fraction(1), size * self.exact_delta), relation=self.relation)

        def series() -> Ball:
            own = ball(self.exact_epsilon)
            return ball(self.exact_delta) * (own * size).expm1() / own.expm1()

        total = sharp(series)
        spread = fraction_up(total) if total < 1 else Fraction(1)
        return Approx(size * self.exact_epsilon, min(Fraction(1), spread), relation=self.relation)

    def approx(self, delta: Number) -> Approx:
        if probability(delta, "delta") == self.exact_delta:
            return self
        return super().approx(delta)

    def zcdp(self) -> Zcdp:
        """δ-approximate ρ-zCDP with ρ = ε·tanh(ε/2), rounded up: the least ρ that holds, below the usual ε²/2.

        For the coin, (α−1)D_α = ln cosh(tε) − ln cosh(ε/2) with t = α−½. As a function of s = t² this is
        concave (its slope is ε·tanh(√s·ε)/(2√s), and tanh(x)/x falls), so it lies below its tangent at
        s = ¼, which is ε·tanh(ε/2)·(s−¼) = ρ·α(α−1). The tangent touches as α → 1, so no smaller ρ is valid.
        """
        rho = sharp(lambda: ball(self.exact_epsilon) * (ball(self.exact_epsilon) / 2).tanh())
        return Zcdp(fraction_up(rho), self.exact_delta, relation=self.relation)

    def gdp(self) -> Gdp:
        """For δ = 0, μ = 2Φ⁻¹(e^ε/(1+e^ε)) rounded up; refused for δ > 0, which no μ bounds.

        The coin's trade-off curve is two straight lines that meet at α = 1/(1+e^ε). The Gaussian curve is
        convex with the same ends and passes through that corner, so it lies below both lines.
        """
        if self.exact_delta > 0:
            raise Refused(
                f"({self}) as Gaussian privacy",
                "With δ > 0 everything may be revealed, which no μ bounds.",
                "δ = 0, or `core()`, which sets δ apart.",
            )
        if self.exact_epsilon == 0:
            return Gdp(0, relation=self.relation)

        def corner() -> Ball:
            tail = (-ball(self.exact_epsilon)).exp()
            return (2 * quantile(tail / (1 + tail))) ** 2

        squared = sharp(corner)
        if not squared.is_finite():
            raise Refused(f"({self}) as Gaussian privacy", "ε is too large for any useful μ.", "ε ≤ 10^15.")
        return Gdp(fraction_up(squared), relation=self.relation)

    def core(self) -> tuple[Fraction, Loss]:
        return self.exact_delta, Pure(self.exact_epsilon, relation=self.relation)

    def __str__(self) -> str:
        return f"ε = {shown(self.exact_epsilon)}, δ = {shown(self.exact_delta)}"


@frozen(init=False, repr=False)
class Pure(Approx):
    """Pure ε-privacy: P(S) ≤ e^ε Q(S) for every event S, both ways round; the (ε, 0) case of `Approx`."""

    def __init__(self, epsilon: Number, *, relation: Relation | None = None) -> None:
        super().__init__(epsilon, 0, relation=relation)

    def group(self, people: int) -> Pure:
        """kε for k people: the ratios of k neighbouring steps multiply."""
        return Pure(whole(people, "people", least=1) * self.exact_epsilon, relation=self.relation)

    def core(self) -> tuple[Fraction, Loss]:
        return Fraction(0), self

    def __str__(self) -> str:
        return f"ε = {shown(self.exact_epsilon)}"


@runtime_checkable
class Bounded(Protocol):
    """A loss that states its largest privacy loss as a fraction, or None where it is unbounded."""

    @property
    def pure_epsilon(self) -> Fraction | None: ...


def pure_epsilon_of(loss: Loss) -> Fraction | None:
    """The least pure ε known for a loss; None where there is none.

    A family that knows it as a fraction is asked for that: `epsilon(0)` is a float, and the sum of ten such floats for
    1/10, each rounded up, would exceed 1.
    """
    if isinstance(loss, Approx):
        return None if loss.exact_delta else loss.exact_epsilon
    if isinstance(loss, Bounded):
        return loss.pure_epsilon
    most = loss.epsilon(0)
    return Fraction(most) if most < math.inf else None
