"""Sound accountants, tested on the same worlds as the broken ones."""

from __future__ import annotations

from fractions import Fraction

from tests.audit.accounting.claimed import SEEN, claim, coins, upper_end

from tacit.audit.stages.accountants import Accounting
from tacit.audit.worlds import coin, discrete_gaussian, poisson, rounded_gaussian, sampled_gaussian
from tacit.loss.composition.published_bounds import advanced_bound, kov_bound
from tacit.loss.composition.sequential import compose
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Relation
from tacit.loss.families.rdp import Rdp
from tacit.loss.families.zcdp import Zcdp
from tacit.loss.pairs.additive_noise import DiscreteGaussianPair, DiscreteLaplacePair
from tacit.loss.pairs.repeated_approx import RepeatedApprox
from tacit.loss.pairs.response_pairs import binary_response
from tacit.loss.sampling.amplification import Sampling
from tacit.loss.sampling.subsampled import Subsampled

_ORDERS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 64)

SOUND_ACCOUNTANTS = (
    Accounting("optimal composition", claim(RepeatedApprox("0.1", 0, 100)), coins("0.1", 100)),
    Accounting("optimal composition of coarse steps", claim(RepeatedApprox(1, 0, 40)), coins(1, 40)),
    Accounting("distribution of coins", upper_end(binary_response("0.1"), 100), coins("0.1", 100)),
    Accounting(
        "distribution of geometric noise", upper_end(DiscreteLaplacePair(Fraction(1, 10), 1), 100), coins("0.1", 100)
    ),
    Accounting(
        "advanced composition",
        lambda delta: advanced_bound(Approx("0.1", 0), 100, delta).epsilon(delta),
        coins("0.1", 100),
    ),
    Accounting(
        "published closed form",
        lambda delta: kov_bound([Approx("0.1", 0)] * 100, delta).epsilon(delta),
        coins("0.1", 100),
    ),
    Accounting("sum of ε", claim(compose(*[Pure(1)] * 5)), coins(1, 5)),
    Accounting("sum of ρ", claim(compose(*[Pure(1).zcdp()] * 50)), coins(1, 50)),
    Accounting(
        "Rényi of coins",
        claim(compose(*[Rdp([(order, binary_response(1).rdp(order)) for order in _ORDERS])] * 50)),
        coins(1, 50),
    ),
    Accounting("rounded Gaussian", claim(Gdp(1)), rounded_gaussian(1)),
    Accounting("two rounded Gaussians", claim(Gdp(2)), rounded_gaussian(1, "1/2", 20).repeated(2)),
    Accounting("discrete Gaussian by its pair", claim(DiscreteGaussianPair(Fraction(1), 1)), discrete_gaussian(1)),
    Accounting("discrete Gaussian by its ρ", claim(Zcdp("1/2")), discrete_gaussian(1)),
    Accounting(
        "Poisson sampling under add/remove",
        claim(Subsampled(binary_response(1), Fraction(1, 10), Sampling.POISSON, Relation.ADD_REMOVE)),
        poisson(coin(1), "0.1"),
    ),
    Accounting(
        "many Poisson samples",
        upper_end(Subsampled(binary_response(1), Fraction(1, 10), Sampling.POISSON, Relation.ADD_REMOVE), 60),
        poisson(coin(1), "0.1").repeated(60),
    ),
    Accounting(
        "distribution of sampled Gaussians",
        upper_end(Subsampled(Gdp(Fraction(25, 9)), Fraction(1, 10), Sampling.POISSON, Relation.ADD_REMOVE), 10),
        sampled_gaussian(0.1, 0.6, 10),
        SEEN,
    ),
)
