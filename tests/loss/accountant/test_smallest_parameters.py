"""Parameters too small for floats, and questions too large: refused, never an exception and never a wrong end."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from tacit.errors import Refused
from tacit.loss import (
    Atom,
    DiscreteGaussianPair,
    DiscreteLaplacePair,
    FinitePair,
    Gdp,
    LaplacePair,
    Loss,
    Pure,
    account,
    binary_response,
    fixed_size,
    kary_response,
    least_parameter,
    most_times,
    poisson,
    warner_response,
)
from tacit.loss.distributions.discrete import CoinStep
from tacit.loss.distributions.mixture import PoissonStep
from tacit.loss.families.approx import pure_epsilon_of

_HALF, _LITTLE = Fraction(1, 2), Fraction(1, 10**45)


@pytest.mark.parametrize(
    "loss",
    [
        kary_response("1e-45", 3),
        kary_response("1e-400", 3),
        binary_response("1e-45"),
        FinitePair((Atom(_HALF + _LITTLE, 0, _HALF, 0), Atom(_HALF - _LITTLE, 0, _HALF, 0))),
    ],
    ids=str,
)
def test_a_table_that_costs_next_to_nothing_is_not_said_to_cost_nothing(loss: Loss) -> None:
    assert loss.delta(0) > 0
    with pytest.raises(Refused, match=r"too small|cannot hold"):
        account([(loss, 10)], same_world=True).delta(0)


@pytest.mark.parametrize("size", ["1e-400", "1e-310", "1e-200", "1e-20"])
@pytest.mark.parametrize(
    "loss",
    [
        lambda size: poisson(Gdp(1), size),
        lambda size: fixed_size(Gdp(1), size),
        LaplacePair,
        lambda size: DiscreteLaplacePair(size, 1),
        lambda size: DiscreteGaussianPair(size, 1),
        warner_response,
    ],
)
def test_tiny_parameters_are_refused_or_cost_the_sum(loss: Callable[[str], Loss], size: str) -> None:
    """Where floats cannot hold a parameter, only the sum of the pure ε may be said, and only if it is near enough."""
    try:
        found = account([(loss(size), 2)]).epsilon("1e-30")
    except Refused:
        return
    if pure_epsilon_of(loss(size)) is None:  # not below one release, nor above the sum of two
        assert found.lower <= 2 * loss(size).epsilon("5e-31")
        assert loss(size).epsilon("1e-30") <= found.upper
        return
    exactly = 2 * (pure_epsilon_of(loss(size)) or 0)
    assert found.lower <= exactly <= Fraction(found.upper)
    assert found.gap <= 1e-3
    assert found.upper == pytest.approx(float(exactly), rel=1e-12)


def test_tiny_gaussians_in_company_cost_what_the_company_does() -> None:
    assert account([(Gdp("1e-400"), 2), (Pure(1), 1)]).epsilon("1e-5").upper <= 1


def test_absurd_questions_are_refused_readably() -> None:
    whole = account([(LaplacePair(1), 2)])
    for ask in (whole.epsilon, whole.delta, whole.upper):
        with pytest.raises(Refused, match="gap below"):
            ask("0.01", "1e-400")
    with pytest.raises(Refused, match="1e100 times"):
        account([(LaplacePair(1), 10**400)])
    with pytest.raises(Refused) as refused:
        account([(LaplacePair(1), 10**90)]).epsilon("1e-5")
    assert len(str(refused.value)) < 250
    with pytest.raises(Refused, match="below 1e-12"):
        least_parameter(lambda sigma: [(Gdp(1 / sigma**2), 3)], "1e-400", "1e-5")


def test_a_far_epsilon_on_a_sample() -> None:
    assert poisson(Pure(1), "0.1").delta("1e100") == 0
    assert poisson(Gdp(1), "0.1").delta("1e100") < 1e-300


def test_the_ceiling_of_a_rare_sample_is_not_below_the_largest_loss() -> None:
    for base, rate in (("30.252", "1.64e-18"), ("30.296", "1.39e-18"), ("33.1", "1e-13")):
        step = PoissonStep(CoinStep(float(base), 0.0, 0.0), float(rate))
        largest = poisson(Pure(base), rate).epsilon(0)  # exact but for the last float
        assert step.ceiling() >= largest * (1 - 2**-51)


def test_most_times_is_certified_for_the_very_number() -> None:
    asked = []

    def plan(times: int) -> list[tuple[Loss, int]]:
        asked.append(times)
        return [(Gdp("1e-16"), times)]

    assert most_times(plan, "0.1", "1e-5") in asked
    with pytest.raises(Refused, match="Every number"):
        most_times(lambda times: [(Gdp("1e-200"), times)], "0.1", "1e-5")


def test_a_promise_is_kept_as_a_fraction_not_as_the_nearest_float() -> None:
    barely_less = Fraction(1, 2) - Fraction(1, 10**30)
    assert most_times(lambda times: [(Pure("0.5"), times)], "0.5", "1e-200") == 1
    assert most_times(lambda times: [(Pure("0.5"), times)], barely_less, "1e-200") == 0
