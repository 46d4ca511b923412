"""Amplification by sub-sampling: a release about a secret sample costs less than one about everybody."""

from __future__ import annotations

from fractions import Fraction

from tacit.errors import Refused
from tacit.exact import Number, probability
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.one_relation import demand_one_relation
from tacit.loss.relation import Relation
from tacit.loss.sampling.sampling import Sampling, demand_partner
from tacit.loss.sharp import sharp
from tacit.noise.ball import ball, fraction_up


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
