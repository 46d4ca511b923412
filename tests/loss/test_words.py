"""Plain words: each number held against the game it describes."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from tacit.errors import Refused
from tacit.loss import Approx, Gdp, Loss, Pure, Zcdp, compose, describe, guess_probability, posterior, utility_change

LOSSES: list[Loss] = [Pure("0.5"), Approx(1, "0.05"), Gdp("0.3"), Zcdp("0.2"), compose(Pure("0.1"), Gdp("0.1"))]


@pytest.mark.parametrize(("epsilon", "delta"), [("0.5", "0"), ("1", "1e-5"), ("3", "0.2"), ("0", "0")])
def test_guess_is_the_closed_form(epsilon: str, delta: str) -> None:
    e, d = math.exp(float(epsilon)), float(delta)
    truth = (e + d) / (1 + e)
    assert truth - 1e-16 <= guess_probability(Approx(epsilon, delta)) <= truth * (1 + 1e-14)


@pytest.mark.parametrize("loss", LOSSES)
def test_no_test_on_the_tradeoff_curve_guesses_better(loss: Loss) -> None:
    right = [1 - (k / 12 + loss.tradeoff(Fraction(k, 12))) / 2 for k in range(13)]  # a coin decides which world it is
    assert max(right) <= guess_probability(loss) + 1e-12
    assert guess_probability(loss) <= max(right) + 0.03  # and some test comes near


def test_utility_on_the_worst_response() -> None:
    """All utility on the two outputs that favour the first world: the bound is met exactly."""
    epsilon, delta = Fraction(1), Fraction(1, 10)
    e, d = math.e, 0.1
    here = (1 - d) / (1 + e)  # E_Q[u] with u = 1 on {gives away P, coin says P}
    there = d + (1 - d) * e / (1 + e)  # E_P[u]
    low, high = utility_change(Approx(epsilon, delta), delta).bounds(Fraction(here), 1)
    assert high == pytest.approx(there, rel=1e-12)
    assert high >= there - 1e-15
    assert low <= here
    back, _ = utility_change(Approx(epsilon, delta), delta).bounds(Fraction(there), 1)
    assert back == pytest.approx(here, rel=1e-12)


def test_utility_without_a_bound_says_so() -> None:
    assert utility_change(Gdp(1)).bounds(1, 4) == (0.0, 4.0)
    assert utility_change(Pure(0)).bounds(1, 4) == (1.0, 1.0)
    with pytest.raises(Refused):
        utility_change(Pure(1)).bounds(5, 4)


def test_posterior_moves_the_odds_by_e_to_the_epsilon() -> None:
    low, high = posterior(Pure(1), "0.2")
    assert low == pytest.approx(0.25 / math.e / (1 + 0.25 / math.e))
    assert high == pytest.approx(0.25 * math.e / (1 + 0.25 * math.e))
    assert posterior(Pure(1), 0) == (0.0, 0.0)
    with pytest.raises(Refused, match="pure ε"):
        posterior(Gdp(1), "0.2")


def test_describe_speaks_to_a_person() -> None:
    assert describe(Approx("0.1", "1e-9")) == (
        "The cost: ε = 0.1, δ = 1e-09. Somebody who knows everything but whether one person is in the data, and would "
        "guess by coin flip, guesses right at most 52.5% of the time."
    )
    three = describe(Pure("0.1"), people=3)
    assert "a certain group of 3 people is in the data" in three
    assert "at most 57.5% of the time" in three
    assert "1% sure before" in three
    assert "100%" in describe(Pure(50))
