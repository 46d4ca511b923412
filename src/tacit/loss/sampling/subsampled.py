"""A release about a secret sample: its exact dominating pair, from that of the release itself."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TypeAlias

from tacit.errors import Refused
from tacit.exact import Number, probability, whole
from tacit.frozen import frozen
from tacit.loss.curve import tradeoff_from_delta
from tacit.loss.exact_curve import ExactCurve
from tacit.loss.families.approx import Approx
from tacit.loss.families.gdp import Gdp
from tacit.loss.loss import Loss
from tacit.loss.one_relation import demand_one_relation
from tacit.loss.pairs.discrete_gaussian_pair import DiscreteGaussianPair
from tacit.loss.pairs.discrete_laplace_pair import DiscreteLaplacePair
from tacit.loss.pairs.finite_pair import FinitePair
from tacit.loss.pairs.laplace_pair import LaplacePair
from tacit.loss.relation import Relation
from tacit.loss.sampling.generic_subsampled_rdp import subsampled_rdp
from tacit.loss.sampling.sampled_laplace_rdp import HIGHEST as HIGHEST_LAPLACE
from tacit.loss.sampling.sampled_laplace_rdp import sampled_laplace_rdp
from tacit.loss.sampling.sampling import Sampling, demand_partner
from tacit.loss.sampling.subsampled_rdp import poisson_gaussian_rdp
from tacit.loss.sharp import order_above_one, sharp, shown
from tacit.noise.ball import Ball, ball, between, fraction_down, fraction_up, up

Base: TypeAlias = Gdp | LaplacePair | DiscreteLaplacePair | DiscreteGaussianPair | FinitePair | Approx


@frozen(repr=False)
class Subsampled(ExactCurve):
    """What the release `loss` costs when it sees a secret, fresh sample of rate q.

    Claim, base and result under the same `relation`: with (P, Q) the base's pair, Poisson samples under add/remove are
    dominated by (1−q)Q + qP against Q with the person in the first world, and by the reverse with the person in the
    second; fixed-size samples under replace by one symmetric pair. At every ε ≥ 0 all of them gain
    δ(ε) = q·δ_base(ln(1+(e^ε−1)/q)), the reverse at most that. Proof: outside an event of probability q the worlds'
    samples are equal, so their laws are (1−q)R + qA and (1−q)R + qB, where R, A and B are laws of pairwise neighbours
    (for Poisson B = R). With e^ε = 1+q(α−1) and β = e^ε/α, (1−q)R+qA − e^ε((1−q)R+qB) = q(A − α((1−β)R+βB)), whose
    largest value over all events is convex in the second law, hence at most q·δ_base(ln α) (Balle–Barthe–Gaboardi
    2018); and R = B = Q, A = P attains it (Zhu–Dong–Wang 2022). Any other mixture of sampling and relation is
    refused: the theorem is false there.
    """

    loss: Base
    rate: Fraction
    sampling: Sampling
    relation: Relation

    def __post_init__(self) -> None:
        demand_partner(self.sampling, self.relation)
        if not isinstance(self.loss, Base):
            raise Refused(
                f"a release of type {type(self.loss).__name__} on a sample",
                "Its dominating pair is not known.",
                "Gdp, a Laplace, discrete or finite pair, Pure or Approx; for Rényi losses `subsampled_rdp`.",
            )
        demand_one_relation([self.loss], self.relation)
        object.__setattr__(self, "rate", probability(self.rate, "rate"))

    @property
    def relations(self) -> frozenset[Relation]:
        return frozenset({self.relation})

    def base_epsilon(self, epsilon: Fraction) -> Ball:
        """ln(1+(e^ε−1)/q), at Arb's working precision."""
        return (ball(epsilon).expm1() / ball(self.rate)).log1p()

    def delta_ball(self, epsilon: Fraction) -> Ball:
        """q·δ_base at the base's ε, taken just below and just above: a ball that contains the exact δ(ε)."""
        if self.rate == 0:
            return ball(0)
        at = self.base_epsilon(epsilon)
        if not at.is_finite():  # too far out for e^ε, but the base's ε is never the smaller one, and δ falls
            return ball(self.rate) * between(ball(0), self.loss.delta_ball(epsilon))
        nearest = [max(Fraction(0), fraction_down(at, 256)), fraction_up(at, 256)]
        above, below = (self.loss.delta_ball(inner) for inner in nearest)
        return ball(self.rate) * between(below, above)

    def epsilon(self, delta: Number) -> float:
        """ln(1+q(e^ε−1)) at the base's ε for δ/q, rounded up."""
        allowed = probability(delta, "delta")
        if allowed >= self.rate:
            return 0.0
        inner = self.loss.epsilon(allowed / self.rate)
        if not inner < math.inf:
            return math.inf
        return min(inner, up(sharp(lambda: (ball(self.rate) * ball(Fraction(inner)).expm1()).log1p())))

    def tradeoff(self, alpha: Number) -> float:
        return tradeoff_from_delta(self.delta_ball, probability(alpha, "alpha"))

    def rdp(self, order: Number) -> float:
        """Exact for Gaussian noise on Poisson samples and for Laplace noise; else a bound at the next whole order."""
        at = order_above_one(order)
        if isinstance(self.loss, Gdp) and self.sampling is Sampling.POISSON:
            return poisson_gaussian_rdp(self.rate, 1 / self.loss.mu_squared, at) if self.loss.mu_squared else 0.0
        if isinstance(self.loss, LaplacePair) and at <= HIGHEST_LAPLACE:
            return sampled_laplace_rdp(self.rate, self.loss.ratio, at, self.sampling)
        above = math.ceil(at)
        if not above <= _HIGHEST:
            return self.loss.rdp(at)
        return min(self.loss.rdp(at), subsampled_rdp(self.loss, self.rate, above, self.sampling, self.relation))

    def group(self, people: int) -> Loss:
        """Refused for two or more people: how many of them a sample holds is itself random."""
        if whole(people, "people", least=1) == 1:
            return self
        raise Refused(
            f"a sampled release for {people} people",
            "A sample may hold any number of them, so no pair of this family bounds it.",
            "`loss.approx(delta).group(people)`, or `group_tradeoff(loss, people, alpha)`.",
        )

    def __str__(self) -> str:
        return f"{self.loss}, on a {self.sampling} sample of rate {shown(self.rate)}"


_HIGHEST = 256  # beyond this whole order the general bound is not worth its time


def poisson(loss: Base, rate: Number) -> Subsampled:
    """The release on a Poisson sample, under add/remove."""
    return Subsampled(loss, probability(rate, "rate"), Sampling.POISSON, Relation.ADD_REMOVE)


def fixed_size(loss: Base, rate: Number) -> Subsampled:
    """The release on a sample of fixed size m out of n, rate m/n, under replace."""
    return Subsampled(loss, probability(rate, "rate"), Sampling.FIXED_SIZE, Relation.REPLACE)
