"""A release about a secret sample: its exact dominating pair, from that of the release itself.

The Rényi divergence of Laplace noise on a sample is exact too: two atoms and one integral.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import TypeAlias

from flint import acb, arb

from tacit.errors import Refused
from tacit.exact import Number, probability, whole
from tacit.frozen import frozen
from tacit.loss.families.approx import Approx
from tacit.loss.families.curve import ExactCurve, tradeoff_from_delta
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Loss, Relation, demand_one_relation
from tacit.loss.families.precision import order_above_one, sharp
from tacit.loss.pairs.additive_noise import DiscreteGaussianPair, DiscreteLaplacePair, LaplacePair
from tacit.loss.pairs.finite_pair import FinitePair
from tacit.loss.sampling.amplification import Sampling, demand_partner, subsampled_rdp
from tacit.loss.sampling.gaussian_renyi import poisson_gaussian_rdp
from tacit.noise.ball import Ball, ball, between, fraction_down, fraction_up, up
from tacit.words import shown

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
        if not at.is_finite():  # e^ε would overflow; the base's ε is never the smaller one, and δ falls
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


HIGHEST_LAPLACE = 4096  # beyond it the integrand is too steep to be worth its time


def sampled_laplace_rdp(rate: Fraction, ratio: Fraction, order: Fraction, sampling: Sampling) -> float:
    """D_α of Laplace noise, sensitivity/scale r, on a sample of rate q, in the worse direction; rounded up.

    Claim: it is that of the dominating pair which `Subsampled` states. With ℓ the loss of Lap(0, 1) against Lap(r, 1),
    the Poisson pair has the ratio X = 1−q+qe^ℓ, so e^{(α−1)D} is E_Q[X^α] one way round and E_Q[X^{1−α}] the other. The
    symmetric pair of fixed-size samples has the same masses where ℓ > 0, their mirror image below, and the rest at
    0: E_Q[X^α; ℓ > 0] + E_Q[X^{1−α}; ℓ > 0] + 1 − E_Q[1+X; ℓ > 0]. Under Q, ℓ is r with probability e^−r/2, −r with
    1/2, and has the density e^{−(ℓ+r)/2}/4 between. Arb's integrals enclose the truth (Johansson 2018): on a complex
    neighbourhood where X might meet the cut of its logarithm the integrand says so.
    """
    if not (rate and ratio):
        return 0.0
    if sampling is Sampling.POISSON:
        moments = [partial(_poisson, rate, ratio, power) for power in (order, 1 - order)]
    else:
        moments = [partial(_fixed_size, rate, ratio, order)]
    return max(0.0, *(up(sharp(partial(_divergence, moment, order))) for moment in moments))


def _divergence(moment: Callable[[], Ball], order: Fraction) -> Ball:
    return moment().log() / ball(order - 1)


def _poisson(rate: Fraction, ratio: Fraction, power: Fraction) -> Ball:
    """E_Q[X^power]."""
    lowest = _mixture(rate, ball(-ratio)) ** ball(power) / 2
    return lowest + _above(rate, ratio, power, -ratio)


def _fixed_size(rate: Fraction, ratio: Fraction, order: Fraction) -> Ball:
    signed = ((order, 1), (1 - order, 1), (Fraction(0), -1), (Fraction(1), -1))
    return sum((sign * _above(rate, ratio, power, Fraction(0)) for power, sign in signed), arb(1))


def _above(rate: Fraction, ratio: Fraction, power: Fraction, start: Fraction) -> Ball:
    """E_Q[X^power] over start < ℓ ≤ r."""
    r, exponent = ball(ratio), ball(power)

    def integrand(loss: acb, analytic: bool) -> acb:
        base = ball(1 - rate) + ball(rate) * loss.exp()
        return (exponent * base.log(analytic=analytic) - (loss + r) / 2).exp() / 4

    between = acb.integral(integrand, ball(start), r).real
    return between + _mixture(rate, r) ** exponent * (-r).exp() / 2


def _mixture(rate: Fraction, loss: Ball) -> Ball:
    return ball(1 - rate) + ball(rate) * loss.exp()
