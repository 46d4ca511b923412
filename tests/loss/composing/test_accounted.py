"""A plan priced by the accountant, as a loss: its region, and how a filter charges it."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from tacit.errors import Refused
from tacit.loss import Approx, DiscreteGaussianPair, Gdp, LaplacePair, Pure, Relation, Zcdp, binary_response
from tacit.loss.accountant.plan_loss import Accounted
from tacit.loss.composition.region import Region
from tacit.loss.filters.privacy_filter import Filter
from tacit.loss.pairs.repeated_approx import RepeatedApprox
from tacit.loss.sampling.amplification import Sampling
from tacit.loss.sampling.subsampled import Subsampled

COINS = Accounted.of([(binary_response("1/10"), 40), (binary_response("1/5"), 1)])
LAPLACE = Accounted.of([(LaplacePair(Fraction(1, 10)), 200)])


def test_its_region_encloses_the_exact_one() -> None:
    """41 coins, one of them larger: between 40 and 42 equal ones; the bracket holds the truth of all alike."""
    alike = Accounted.of([(binary_response("1/10"), 40)])
    exact = RepeatedApprox("1/10", 0, 40)
    for alpha in ("0.02", "0.3"):
        lower, upper = Region(alike).bracket(alpha, looks=80)
        truth = exact.tradeoff(alpha)
        assert lower <= truth + 1e-12
        assert truth <= upper + 1e-12
        assert upper - lower < 0.02
        assert Region(COINS).boundary(alpha) < truth


def test_it_is_above_its_parts_and_below_their_sum() -> None:
    assert LAPLACE.epsilon("1e-6") < 20 * 0.7
    assert LAPLACE.epsilon("1e-6") > LaplacePair(Fraction(1, 10)).epsilon("1e-6")
    assert LAPLACE.epsilon(0) == 20.0
    assert LAPLACE.rdp(3) == pytest.approx(200 * LaplacePair(Fraction(1, 10)).rdp(3))
    assert LAPLACE.delta(5) >= LAPLACE.delta_between(5)[0] > 0
    assert LAPLACE.group(1) is LAPLACE
    with pytest.raises(Refused, match="one person"):
        LAPLACE.group(2)
    assert str(COINS).startswith("40 × (")


def test_a_plan_is_charged_as_one_release_in_each_currency() -> None:
    """What a filter takes is the certified (ε, δ), ρ or μ; the curve itself is no budget and no price."""
    with pytest.raises(Refused, match=r"2602\.06756"):
        Filter(LAPLACE)
    basic = Filter(Approx(20, "1e-5")).charge(LAPLACE.approx("1e-6"))
    assert basic.used == (Fraction(LAPLACE.epsilon("1e-6")), Fraction("1e-6"))
    assert Filter(Pure(30)).price(LAPLACE) == Pure(20)
    assert Filter(Zcdp(9)).price(LAPLACE) == Zcdp(200 * LaplacePair(Fraction(1, 10)).zcdp().rho)
    assert Filter(Gdp(99)).price(LAPLACE) == Gdp(200 * LaplacePair(Fraction(1, 10)).gdp().mu_squared)


def test_training_is_charged_by_its_epsilon_or_not_at_all() -> None:
    step = Subsampled(Gdp(1), Fraction(1, 100), Sampling.POISSON, Relation.ADD_REMOVE)
    plan = Accounted.of([(step, 1000)])
    assert 1.82823 <= plan.epsilon("1e-5") <= 1.8293
    account = Filter(Approx(3, "1e-4"))
    with pytest.raises(Refused, match="approx"):
        account.charge(plan)
    assert account.charge(plan.approx("1e-5")).used[1] == Fraction("1e-5")
    assert plan.epsilon(0) == math.inf


def test_discrete_noise_has_a_rho_and_no_mu() -> None:
    plan = Accounted.of([(DiscreteGaussianPair(Fraction(100), 1), 10)])
    assert plan.zcdp() == Zcdp("0.05")
    with pytest.raises(Refused):
        plan.gdp()


def test_no_parts_cost_nothing() -> None:
    nothing = Accounted.of([])
    assert nothing.epsilon("1e-6") == nothing.delta(0) == nothing.rdp(2) == 0.0
    assert nothing.tradeoff("0.25") == 0.75
    assert str(nothing) == "nothing"
