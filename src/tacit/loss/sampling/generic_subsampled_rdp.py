"""Rényi privacy of any release on a secret sample, from the Rényi privacy of the release alone."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from flint import arb

from tacit.errors import Refused
from tacit.exact import Number, probability, whole
from tacit.loss.families.rdp import Rdp
from tacit.loss.loss import Loss
from tacit.loss.one_relation import demand_one_relation
from tacit.loss.relation import Relation
from tacit.loss.sampling.sampling import Sampling, demand_partner
from tacit.loss.sharp import sharp
from tacit.noise.ball import Ball, ball, up


def subsampled_rdp(base: Loss, rate: Number, order: int, sampling: Sampling, relation: Relation) -> float:
    """D_α of the release on a sample of rate q, at a whole order α ≥ 2, both ways round; rounded up.

    Claim, with base and result under the same relation. Poisson with add/remove (Zhu–Wang 2019, theorem 5):
    e^{(α−1)D} ≤ (1−q)^{α−1}(1+(α−1)q) + C(α,2)q²(1−q)^{α−2}e^{r(2)} + 3·Σ_{j≥3} C(α,j)q^j(1−q)^{α−j}e^{(j−1)r(j)}.
    Fixed size with replace (Wang–Balle–Kasiviswanathan 2019, theorem 9), b = e^{r(∞)}−1:
    e^{(α−1)D} ≤ 1 + q²C(α,2)·min{4(e^{r(2)}−1), e^{r(2)}min(2, b²)} + Σ_{j≥3} q^j C(α,j)e^{(j−1)r(j)}min(2, b^j).
    Neither is ever taken above r(α) itself: e^{(α−1)D} is jointly convex, and the sampled laws are mixtures.
    A closed form for the mechanism at hand is tighter.
    """
    demand_partner(sampling, relation)
    demand_one_relation([base], relation)
    q, alpha = probability(rate, "rate"), whole(order, "order", least=2)
    bounds = [base.rdp(j) for j in range(2, alpha + 1)]
    own = bounds[-1]
    if q in (0, 1) or not own < math.inf:
        return 0.0 if q == 0 else own
    if sampling is Sampling.POISSON:
        return min(own, up(sharp(lambda: _poisson(bounds, q, alpha))))
    most = base.epsilon(0)
    return min(own, up(sharp(lambda: _fixed_size(bounds, most, q, alpha))))


def subsampled_renyi(base: Loss, rate: Number, orders: Iterable[int], sampling: Sampling, relation: Relation) -> Rdp:
    """The release on a sample as a Rényi loss at these whole orders; compose it, or read its ε(δ)."""
    points = [(order, subsampled_rdp(base, rate, order, sampling, relation)) for order in orders]
    known = [(order, value) for order, value in points if value < math.inf]
    if not known:
        raise Refused(
            f"({base}) on a sample, by its Rényi divergences",
            "It has none at these orders.",
            "lower orders, or a loss with finite Rényi divergences.",
        )
    return Rdp(((order, Fraction(value)) for order, value in known), relation=relation)


def _poisson(bounds: list[float], rate: Fraction, order: int) -> Ball:
    kept = 1 - rate
    total = ball(kept) ** (order - 1) * ball(1 + (order - 1) * rate)
    for j, bound in enumerate(bounds, 2):
        weight = math.comb(order, j) * ball(rate) ** j * ball(kept) ** (order - j)
        total += (1 if j == 2 else 3) * weight * ((j - 1) * arb(bound)).exp()
    return total.log() / (order - 1)


def _fixed_size(bounds: list[float], most: float, rate: Fraction, order: int) -> Ball:
    two, spread = arb(2), arb(most).expm1() if most < math.inf else arb.pos_inf()
    total = arb(0)
    for j, bound in enumerate(bounds, 2):
        factor = ((j - 1) * arb(bound)).exp() * (two.min(spread**j) if most < math.inf else two)
        if j == 2:
            factor = factor.min(4 * arb(bound).expm1())
        total += math.comb(order, j) * ball(rate) ** j * factor
    return total.log1p() / (order - 1)
