"""Rényi privacy at finitely many orders."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import partial, reduce

from tacit.errors import Refused
from tacit.exact import Number, nonnegative, probability, whole
from tacit.frozen import frozen
from tacit.loss.curve import float_down, float_up, tradeoff_from_delta
from tacit.loss.families.renyi import delta_at, epsilon_at
from tacit.loss.families.stated import Stated
from tacit.loss.loss import in_pairs
from tacit.loss.relation import Relation
from tacit.loss.sharp import order_above_one, sharp, shown
from tacit.noise.ball import Ball, ball, up


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
        """A divergence of 0 at any order means that the two worlds look the same."""
        return any(value == 0 for _, value in self.points)

    def tradeoff(self, alpha: Number) -> float:
        """The curve that the (ε, δ(ε)) imply together, rounded down."""
        level = probability(alpha, "alpha")
        return float_down(1 - level) if self._is_costless() else tradeoff_from_delta(self._curve, level)

    def _curve(self, epsilon: Fraction) -> Ball:
        """An upper bound of δ at ε; not cut at 1, so that it falls everywhere and a search finds its way."""
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
