"""Zero-concentrated privacy: every Rényi divergence at most ρ times its order."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from tacit.errors import Refused
from tacit.exact import Number, nonnegative, probability, whole
from tacit.frozen import frozen
from tacit.loss.families.curve import float_up, tradeoff_from_delta
from tacit.loss.families.loss import Loss, Relation, Stated
from tacit.loss.families.precision import order_above_one, sharp
from tacit.loss.families.rdp import clipped, delta_at, epsilon_at, order_for_delta, order_for_epsilon
from tacit.noise.ball import Ball, ball, up
from tacit.words import shown

FARTHEST = 300.0  # ln of the highest order tried: ρ as small as 10^-260 still finds its best order


@frozen(init=False, repr=False)
class Zcdp(Stated):
    """δ-approximate ρ-zCDP (Bun–Steinke 2016), under the release's own relation.

    Outside an event of probability at most δ in each world, D_α ≤ ρα for every α > 1, both ways round.
    (ε, δ′)-privacy of the rest gives (ε, δ + (1−δ)δ′) for the whole.
    """

    rho: Fraction
    exact_delta: Fraction

    def __init__(self, rho: Number, delta: Number = 0, *, relation: Relation | None = None) -> None:
        object.__setattr__(self, "rho", nonnegative(rho, "rho"))
        object.__setattr__(self, "exact_delta", probability(delta, "delta"))
        self._state(relation)

    def delta(self, epsilon: Number) -> float:
        """The best Rényi conversion over all orders, plus the slack δ, rounded up."""
        target = nonnegative(epsilon, "epsilon")
        return min(1.0, up(sharp(lambda: self._curve(target))))

    def _curve(self, epsilon: Fraction) -> Ball:
        """An upper bound of δ at ε; not cut at 1, so that it is strictly decreasing, as a search needs."""
        slack = ball(self.exact_delta)
        if self.rho == 0 or self.exact_delta == 1:
            return slack
        order = order_for_delta(self._divergence(), epsilon, FARTHEST)
        return slack + (1 - slack) * delta_at(order, ball(self.rho * order), epsilon)

    def _divergence(self) -> Callable[[float], float]:
        rho = clipped(self.rho)
        return lambda excess: rho * (1 + excess)

    def epsilon(self, delta: Number) -> float:
        """The best Rényi conversion over all orders at the δ that the slack leaves, rounded up."""
        target = probability(delta, "delta")
        if target == 1 or (self.rho == 0 and target >= self.exact_delta):
            return 0.0
        if not target > self.exact_delta:
            return math.inf
        left = (target - self.exact_delta) / (1 - self.exact_delta)
        order = order_for_epsilon(self._divergence(), left, FARTHEST)
        return max(0.0, up(sharp(lambda: epsilon_at(order, ball(self.rho * order), left))))

    def tradeoff(self, alpha: Number) -> float:
        """The curve that the (ε, δ(ε)) imply together, rounded down."""
        level = probability(alpha, "alpha")
        return tradeoff_from_delta(self._curve, level)

    def rdp(self, order: Number) -> float:
        """ρα; `inf` with δ > 0, because then everything may be revealed."""
        alpha = order_above_one(order)
        return math.inf if self.exact_delta > 0 else float_up(self.rho * alpha)

    def group(self, people: int) -> Zcdp:
        """k²ρ for k people (Bun–Steinke 2016, by the triangle inequality of Rényi divergence).

        With δ > 0 the events of neighbouring steps need not agree, and nothing is proven: refused.
        """
        size = whole(people, "people", least=1)
        if self.exact_delta > 0 and size > 1:
            raise Refused(
                f"({self}) for {size} people",
                "Group privacy of approximate zCDP is not proven in this form.",
                "`loss.approx(delta).group(people)`, which is; or δ = 0.",
            )
        return Zcdp(size * size * self.rho, self.exact_delta, relation=self.relation)

    def zcdp(self) -> Zcdp:
        return self

    def core(self) -> tuple[Fraction, Loss]:
        return self.exact_delta, Zcdp(self.rho, relation=self.relation)

    def __str__(self) -> str:
        slack = f", δ = {shown(self.exact_delta)}" if self.exact_delta > 0 else ""
        return f"ρ = {shown(self.rho)}{slack}"
