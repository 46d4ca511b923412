"""Rényi privacy at finitely many orders, and the conversion of a Rényi divergence to (ε, δ).

If D_α(P‖Q) ≤ r both ways round, then for every ε ≥ 0 the release is (ε, δ)-private with
  δ = e^{(α−1)(r−ε)} (1−1/α)^α / (α−1),
because (1−e^{ε−L})₊ ≤ e^{(α−1)(L−ε)}·max_x x^{α−1}(1−x) pointwise, and that maximum is (1−1/α)^{α−1}/α
(Canonne–Kamath–Steinke 2020; Balle et al. 2020). Every order gives a true bound, so the search for the best order runs
in floats; only the value at the chosen order is certified.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import partial, reduce

from tacit.errors import Refused
from tacit.exact import Number, nonnegative, probability, whole
from tacit.frozen import frozen
from tacit.loss.families.curve import float_down, float_up, tradeoff_from_delta
from tacit.loss.families.loss import Relation, Stated, in_pairs
from tacit.loss.families.precision import order_above_one, sharp
from tacit.noise.ball import Ball, ball, up
from tacit.words import shown


@frozen(init=False, repr=False)
class Rdp(Stated):
    """Rényi privacy (Mironov 2017): D_α ≤ r at each listed order α, both ways round, under the release's own relation.

    D_α grows with α, so each value is taken down to the least listed at a higher order. Between listed
    orders (α−1)·D_α is convex, so the straight line between two points bounds it; below the first order
    D_α is at most the first value; above the last nothing is known.
    """

    points: tuple[tuple[Fraction, Fraction], ...]

    def __init__(
        self,
        points: Mapping[Number, Number] | Iterable[tuple[Number, Number]],
        *,
        relation: Relation | None = None,
    ) -> None:
        pairs = points.items() if isinstance(points, Mapping) else points
        least: dict[Fraction, Fraction] = {}
        for order, value in in_pairs(pairs, "(order, divergence) pairs."):
            alpha, bound = order_above_one(order), nonnegative(value, "divergence")
            least[alpha] = min(bound, least.get(alpha, bound))
        if not least:
            raise Refused("Rényi privacy at no order", "Without an order it bounds nothing.", "at least one order.")
        bound, points = max(least.values()), []
        for order in sorted(least, reverse=True):
            bound = min(bound, least[order])
            points.append((order, bound))
        object.__setattr__(self, "points", tuple(reversed(points)))
        self._state(relation)

    @property
    def orders(self) -> tuple[Fraction, ...]:
        """The listed orders, ascending."""
        return tuple(order for order, _ in self.points)

    def bound(self, order: Number) -> Fraction | None:
        """The exact bound on the divergence at an order; None above the last listed one."""
        alpha = order_above_one(order)
        if alpha > self.points[-1][0]:
            return None
        before = (Fraction(1), Fraction(0))
        for listed, value in self.points:
            if alpha <= listed:
                below, above = (before[0] - 1) * before[1], (listed - 1) * value
                weight = (alpha - before[0]) / (listed - before[0])
                return (below + weight * (above - below)) / (alpha - 1)
            before = (listed, value)
        raise AssertionError("unreachable: the last order was compared first")

    def rdp(self, order: Number) -> float:
        """The bound at this order, rounded up; `inf` above the last listed order."""
        bound = self.bound(order)
        return math.inf if bound is None else float_up(bound)

    def delta(self, epsilon: Number) -> float:
        """The least that any listed order permits, rounded up."""
        target = nonnegative(epsilon, "epsilon")
        if self._is_costless():
            return 0.0
        return min(1.0, up(sharp(lambda: self._curve(target))))

    def epsilon(self, delta: Number) -> float:
        """The least that any listed order permits, rounded up; `inf` at δ = 0 unless a divergence is 0."""
        target = probability(delta, "delta")
        if target == 1 or self._is_costless():
            return 0.0
        if target == 0:
            return math.inf
        return max(0.0, min(up(sharp(partial(self._convert, point, target))) for point in self.points))

    @staticmethod
    def _convert(point: tuple[Fraction, Fraction], delta: Fraction) -> Ball:
        return epsilon_at(point[0], ball(point[1]), delta)

    def _is_costless(self) -> bool:
        """A divergence of 0 at any order means that the two laws are equal."""
        return any(value == 0 for _, value in self.points)

    def tradeoff(self, alpha: Number) -> float:
        """The curve that the (ε, δ(ε)) imply together, rounded down."""
        level = probability(alpha, "alpha")
        return float_down(1 - level) if self._is_costless() else tradeoff_from_delta(self._curve, level)

    def _curve(self, epsilon: Fraction) -> Ball:
        """An upper bound of δ at ε; not cut at 1, so that it is strictly decreasing, as a search needs."""
        first, *others = (delta_at(order, ball(value), epsilon) for order, value in self.points)
        return reduce(lambda least, other: least.min(other), others, first)

    def group(self, people: int) -> Rdp:
        """For k ≤ 2^c people: order α/2^c with 3^c·r, from every listed α ≥ 2^(c+1) (Mironov 2017, proposition 2)."""
        doublings = (whole(people, "people", least=1) - 1).bit_length()
        if doublings == 0:
            return self
        kept = [(a / 2**doublings, 3**doublings * r) for a, r in self.points if a >= 2 ** (doublings + 1)]
        if not kept:
            raise Refused(
                f"Rényi privacy up to order {shown(self.orders[-1])} for {people} people",
                "The order shrinks with the group, and none is left.",
                f"a listed order of at least {2 ** (doublings + 1)}, or `loss.approx(delta).group(people)`.",
            )
        return Rdp(kept, relation=self.relation)

    def __str__(self) -> str:
        first, last = self.points[0], self.points[-1]
        if len(self.points) == 1:
            return f"Rényi divergence {shown(first[1])} at order {shown(first[0])}"
        return (
            f"Rényi divergence {shown(first[1])} at order {shown(first[0])} "
            f"to {shown(last[1])} at order {shown(last[0])}, {len(self.points)} orders"
        )


_GOLDEN = (math.sqrt(5) - 1) / 2
_STEPS = 70


def delta_at(order: Fraction, divergence: Ball, epsilon: Fraction) -> Ball:
    """The δ at ε that a divergence of this order permits."""
    excess, alpha = ball(order - 1), ball(order)
    return (excess * (divergence - ball(epsilon)) + alpha * (excess / alpha).log()).exp() / excess


def epsilon_at(order: Fraction, divergence: Ball, delta: Fraction) -> Ball:
    """The ε at δ > 0 that a divergence of this order permits: r + ln((α−1)/α) − (ln δ + ln α)/(α−1)."""
    excess, alpha = ball(order - 1), ball(order)
    return divergence + (excess / alpha).log() - (ball(delta).log() + alpha.log()) / excess


def order_for_delta(divergence: Callable[[float], float], epsilon: Fraction, farthest: float) -> Fraction:
    """Nearly the best order for δ at ε; `divergence` takes α−1."""
    target = clipped(epsilon)

    def score(excess: float) -> float:
        gap = excess * (divergence(excess) - target)
        return gap - excess * math.log1p(1 / excess) - math.log1p(excess)

    return _lowest(score, farthest)


def order_for_epsilon(divergence: Callable[[float], float], delta: Fraction, farthest: float) -> Fraction:
    """Nearly the best order for ε at δ > 0; `divergence` takes α−1."""
    target = logarithm(delta)

    def score(excess: float) -> float:
        return divergence(excess) - math.log1p(1 / excess) - (target + math.log1p(excess)) / excess

    return _lowest(score, farthest)


def rho_near(epsilon: Fraction, delta: Fraction, farthest: float) -> float:
    """Approximately the largest ρ whose divergence ρα gives ε at δ > 0 by some order: a start value for a search."""
    level, target = clipped(epsilon), logarithm(delta)

    def score(excess: float) -> float:
        return -(level + math.log1p(1 / excess) + (target + math.log1p(excess)) / excess) / (1 + excess)

    return -score(float(_lowest(score, farthest) - 1))


def logarithm(number: Fraction) -> float:
    """ln of a positive fraction, however small, to float accuracy."""
    return math.log(number.numerator) - math.log(number.denominator)


def clipped(number: Fraction) -> float:
    """The nearest float, at most 1e300: a start value for a search."""
    return float(min(number, Fraction(10) ** 300))


def _lowest(score: Callable[[float], float], farthest: float) -> Fraction:
    """An order near the lowest score: golden section in ln(α−1).

    (α−1)·D_α is convex in α, so the scores are unimodal; where both probes are infinite the order is too high.
    """
    low, high = -30.0, farthest
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = score(math.exp(left)), score(math.exp(right))
    for _ in range(_STEPS):
        if at_left < at_right or not at_right < math.inf:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = score(math.exp(left))
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = score(math.exp(right))
    return 1 + Fraction(math.exp(left if at_left < at_right else right))
