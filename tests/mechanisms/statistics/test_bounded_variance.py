"""A bounded variance: three sums at one price, and an interval that holds the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.divergence import violations
from tests.mechanisms.statistics.tally_law import enough, laws_of_neighbours, neighbours

from tacit.errors import Refused
from tacit.loss import Approx, Gdp, Loss, Pure, Relation, Zcdp
from tacit.mechanisms.statistics.bounded_variance import BoundedVariance, _total_of_squares
from tacit.noise.bits import Seeded
from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.noise.grid import Grid

ADD, SWAP = Relation.ADD_REMOVE, Relation.REPLACE
POISON = [math.nan, math.inf, -math.inf, None]


def test_all_three_sums_together_cost_what_is_claimed() -> None:
    """Span 2 and ε = 10: noise small enough to enumerate three dimensions (mass left out: 3e-9 at most)."""
    variance = BoundedVariance(Pure(10), ADD, 0, 2, grid=Grid(0))
    pairs = laws_of_neighbours(variance, [0, 1, 2, *POISON], tiny=1e-9)
    assert len(pairs) == 3
    assert violations(variance.loss, pairs) == []
    assert violations(variance.loss, laws_of_neighbours(variance, [0, 1, 2], noise=DiscreteLaplace("1/5"), tiny=1e-6))


@pytest.mark.parametrize("relation", [ADD, SWAP], ids=str)
@pytest.mark.parametrize("target", [Pure(1), Approx(1, "1e-5"), Gdp(1)], ids=str)
def test_sensitivity_by_brute_force(target: Loss, relation: Relation) -> None:
    """ℓ₁ and ℓ₂ norms of every move, on a grid of 16 steps: within the claim, and at it."""
    variance = BoundedVariance(target, relation, -1, 1, people=1 if relation is SWAP else None, grid=Grid(-3))
    domain = [-2, *np.linspace(-1, 1, 17), 3, *POISON]
    moves = [
        [b - a for a, b in zip(variance.tally(one), variance.tally(other), strict=True)]
        for one, other in neighbours(domain, 0, relation)
    ]
    l1, l2_squared = variance.sensitivity
    if target == Pure(1):
        assert max(sum(abs(part) for part in move) for move in moves) == l1
    assert max(sum(part**2 for part in move) for move in moves) == l2_squared


CASES: list[tuple[Loss, Relation, int, list[float]]] = [
    (Pure(1), ADD, 200, [0, 100]),
    (Pure(1), ADD, 200, [40, 60]),
    (Approx(1, "1e-5"), ADD, 60, [95, 100]),
    (Zcdp("0.1"), SWAP, 40, [0, 10]),
    (Pure(1), SWAP, 40, [50]),
]


@pytest.mark.parametrize(("target", "relation", "people", "values"), CASES, ids=str)
def test_intervals_hold_the_truth(target: Loss, relation: Relation, people: int, values: list[float]) -> None:
    """300 rehearsals of a 95% interval; false alarm 1e-6. (The long test has 4000.)"""
    _hold(target, relation, people, values, 300)


@pytest.mark.long
@pytest.mark.parametrize(("target", "relation", "people", "values"), CASES, ids=str)
def test_intervals_hold_the_truth_long(target: Loss, relation: Relation, people: int, values: list[float]) -> None:
    _hold(target, relation, people, values, 4000)


def _hold(target: Loss, relation: Relation, people: int, values: list[float], trials: int) -> None:
    records = np.array([float(values[place % len(values)]) for place in range(people)])
    variance = BoundedVariance(target, relation, 0, 100, people if relation is SWAP else None)
    bits, truth = Seeded(17), float(np.var(records))
    answers = [variance.rehearse(records, bits) for _ in range(trials)]
    intervals = [answer.interval() for answer in answers]
    assert enough(sum(low <= truth <= high for low, high in intervals), trials)
    limits = zip(answers, intervals, strict=True)
    assert all(0 <= low <= answer.value <= high <= 2500 + 1e-9 for answer, (low, high) in limits)


def test_numbers_that_contradict_each_other_still_give_an_interval() -> None:
    """Noise can put the mean at a bound and the mean of t(1−t) far from 0, which no data have."""
    variance = BoundedVariance(Pure(1), ADD, 0, 100)
    answer = variance.answer((-200 * variance.unit, 90 * variance.unit, 300 * variance.unit))
    low, high = answer.interval()
    assert 0 == low == answer.value < high < 2500


@pytest.mark.parametrize("target", [Pure(1), Approx(1, "1e-6")], ids=str)
@pytest.mark.parametrize("relation", [ADD, SWAP], ids=str)
def test_intervals_are_not_absurd(target: Loss, relation: Relation) -> None:
    """No wider than twice the expected error of the very same numbers, in the middle of the bounds."""
    variance = BoundedVariance(target, relation, 0, 1, 1000 if relation is SWAP else None)
    bits, records = Seeded(4), [0.4, 0.6] * 500
    answers = [variance.rehearse(records, bits) for _ in range(60)]
    half = float(np.mean([answer.error() for answer in answers]))
    assert half <= 2 * variance.error(people=1000)
    assert all(0 <= answer.value <= 0.25 for answer in answers)
    assert np.mean([answer.value for answer in answers]) == pytest.approx(0.01, abs=variance.error(people=1000))


@given(st.lists(st.integers(0, 2**40), max_size=20))
def test_squares_are_added_exactly(steps: list[int]) -> None:
    assert _total_of_squares(np.array(steps, np.int64)) == sum(step**2 for step in steps)


def test_reads_as_a_person_would_want() -> None:
    variance = BoundedVariance(Pure(1), ADD, 0, 100)
    unit = variance.unit
    answer = variance.answer((320 * unit, 460 * unit, 220 * unit))
    assert answer.value == pytest.approx(0.2475e4 - 0.23e4)
    assert str(answer) == "175, between 158 and 192  (95% interval; standard deviation 13.2; cost ε = 1)"
    assert str(variance.answer((unit, unit, unit))).startswith("too few people to say; between 0 and 2,500")
    assert variance.answer((-unit, 0, 0)).value == 2500


def test_refusals() -> None:
    for people, relation in ((None, SWAP), (5, ADD)):
        with pytest.raises(Refused):
            BoundedVariance(Pure(1), relation, 0, 1, people)
    with pytest.raises(Refused, match="expect"):
        BoundedVariance(Pure(1), ADD, 0, 1).error()
    with pytest.raises(Refused, match="2 records"):
        BoundedVariance(Pure(1), SWAP, 0, 1, 2).release([1])
