"""Amplification by sub-sampling: a release about a secret sample costs less than one about all people.

`Sampling` says how people are drawn into the sample; each way goes with one neighbour relation. The (ε, δ) and the
Rényi privacy of any release on a sample follow from those of the release alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import Enum
from fractions import Fraction

from flint import arb

from tacit.errors import Refused
from tacit.exact import Number, probability, whole
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.loss import Loss, Relation, demand_one_relation
from tacit.loss.families.precision import sharp
from tacit.loss.families.rdp import Rdp
from tacit.noise.ball import Ball, ball, fraction_up, up


class Sampling(Enum):
    """How the people of a step are sampled: secretly, and anew each time."""

    POISSON = "Poisson"
    """Each person by a coin of their own, with probability q."""

    FIXED_SIZE = "fixed size"
    """m of the n people, all sets of m equally likely; q = m/n, n public."""

    def __str__(self) -> str:
        return self.value


PARTNER = {Sampling.POISSON: Relation.ADD_REMOVE, Sampling.FIXED_SIZE: Relation.REPLACE}


def demand_partner(sampling: Sampling, relation: Relation) -> None:
    """Refuse to amplify under any other pair than Poisson with add/remove and fixed size with replace.

    In these two the neighbours' samples are equal outside one event of probability q, and inside it they are
    neighbours. Under Poisson and replace they are not: the replaced record is drawn by the same coin in both worlds,
    and is the other record in one of them, so with q = 1/10 a coin of ε = 1 can keep a loss of 1 where the formula
    says 0.159. Under fixed size and add/remove the number of people, hence q, differs between the worlds.
    """
    if not isinstance(sampling, Sampling) or not isinstance(relation, Relation):
        raise Refused(
            f"a sampling of type {type(sampling).__name__} under a relation of type {type(relation).__name__}",
            "Amplification must know how people are drawn and which change is hidden.",
            "a `Sampling` and a `Relation`.",
        )
    if PARTNER[sampling] is not relation:
        raise Refused(
            f"amplification by {sampling} sampling under {relation}",
            "The theorem does not hold for this pair, and a counterexample is known."
            if sampling is Sampling.POISSON
            else "The number of people, and with it the sampling rate, would itself differ between neighbours.",
            f"{sampling} sampling under {PARTNER[sampling]}, the mechanism's own loss being stated under it too.",
        )


def amplified(loss: Approx, rate: Number, sampling: Sampling, relation: Relation) -> Approx:
    """(ln(1+q(e^ε−1)), qδ): what an (ε, δ)-private release costs when it sees only a secret sample of rate q.

    Claim: if the release is (ε, δ)-private under `relation`, then drawing the sample and releasing is
    (ε′, δ′)-private under the same relation, for Poisson sampling with add/remove and fixed-size sampling with
    replace (Li–Qardaji–Su 2012; Balle–Barthe–Gaboardi 2018). Proof sketch: the two worlds' laws are
    (1−q)R + qP and (1−q)R + qQ with P(S) ≤ e^ε min(Q, R)(S) + δ (for Poisson Q = R, the sample without the person);
    with e^ε′ = 1+q(e^ε−1), (1−q)R + qP ≤ (1−q)R + q(δ + e^ε((1−e^{ε′−ε})R + e^{ε′−ε}Q)) = e^ε′((1−q)R + qQ) + qδ. It is
    tight for the optimal response. ε′ is rounded up; δ′ is exact.
    """
    demand_partner(sampling, relation)
    if not isinstance(loss, Approx):
        raise Refused(
            f"({loss}) amplified by the (ε, δ) formula",
            "The formula speaks of (ε, δ) alone.",
            "`loss.approx(delta)`, or the sub-sampled pair of this very mechanism, which is tighter.",
        )
    demand_one_relation([loss], relation)
    q = probability(rate, "rate")
    if q == 1:
        return loss
    epsilon = amplified_epsilon(loss.exact_epsilon, q)
    if isinstance(loss, Pure):
        return Pure(epsilon, relation=relation)
    return Approx(epsilon, q * loss.exact_delta, relation=relation)


def amplified_epsilon(epsilon: Fraction, rate: Fraction) -> Fraction:
    """ln(1+q(e^ε−1)), rounded up."""
    if rate == 0 or epsilon == 0:
        return Fraction(0)
    return min(epsilon, fraction_up(sharp(lambda: (ball(rate) * ball(epsilon).expm1()).log1p())))


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
