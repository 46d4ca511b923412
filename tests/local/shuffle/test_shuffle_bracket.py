"""The loss of shuffled reports: brackets, inverses, assumptions, refusals."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from tacit.errors import Refused
from tacit.local.randomizers.randomizer import WeightTable, odds_within
from tacit.local.randomizers.subset_selection import KaryResponse, SubsetSelection
from tacit.local.shuffle.shuffled import ShuffledReports
from tacit.loss.families.approx import Approx, Pure


def clones_by_scipy(people: int, local: float, epsilon: float) -> float:
    """The clones' δ by another road: the threshold of each number of clones, tails by scipy."""
    true, factor = 1 / (1 + math.exp(-local)), math.exp(epsilon)
    clones = np.arange(people)
    chances = binom.pmf(clones, people - 1, math.exp(-local))
    clones, chances = clones[chances > 1e-25], chances[chances > 1e-25]
    gain, loss = true - factor * (1 - true), factor * true - (1 - true)
    first = np.floor((clones + 1) * loss / (gain + loss)) + 1
    tails = gain * binom.sf(first - 2, clones, 0.5) - loss * binom.sf(first - 1, clones, 0.5)
    return float((chances * tails).sum())


@pytest.mark.parametrize(
    ("people", "local", "epsilon"),
    [
        (1, 1.0, 0.5),
        (2, 1.0, 0.5),
        (100, 1.0, 0.3),
        (1000, 2.0, 0.3),
        (10**4, 3.0, 0.3),
        (10**6, 4.0, 0.05),
        (10**6, 8.0, 0.3),
    ],
)
def test_clones_are_those_of_the_dominating_pair(people: int, local: float, epsilon: float) -> None:
    found = ShuffledReports(Pure(local), people).delta(epsilon)
    expected = clones_by_scipy(people, local, epsilon)
    assert expected * (1 - 1e-9) <= found <= expected * (1 + 1e-3)


@pytest.mark.parametrize(
    ("options", "people", "local"),
    [(2, 1000, 1), (2, 10**6, 4), (3, 1000, 4), (10, 10**4, 2), (100, 10**5, 1), (1000, 10**6, 6)],
)
def test_brackets_of_kary_response_are_narrow(options: int, people: int, local: int) -> None:
    found = ShuffledReports(KaryResponse.within(local, options), people).epsilon_between(1e-6)
    assert 0 < found.lower <= found.upper <= 1.1 * found.lower


@pytest.mark.parametrize(
    "loss",
    [
        ShuffledReports(Pure(2), 500),
        ShuffledReports(KaryResponse.within(2, 2), 30),
        ShuffledReports(SubsetSelection(9, 3, odds_within(1)), 500),
    ],
    ids=str,
)
def test_the_two_ends_are_consistent(loss: ShuffledReports) -> None:
    for delta in (1e-3, 1e-9):
        found = loss.epsilon_between(delta)
        assert found.upper == loss.epsilon(delta)
        assert loss.delta(found.upper) <= delta
        assert loss.delta(found.upper * 0.999) > delta, "hardly anything is given away"
        if found.lower:
            assert loss.delta_between(found.lower)[0] >= delta
    assert loss.epsilon(0) == pytest.approx(float(loss.local.exact_epsilon))
    assert loss.delta(loss.local.exact_epsilon) == 0
    assert loss.epsilon(1) == 0
    assert loss.delta(0) < loss.local.delta(0)


def test_more_people_hide_more_and_dishonest_ones_nothing() -> None:
    costs = [ShuffledReports(KaryResponse.within(2, 4), people).epsilon(1e-6) for people in (1, 10, 100, 1000, 10**6)]
    assert costs == sorted(costs, reverse=True)
    assert ShuffledReports(Pure(1), 1000, honest=100).epsilon(1e-6) == ShuffledReports(Pure(1), 100).epsilon(1e-6)
    assert ShuffledReports(Pure(1), 1).epsilon(1e-6) <= Pure(1).epsilon(1e-6)


def test_a_known_randomizer_costs_no_more_than_any() -> None:
    for randomizer in (
        KaryResponse.within(2, 2),
        KaryResponse.within(2, 7),
        SubsetSelection(12, 4, odds_within(2)),
        WeightTable.of([["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/4"], ["1/4", "1/4", "1/2"]]),
    ):
        known = ShuffledReports(randomizer, 300)
        assert known.epsilon(1e-6) <= ShuffledReports(known.local, 300).epsilon(1e-6) * (1 + 1e-3)


def test_a_table_too_large_to_list_is_priced_as_any() -> None:
    rows = [["1/34"] * 34 for _ in range(17)]
    rows[0] = ["1/17", "0"] + ["1/34"] * 32
    rows[0][1], rows[0][0] = "1/68", "3/68"
    loss = ShuffledReports(WeightTable.of(rows), 100)
    assert loss.epsilon(1e-6) == pytest.approx(ShuffledReports(loss.local, 100).epsilon(1e-6))
    assert loss.epsilon_between(1e-6).lower == 0


@pytest.mark.long
def test_extremes_are_answered() -> None:
    """From one person to 10⁹, from nearly no odds to nearly none left: ordered, and never above one report's cost."""
    for people, locals_ in ((1, ("0.001", "30")), (2, ("0.7", "30")), (13, ("0.001", "12")), (10**8, ("1", "12"))):
        for local in locals_:
            for loss in (ShuffledReports(Pure(local), people), ShuffledReports(KaryResponse.within(local, 2), people)):
                found = loss.epsilon_between(1e-9)
                assert 0 <= found.lower <= found.upper <= float(local) * (1 + 1e-9)


def test_groups_and_other_currencies_only_lose() -> None:
    loss = ShuffledReports(KaryResponse.within(1, 3), 1000)
    assert loss.group(3).exact_epsilon == 3 * loss.local.exact_epsilon
    assert isinstance(loss.approx("1e-6"), Approx)
    assert loss.approx("1e-6").exact_epsilon < Fraction(1, 5)
    assert loss.rdp(2) < loss.local.rdp(2) / 10
    assert loss.tradeoff(0) == 1
    assert str(loss) == "1,000 shuffled reports, each ε = 1"
    assert loss == ShuffledReports(KaryResponse.within(1, 3), 1000)
    assert hash(loss) == hash(ShuffledReports(KaryResponse.within(1, 3), 1000, honest=1000))


@pytest.mark.parametrize(
    ("reports", "people", "honest"),
    [
        (Pure(0), 10, None),
        (Pure(1), 0, None),
        (Pure(1), 10, 11),
        (Pure(1), 10, 0),
        (Pure(1), 2.5, None),
        (Approx(1, "1e-6"), 10, None),
        (1, 10, None),
        (WeightTable.of([["1", "0"], ["1/2", "1/2"]]), 10, None),
        (WeightTable.of([["1/2", "1/2"], ["1/2", "1/2"]]), 10, None),
    ],
)
def test_what_cannot_be_priced_is_refused(reports: Any, people: Any, honest: Any) -> None:
    with pytest.raises(Refused):
        ShuffledReports(reports, people, honest)


@pytest.mark.parametrize("value", ["nan", -1, "inf"])
def test_no_answer_to_no_number(value: Any) -> None:
    loss = ShuffledReports(Pure(1), 10)
    for ask in (loss.delta, loss.epsilon, loss.delta_between, loss.epsilon_between, loss.tradeoff, loss.rdp):
        with pytest.raises(Refused):
            ask(value)
