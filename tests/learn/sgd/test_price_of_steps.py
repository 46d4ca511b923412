"""What training costs: the parts of a plan keep its promise, and each way to pay less for more is caught."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tacit.errors import Refused
from tacit.learn.sgd.error_bound import ErrorBound
from tacit.learn.sgd.gradient_parts import PartSize
from tacit.learn.sgd.sgd_plan import PricedPlan, SgdPlan
from tacit.loss.accountant.account import account
from tacit.loss.accountant.concentrated import rho_between
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.zcdp import Zcdp

pytestmark = pytest.mark.xdist_group("torch")
BOUND = ErrorBound(Fraction(1), 256, (PartSize(1, 620),), 10_000)
BUDGET, PROMISE, DELTA = Zcdp(3, "1e-4"), Approx(10, "1e-3"), "1e-5"


def priced(epsilon: str, rate: str, steps: int) -> PricedPlan:
    return PricedPlan.for_epsilon(BOUND, rate, steps, BUDGET, PROMISE, epsilon, DELTA)


def cost(plan: PricedPlan, steps: int, multiplier: Fraction) -> tuple[float, float]:
    """A bracket of ε at δ of so many steps with this noise, beside the count."""
    altered = SgdPlan(plan.plan.bound, plan.plan.rate, steps, plan.plan.overflow)
    found = account(altered.parts(multiplier, plan.count.variance)).epsilon(
        DELTA, Fraction(plan.price.alone.exact_epsilon) / 1000
    )
    return found.lower, found.upper


@pytest.mark.parametrize(("epsilon", "rate", "steps"), [("0.1", "1/32", 320), ("1", "1/8", 40), ("8", "1", 12)])
def test_all_steps_cost_the_price(epsilon: str, rate: str, steps: int) -> None:
    plan = priced(epsilon, rate, steps)
    sigma = float(plan.law.variance) ** 0.5 / float(BOUND.sensitivity)
    assert sigma >= float(plan.multiplier)
    asked = float(epsilon)
    assert 0.98 * asked < cost(plan, steps, plan.multiplier)[1] <= 1.0015 * asked  # the bracket is a thousandth wide
    assert cost(plan, steps, plan.multiplier)[0] <= asked
    assert cost(plan, steps, plan.multiplier * Fraction(9, 10))[0] > asked  # a broken twin: σ times 0.9
    if steps < 100:
        assert cost(plan, steps + 1, plan.multiplier)[0] > asked  # a broken twin: one step is not paid for


@pytest.mark.parametrize(("epsilon", "rate", "steps"), [("0.1", "1/32", 320), ("1", "1/8", 40), ("8", "1", 12)])
def test_an_account_of_rho_is_charged_a_dominating_one(epsilon: str, rate: str, steps: int) -> None:
    plan = priced(epsilon, rate, steps)
    charge = plan.price.charge
    assert isinstance(charge, Zcdp)
    found = rho_between(plan.plan.parts(plan.multiplier, plan.count.variance), Fraction(DELTA) / 2)
    assert found.lower <= found.upper <= float(charge.rho) < 1.1 * found.upper + 6e-5
    assert charge.exact_delta < Fraction(DELTA) * Fraction(51, 100)
    assert charge.epsilon(DELTA) > float(epsilon) * 0.98


def test_shuffled_batches_cost_more_than_poisson_samples() -> None:
    """A broken twin: everybody in one of 32 batches of each of ten epochs, with the noise of Poisson samples.

    Who sees all batches but one person's knows which was theirs: it is ten Gaussian releases, which cost more.
    """
    plan = priced("1", "1/32", 320)
    each = SgdPlan(BOUND, Fraction(1), 10, plan.plan.overflow).parts(plan.multiplier, plan.count.variance)
    assert account(each).epsilon(DELTA).lower > 2


def test_an_account_of_epsilon_and_delta_is_charged_both() -> None:
    plan = PricedPlan.for_epsilon(BOUND, "1/8", 40, PROMISE, PROMISE, 1, DELTA)
    assert plan.price.charge == Approx(1, DELTA) == plan.price.alone


@pytest.mark.parametrize(
    ("budget", "rate", "steps", "delta", "why"),
    [
        (Pure(1), "1/8", 4, None, "pure account"),
        (Zcdp(1), "1/8", 4, "1e-6", "ρ alone"),
        (BUDGET, "0", 4, None, "a sample of nobody"),
        (BUDGET, "1/8", 0, None, "steps"),
        (BUDGET, "1/8", 200_000, None, "200,000 steps"),
        (BUDGET, "1/8", 4, "0.5", "δ = 0.5"),
        (BUDGET, "1/8", 4, "0", "δ = 0"),
    ],
)
def test_plans_that_are_refused(budget: Zcdp, rate: str, steps: int, delta: str | None, why: str) -> None:
    with pytest.raises(Refused, match=why):
        PricedPlan.for_epsilon(BOUND, rate, steps, budget, PROMISE, 1, delta)


@pytest.mark.parametrize("clip", [0, Fraction(1, 2**30), 2**30])
def test_clips_have_bounds(clip: Fraction) -> None:
    with pytest.raises(Refused, match="a clip of"):
        ErrorBound(Fraction(clip), 4, (PartSize(1, 10),), 10)


def test_batches_whose_errors_exceed_a_clip_are_refused() -> None:
    with pytest.raises(Refused, match="micro-batches"):
        ErrorBound(Fraction(1), 4_096, (PartSize(1, 10),), 10)
