"""Accountants that are wrong, each as it was printed or shipped somewhere."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from tests.audit.accounting.claimed import SEEN, claim, coins, upper_end

from tacit.audit.stages.accountants import Accounting
from tacit.audit.worlds import Worlds, coin, discrete_gaussian, giveaway, poisson, rounded_gaussian, sampled_gaussian
from tacit.exact import Number
from tacit.loss.families.approx import Pure
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Relation
from tacit.loss.families.zcdp import Zcdp
from tacit.loss.pairs.additive_noise import LaplacePair
from tacit.loss.sampling.amplification import Sampling, amplified


def _printed(drift: float, spread: Callable[[float], float]) -> Callable[[Fraction], float]:
    return lambda delta: drift + math.sqrt(spread(float(delta)))


def _central_limit(rate: float, deviation: float, times: int) -> Callable[[Fraction], float]:
    return claim(Gdp(rate**2 * times * math.expm1(deviation**-2)))


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


BROKEN_ACCOUNTANTS = (
    Accounting(
        "advanced composition without its drift",
        _printed(0, lambda delta: 200 * math.log(1 / delta)),
        coins(1, 100),
        note="ε√(2k ln(1/δ)) for ε=1, k=100: the term kε(e^ε−1) is missing.",
    ),
    Accounting(
        "composition theorem I as printed",
        _printed(1.0, lambda delta: math.log(math.e + 1 / delta)),
        coins("0.1", 100),
        note="kε² + √(kε² ln(e+1/δ)): a 2 is missing under the root.",
    ),
    Accounting(
        "composition theorem II as printed",
        _printed(1.0, lambda delta: 2 * math.log(math.e + math.sqrt(10 / delta))),
        coins("0.1", 100),
        note="The logarithm's argument should be e + √(kε²)/δ.",
    ),
    Accounting(
        "composition slide",
        _printed(1.0, lambda delta: math.log(1 / delta)),
        coins("0.1", 100),
        note="kε² + ε√(k ln(1/δ)) for ε=0.1, k=100.",
    ),
    Accounting(
        "T steps by the root alone",
        _printed(0, lambda delta: 100 * math.log(1 / delta)),
        coins(1, 100),
        note="ε√(T ln(1/δ)) for ε=1, T=100.",
    ),
    _classical(20, "1e-5"),
    Accounting(
        "discrete Gaussian as a Gaussian",
        claim(Gdp(1)),
        discrete_gaussian(1),
        note="It is not (Δ/σ)-Gaussian: its own pair costs more at large ε.",
    ),
    Accounting(
        "geometric noise as Laplace noise",
        upper_end(LaplacePair(Fraction(1, 10)), 100),
        coins("0.1", 100),
        note="100 releases of geometric noise priced by the continuous pair.",
    ),
    _filter_by_distribution(),
    Accounting(
        "Poisson sampling under replace",
        claim(amplified(Pure(1), "0.1", Sampling.POISSON, Relation.ADD_REMOVE)),
        poisson(coin(1), "0.1", absent=Worlds(coin(0).outcomes)),
        note="ln(1+q(e^ε−1)) is for add/remove; under replace the answer tells whether the person was drawn.",
    ),
    Accounting(
        "coin priced at ε²/8",
        claim(Zcdp(Fraction(50, 8))),
        coins(1, 50),
        note="ρ = ε²/8 is the exponential mechanism's alone; a coin of ε costs ε²/2 at most and nearly that.",
    ),
    Accounting(
        "central limit accountant",
        _central_limit(0.1, 0.6, 10),
        sampled_gaussian(0.1, 0.6, 10),
        SEEN,
        note="The limit of many small steps, used for few large ones.",
    ),
    Accounting(
        "NaN costs nothing",
        lambda _: 0.0,
        coin(1),
        note="A guard that lets NaN through.",
    ),
)
