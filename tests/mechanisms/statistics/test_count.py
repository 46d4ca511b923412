"""A count: exact law, exact error, and readable answers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.divergence import hockey_stick, violations
from tests.goodness import FALSE_ALARM, fit
from tests.mechanisms.statistics.tally_law import laws_of_neighbours

from tacit.errors import Refused
from tacit.loss import Approx, Gdp, Loss, Pure, Relation, Zcdp
from tacit.mechanisms.statistics.counts import Count
from tacit.noise.bits import Seeded
from tacit.noise.discrete_laplace import DiscreteLaplace

RELATIONS = list(Relation)
TARGETS: list[Loss] = [Pure(1), Approx(1, "1e-2"), Zcdp("0.2"), Gdp(1)]


@pytest.mark.parametrize("relation", RELATIONS, ids=str)
@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_neighbours_are_as_close_as_claimed(target: Loss, relation: Relation) -> None:
    count = Count(target, relation)
    pairs = laws_of_neighbours(count, [True, False, None], 2)
    assert len(pairs) == 1
    assert violations(count.loss, pairs) == []


def test_the_laplace_claim_is_attained() -> None:
    count = Count.for_epsilon(1, Relation.ADD_REMOVE)
    ((p, q),) = laws_of_neighbours(count, [True, False])
    assert hockey_stick(p, q, 0.5) == pytest.approx(count.loss.delta("0.5"), abs=1e-12)
    assert count.loss.epsilon(0) == 1


def test_half_the_scale_is_caught() -> None:
    count = Count.for_epsilon(1, Relation.REPLACE)
    assert violations(count.loss, laws_of_neighbours(count, [True, False], noise=DiscreteLaplace("1/2")))


def test_every_record_is_read_for_itself() -> None:
    """What a list holds cannot change how another of its items is read: 2.0 does not turn False into a number."""
    count = Count.for_epsilon(1, Relation.ADD_REMOVE)
    assert count.tally([False, 2.0]) == [1]
    assert count.tally([False, False]) == [0]
    assert count.tally([True, None, float("nan"), "x", 0, np.float64("nan"), np.bool_(False), np.True_]) == [4]
    assert count.tally(np.array([1.0, np.nan, 0.0])) == [2]
    assert count.tally(np.array([True, False])) == [1]
    assert count.tally(np.array(["a", ""])) == [2]
    assert count.tally([]) == [0]


def test_draws_follow_the_law() -> None:
    count, bits = Count.for_epsilon("0.5", Relation.ADD_REMOVE), Seeded(11)
    draws = np.array([count.rehearse([True] * 9, bits).value - 9 for _ in range(4000)])
    assert fit(draws, DiscreteLaplace(2), -8, 8) > FALSE_ALARM


@pytest.mark.parametrize("confidence", ["0.5", "0.9", "0.95", "0.999"])
def test_error_is_the_exact_quantile(confidence: str) -> None:
    law = DiscreteLaplace(1)
    half = Count.for_epsilon(1, Relation.ADD_REMOVE).error(confidence)
    assert 1 - 2 * float(law.tail(half + 1)) >= float(confidence) > 1 - 2 * float(law.tail(half))
    assert half <= math.ceil(math.log(1 / (1 - float(confidence))))  # the notes' P(|Z| > bt) ≤ e^−t


def test_reads_as_a_person_would_want() -> None:
    count = Count.for_epsilon(1, Relation.ADD_REMOVE)
    assert str(count.answer((1023,))) == "1,023 ± 3  (95% interval; cost ε = 1)"
    assert str(count.answer((-2,))) == "-2, so between 0 and 1  (95% interval; cost ε = 1)"
    assert count.answer((2,)).interval() == (0, 5)
    assert "ε = 1, δ = 1e-08" in str(Count(Approx(1, "1e-8"), Relation.ADD_REMOVE).release([True]))


@pytest.mark.parametrize("target", [None, 1, Pure(0), Gdp(0), "1"])
def test_refuses_a_target_that_is_none(target: Loss) -> None:
    with pytest.raises(Refused):
        Count(target, Relation.ADD_REMOVE)


@pytest.mark.parametrize("records", [3, "abc", None, {1, 2}, np.zeros((2, 2)), np.ma.masked_array([1], [True])])
def test_refuses_what_is_no_column(records: object) -> None:
    with pytest.raises(Refused):
        Count.for_epsilon(1, Relation.ADD_REMOVE).release(records)
    with pytest.raises(Refused):
        Count(Pure(1), "add/remove")  # type: ignore[arg-type]  (a relation must be named as one)
