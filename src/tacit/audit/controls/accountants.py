"""Accountants that are wrong, each as it was printed or shipped somewhere, and accountants that are right."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from tacit.audit.accounting.accounting import Accounting
from tacit.audit.accounting.sampled_losses import sampled_gaussian
from tacit.audit.accounting.worlds import (
    Worlds,
    coin,
    discrete_gaussian,
    giveaway,
    poisson,
    rounded_gaussian,
)
from tacit.exact import Number
from tacit.loss.accountant.account import account
from tacit.loss.composing.composition import compose
from tacit.loss.composing.kov import RepeatedApprox
from tacit.loss.composing.published_bounds import advanced_bound, kov_bound
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.rdp import Rdp
from tacit.loss.families.zcdp import Zcdp
from tacit.loss.loss import Loss
from tacit.loss.pairs.discrete_gaussian_pair import DiscreteGaussianPair
from tacit.loss.pairs.discrete_laplace_pair import DiscreteLaplacePair
from tacit.loss.pairs.laplace_pair import LaplacePair
from tacit.loss.pairs.response import binary_response
from tacit.loss.relation import Relation
from tacit.loss.sampling.amplification import amplified
from tacit.loss.sampling.sampling import Sampling
from tacit.loss.sampling.subsampled import Subsampled

_ORDERS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 64)
_SEEN = tuple(Fraction(1, 10**n) for n in (1, 2, 3, 4))


def _claim(loss: Loss) -> Callable[[Fraction], float]:
    return lambda delta: loss.epsilon(delta)


def _parts(loss: Loss, times: int) -> Callable[[Fraction], float]:
    """The upper end of the numeric accountant."""
    return lambda delta: account([(loss, times)]).upper(delta)


def _printed(drift: float, spread: Callable[[float], float]) -> Callable[[Fraction], float]:
    return lambda delta: drift + math.sqrt(spread(float(delta)))


def _central_limit(rate: float, deviation: float, times: int) -> Callable[[Fraction], float]:
    return _claim(Gdp(rate**2 * times * math.expm1(deviation**-2)))


def _classical(epsilon: Number, delta: Number) -> Accounting:
    at, slack = Fraction(epsilon), Fraction(delta)
    variance = Fraction(2 * math.log(1.25 / slack)) / at**2
    note = "σ = √(2 ln(1.25/δ))Δ/ε is proven for ε ≤ 1 only."
    truth = rounded_gaussian(variance)
    return Accounting("classical Gaussian at large ε", lambda _: float(at), truth, (slack,), note)


def _filter_by_distribution() -> Accounting:
    """Either continuation fits the budget in advance; an analyst who chooses after the first answer gets more."""
    first, second, at = Fraction(1), Fraction(1), Fraction(3, 2)
    plan = coin(first).then([coin(second), coin(second)])
    allowed = Fraction(plan.delta_at_least(at)) * (1 + Fraction(1, 10**9))
    adaptive = coin(first).then([coin(second), giveaway(allowed)])
    note = "A privacy-loss distribution used as a filter: each branch fits (ε, δ), the adaptive whole does not."
    return Accounting("distribution as a filter", lambda _: float(at), adaptive, (allowed,), note)


def _renamed(epsilon: Number, times: int) -> Worlds:
    return coin(epsilon).repeated(times)


BROKEN_ACCOUNTANTS = (
    Accounting(
        "advanced composition without its drift",
        _printed(0, lambda delta: 200 * math.log(1 / delta)),
        _renamed(1, 100),
        note="ε√(2k ln(1/δ)) for ε=1, k=100: the term kε(e^ε−1) is missing.",
    ),
    Accounting(
        "composition theorem I as printed",
        _printed(1.0, lambda delta: math.log(math.e + 1 / delta)),
        _renamed("0.1", 100),
        note="kε² + √(kε² ln(e+1/δ)): a 2 is missing under the root.",
    ),
    Accounting(
        "composition theorem II as printed",
        _printed(1.0, lambda delta: 2 * math.log(math.e + math.sqrt(10 / delta))),
        _renamed("0.1", 100),
        note="The logarithm's argument should be e + √(kε²)/δ.",
    ),
    Accounting(
        "composition slide",
        _printed(1.0, lambda delta: math.log(1 / delta)),
        _renamed("0.1", 100),
        note="kε² + ε√(k ln(1/δ)) for ε=0.1, k=100.",
    ),
    Accounting(
        "T steps by the root alone",
        _printed(0, lambda delta: 100 * math.log(1 / delta)),
        _renamed(1, 100),
        note="ε√(T ln(1/δ)) for ε=1, T=100.",
    ),
    _classical(20, "1e-5"),
    Accounting(
        "discrete Gaussian as a Gaussian",
        _claim(Gdp(1)),
        discrete_gaussian(1),
        note="It is not (Δ/σ)-Gaussian: its own pair costs more at large ε.",
    ),
    Accounting(
        "geometric noise as Laplace noise",
        _parts(LaplacePair(Fraction(1, 10)), 100),
        _renamed("0.1", 100),
        note="100 releases of geometric noise priced by the continuous pair.",
    ),
    _filter_by_distribution(),
    Accounting(
        "Poisson sampling under replace",
        _claim(amplified(Pure(1), "0.1", Sampling.POISSON, Relation.ADD_REMOVE)),
        poisson(coin(1), "0.1", absent=Worlds(coin(0).outcomes)),
        note="ln(1+q(e^ε−1)) is for add/remove; under replace the answer tells whether the person was drawn.",
    ),
    Accounting(
        "coin priced at ε²/8",
        _claim(Zcdp(Fraction(50, 8))),
        _renamed(1, 50),
        note="ρ = ε²/8 is the exponential mechanism's alone; a coin of ε costs ε²/2 at most and nearly that.",
    ),
    Accounting(
        "central limit accountant",
        _central_limit(0.1, 0.6, 10),
        sampled_gaussian(0.1, 0.6, 10),
        _SEEN,
        note="The limit of many small steps, used for few large ones.",
    ),
    Accounting(
        "NaN costs nothing",
        lambda _: 0.0,
        coin(1),
        note="A guard that lets NaN through.",
    ),
)

SOUND_ACCOUNTANTS = (
    Accounting("optimal composition", _claim(RepeatedApprox("0.1", 0, 100)), _renamed("0.1", 100)),
    Accounting("optimal composition of coarse steps", _claim(RepeatedApprox(1, 0, 40)), _renamed(1, 40)),
    Accounting("distribution of coins", _parts(binary_response("0.1"), 100), _renamed("0.1", 100)),
    Accounting(
        "distribution of geometric noise", _parts(DiscreteLaplacePair(Fraction(1, 10), 1), 100), _renamed("0.1", 100)
    ),
    Accounting(
        "advanced composition",
        lambda delta: advanced_bound(Approx("0.1", 0), 100, delta).epsilon(delta),
        _renamed("0.1", 100),
    ),
    Accounting(
        "published closed form",
        lambda delta: kov_bound([Approx("0.1", 0)] * 100, delta).epsilon(delta),
        _renamed("0.1", 100),
    ),
    Accounting("sum of ε", _claim(compose(*[Pure(1)] * 5)), _renamed(1, 5)),
    Accounting("sum of ρ", _claim(compose(*[Pure(1).zcdp()] * 50)), _renamed(1, 50)),
    Accounting(
        "Rényi of coins",
        _claim(compose(*[Rdp([(order, binary_response(1).rdp(order)) for order in _ORDERS])] * 50)),
        _renamed(1, 50),
    ),
    Accounting("rounded Gaussian", _claim(Gdp(1)), rounded_gaussian(1)),
    Accounting("two rounded Gaussians", _claim(Gdp(2)), rounded_gaussian(1, "1/2", 20).repeated(2)),
    Accounting("discrete Gaussian by its pair", _claim(DiscreteGaussianPair(Fraction(1), 1)), discrete_gaussian(1)),
    Accounting("discrete Gaussian by its ρ", _claim(Zcdp("1/2")), discrete_gaussian(1)),
    Accounting(
        "Poisson sampling under add/remove",
        _claim(Subsampled(binary_response(1), Fraction(1, 10), Sampling.POISSON, Relation.ADD_REMOVE)),
        poisson(coin(1), "0.1"),
    ),
    Accounting(
        "many Poisson samples",
        _parts(Subsampled(binary_response(1), Fraction(1, 10), Sampling.POISSON, Relation.ADD_REMOVE), 60),
        poisson(coin(1), "0.1").repeated(60),
    ),
    Accounting(
        "distribution of sampled Gaussians",
        _parts(Subsampled(Gdp(Fraction(25, 9)), Fraction(1, 10), Sampling.POISSON, Relation.ADD_REMOVE), 10),
        sampled_gaussian(0.1, 0.6, 10),
        _SEEN,
    ),
)
