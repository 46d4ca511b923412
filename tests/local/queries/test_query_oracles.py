"""Statistical query oracles: answers within the tolerance, people asked once, refusals before anything is spent."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, log
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from tacit.errors import Failed, Refused
from tacit.local.means.mean_estimate import population_error
from tacit.local.means.mean_response import MeanResponse
from tacit.local.means.optimal_mean import best_mean
from tacit.local.statistical_queries import (
    AnsweredOracle,
    Devices,
    LocalOracle,
    Query,
    QueryOracle,
    Rehearsed,
    device,
    people_for,
)
from tacit.loss.families.loss import Relation
from tacit.mechanisms.statistics.bounded_mean import BoundedMean
from tacit.noise.bits import ENTROPY, Integers, Seeded


def above(place: float) -> Query:
    return lambda x: 2.0 * (np.asarray(x) >= place) - 1


def bisected(oracle: QueryOracle, steps: int) -> Iterator[tuple[float, float]]:
    """Each query chosen by the answer before: (where it was put, what came back)."""
    low, high = 0.0, 1.0
    for _ in range(steps):
        middle = (low + high) / 2
        found = oracle.ask(above(middle))
        yield middle, found
        low, high = (middle, high) if found > -1 + float(oracle.tolerance) else (low, middle)


class Watched(Rehearsed):
    """People who remember who was asked."""

    asked: list[int]

    def reports(self, places: range, query: Query, response: MeanResponse) -> Integers:
        self.asked = [*getattr(self, "asked", []), *places]
        return super().reports(places, query, response)


def test_all_answers_are_within_the_tolerance() -> None:
    """60 runs of 5 queries, each chosen by the last answer, at miss 1/5; false-alarm rate 1e-6."""
    theta, draws, bits = 0.6, np.random.default_rng(5), Seeded(6)
    missed = 0
    for _ in range(60):
        panel = Watched(draws.uniform(0, theta, people_for(2, "0.2", 5, "0.2")), bits)
        oracle = LocalOracle(panel, 2, "0.2", 5, "0.2")
        truths = [(found, 2 * max(0.0, 1 - place / theta) - 1) for place, found in bisected(oracle, 5)]
        missed += any(abs(found - truth) > 0.2 for found, truth in truths)
        assert len(panel.asked) == len(set(panel.asked)) == panel.people, "everyone is asked once"
    assert missed <= binom.isf(1e-6, 60, 0.2)


def test_a_twin_that_asks_the_same_people_again_is_caught() -> None:
    class Insistent(LocalOracle):
        def _answer(self, query: Query) -> float:
            self.asked, asked = 1, self.asked
            found = super()._answer(query)
            self.asked = asked
            return found

    panel = Watched(np.zeros(people_for(2, "0.3", 2)), Seeded(1))
    oracle = Insistent(panel, 2, "0.3", 2)
    oracle.ask(above(0.5))
    oracle.ask(above(0.25))
    assert len(panel.asked) > len(set(panel.asked))


@pytest.mark.parametrize("epsilon", ["0.001", "0.05", "0.25", "0.75", "1", "2", "4", "8"])
def test_people_for_is_within_its_stated_constants(epsilon: str) -> None:
    response, private = best_mean(epsilon), min(1.0, float(Fraction(epsilon)))
    for tolerance in ("1", "0.3", "0.02"):
        for queries in (1, 20):
            found, near = people_for(epsilon, tolerance, queries, "0.05"), float(Fraction(tolerance))
            logarithm = log(2 * queries / 0.05)
            square, bound = float(max(response.squares)), float(response.reach + 1)
            assert found <= queries * ceil((2 * square / near**2 + 2 * bound / (3 * near)) * logarithm)
            assert found <= queries * ceil(13 * logarithm / (private * near) ** 2)
            batch = found // queries
            sure = 1 - Fraction(1, 20) / queries
            assert population_error(response, batch, sure) <= Fraction(tolerance)
            assert batch == 1 or population_error(response, batch - 1, sure) > Fraction(tolerance)


def test_too_few_people_are_refused_with_the_number_that_would_do() -> None:
    needed = people_for(1, "0.1", 3)
    with pytest.raises(Refused, match=f"{needed:,} people"):
        LocalOracle(Rehearsed(np.zeros(needed - 1), Seeded(1)), 1, "0.1", 3)
    oracle = LocalOracle(Rehearsed(np.zeros(needed), Seeded(1)), 1, "0.1", 3)
    for _ in range(3):
        assert abs(oracle.ask(lambda x: np.cos(x) / 2) - 0.5) < 0.2
    with pytest.raises(Refused, match="All 3"):
        oracle.ask(above(0.5))
    assert oracle.loss.epsilon(0) == 1


def test_devices_report_for_themselves() -> None:
    people = Devices([device(value) for value in [0.2, 0.8] * (people_for(6, "0.25", 2) // 2 + 1)])
    oracle = LocalOracle(people, 6, "0.25", 2)
    assert -1 <= oracle.ask(above(0.5)) <= 1
    assert -1 <= oracle.ask(above(0.1)) <= 1


def test_an_answering_function_becomes_an_oracle() -> None:
    calls: list[Fraction] = []

    def answering(query: Query, confidence: Fraction) -> tuple[float, float]:
        calls.append(confidence)
        return 0.95 * query(0.5), 1.03 * query(0.5)

    oracle = AnsweredOracle(answering, lambda query, confidence: 0.04, "0.04", 2, "0.1")
    assert oracle.ask(above(0.4)) == pytest.approx(0.99)
    assert calls == [Fraction(19, 20)]
    strict = AnsweredOracle(answering, lambda query, confidence: 0.04, "0.03", 2, "0.1")
    with pytest.raises(Refused, match="farther off"):
        strict.ask(above(0.4))
    assert len(calls) == 1, "refused before it was paid for"
    assert strict.asked == 0
    wrong = AnsweredOracle(answering, lambda query, confidence: 0.0, "0.03", 2, "0.1")
    with pytest.raises(Failed):
        wrong.ask(above(0.4))


@pytest.mark.parametrize(
    ("tolerance", "queries", "miss"), [(0, 1, "0.1"), ("0.1", 0, "0.1"), ("0.1", 1, 0), ("0.1", 1, 1)]
)
def test_misuse_is_refused(tolerance: Any, queries: Any, miss: Any) -> None:
    with pytest.raises(Refused):
        LocalOracle(Rehearsed(np.zeros(10), Seeded(1)), 1, tolerance, queries, miss)
    with pytest.raises(Refused, match="rehearsal"):
        Rehearsed([1.0], ENTROPY)  # type: ignore[arg-type]


def test_a_private_mean_serves_as_the_answering_function() -> None:
    """Ten queries to one mechanism over fixed data, each within the tolerance of the data's own mean (miss 1e-6)."""
    people, bits = 4000, Seeded(9)
    values = np.random.default_rng(1).uniform(0, 0.7, people)
    mechanism = BoundedMean.for_epsilon("0.1", Relation.REPLACE, -1, 1, people=people)

    def answering(query: Query, confidence: Fraction) -> tuple[float, float]:
        low, high = mechanism.rehearse(query(values), bits).interval(confidence)
        return float(low), float(high)

    oracle = AnsweredOracle(answering, lambda query, confidence: mechanism.error(confidence), "0.1", 10, "1e-6")
    for place in np.linspace(0.05, 0.75, 10):
        truth = float(above(place)(values).mean())  # type: ignore[attr-defined]
        assert abs(oracle.ask(above(place)) - truth) <= 0.1
