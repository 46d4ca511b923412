"""A dominating pair: two laws that are at least as easy to distinguish as any two neighbours.

If every neighbouring pair of outputs is a post-processing of (P, Q) or of (Q, P), then its hockey-stick
divergence, trade-off curve and Rényi divergences are bounded by those of the pair (data processing;
Zhu–Dong–Wang 2022), and the products of pairs bound compositions whose parameters are fixed in advance.

Three of the pairs here are a log-concave noise with distribution function F against itself shifted by s. For these the
best tests are thresholds, so the trade-off curve is T_s(α) = F(F⁻¹(1−α) − s) (for integer noise: at the attainable α,
and linear between). Three facts follow, and each pair's claim rests on them: a smaller shift is dominated, because T_s
falls as s grows; a chain of people whose shifts add up to s is dominated by one shift s, because the curve of a chain
is at least T_b∘(1−T_a) = T_{a+b}; and a vector with independent noise in each coordinate is dominated by one coordinate
that bears the whole ℓ₁ shift, because its coordinates can be shifted one after the other, which is such a chain.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from fractions import Fraction

from tacit.exact import Number, probability
from tacit.loss.families.curve import ExactCurve, epsilon_from_delta, float_up, tradeoff_from_delta
from tacit.loss.families.precision import order_above_one, sharp
from tacit.noise.ball import Ball, up


class Pair(ExactCurve):
    """The loss of a dominating pair (P, Q), exact in both directions and rounded once, to the safe side."""

    @abstractmethod
    def rdp_ball(self, order: Fraction) -> Ball:
        """The exact Rényi divergence of this order in the worse direction, at Arb's working precision."""

    @property
    @abstractmethod
    def pure_epsilon(self) -> Fraction | None:
        """The largest privacy loss of the pair (a fraction barely above it if it is irrational); None if unbounded."""

    def epsilon(self, delta: Number) -> float:
        allowed = probability(delta, "delta")
        ceiling = self.pure_epsilon
        if allowed == 0:
            return math.inf if ceiling is None else float_up(ceiling)
        return epsilon_from_delta(self.delta_ball, allowed, ceiling)

    def tradeoff(self, alpha: Number) -> float:
        return tradeoff_from_delta(self.delta_ball, probability(alpha, "alpha"))

    def rdp(self, order: Number) -> float:
        at = order_above_one(order)
        return max(0.0, up(sharp(lambda: self.rdp_ball(at))))
