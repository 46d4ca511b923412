"""The joint law of combined sums, compared with that of the contrasts themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from statistics import NormalDist
from unittest.mock import patch

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.curator.test_implied_means import COUNTS, MEANS, SUMS
from tests.curator.test_tables import numbers, people

from tacit.curator.dataset import Dataset
from tacit.curator.implied_search import find_implied
from tacit.curator.implied_tables import TablesAnswer
from tacit.curator.planner import Planner
from tacit.query.aggregates.moments import Mean
from tacit.query.plans.limit import IntervalKind
from tacit.workload import implied_reading
from tacit.workload.cell_share import CellShare
from tacit.workload.implied_reading import ImpliedReading
from tacit.workload.known_cells import known_cells
from tacit.workload.noisy_contrasts import NoisyTables
from tacit.workload.table_reading import ReadSum, TableReader

__all__ = ["people"]
Floats = NDArray[np.float64]
_MOVED = 2**24  # units: far above the grid to which cells are rounded

TOTALS = "SELECT region, SUM(income) AS v FROM people WHERE sex = 'f' GROUP BY region"
AVERAGES = "SELECT region, AVG(income) AS v FROM people WHERE sex = 'f' GROUP BY region"
SHARES = (
    "SELECT region, AVG(CASE WHEN age // 20 > 0 THEN 1 ELSE 0 END) AS v FROM people WHERE sex = 'f' GROUP BY region"
)

VALUES = "SELECT region, AVG(age // 20 + 1) AS v FROM people WHERE sex = 'f' GROUP BY region"
WEIGHTED = "SELECT region, SUM(2 * (age // 20) - 3) AS v FROM people WHERE sex = 'f' GROUP BY region"


def implied(people: Dataset, sql: str) -> TablesAnswer:
    planner = Planner.of(people._opened)
    found = find_implied(planner, planner.question(sql), IntervalKind.USUAL)
    assert isinstance(found, TablesAnswer)
    return found


def exact_deviations(answer: TablesAnswer, read: Callable[[ImpliedReading], Floats]) -> Floats:
    """The deviation of numbers that are linear in contrasts: each contrast is moved by itself, and has its variance."""
    tables, plan = answer.found.tables, answer.plan

    def reading(measures: NoisyTables) -> Floats:
        reader = TableReader(measures, known_cells(plan, measures))
        return read(ImpliedReading(reader, measures, plan.base.identity, answer.groups))

    begun, variances = reading(tables), np.zeros(answer.groups.size)
    for identity, each in tables.measures.items():
        for residual, values in each.values.items():
            for place in range(values.size):
                moved = values.copy()
                moved.ravel()[place] += _MOVED
                other = replace(each, values={**each.values, residual: moved})
                slope = (reading(replace(tables, measures={**tables.measures, identity: other})) - begun) / _MOVED
                variances += slope**2 * float(each.variance)
    return np.sqrt(variances)


def combination(name: str) -> Callable[[ImpliedReading], Floats]:
    """A sum; of a mean, S − r·n at the ratio r that tables give, which Fieller's interval is made of."""
    fixed: list[Floats] = []

    def read(reading: ImpliedReading) -> Floats:
        way = reading._groups.ways[name]
        if isinstance(way.aggregate, Mean) and way.value is not None:
            share = reading._share(name)
            fixed.append(share.shares)
            return (share.top.steps - fixed[0] * share.rows.steps) * (way.aggregate.high - way.aggregate.low)
        sums = reading.sums(name)
        if not isinstance(way.aggregate, Mean):
            return next(iter(sums.values())).steps
        fixed.append(reading.means(name) - way.aggregate.centre)
        return sums[way.aggregate.total].steps - fixed[0] * sums[way.aggregate.rows].steps

    return read


@pytest.mark.parametrize(
    ("tables", "sql"),
    [
        (MEANS, TOTALS),
        (SUMS, AVERAGES),
        (MEANS, AVERAGES),
        (COUNTS, SHARES),
        (COUNTS, VALUES),
        (COUNTS, WEIGHTED),
    ],
)
def test_deviations_are_those_of_the_contrasts(people: Dataset, tables: str, sql: str) -> None:
    people.tables(tables, epsilon=20)
    answer = implied(people, sql)
    (name,) = answer.groups.ways
    assert np.allclose(answer.reading.deviations(name), exact_deviations(answer, combination(name)), rtol=1e-3)


def test_intervals_hold_the_truth_as_often_as_they_say(people: Dataset) -> None:
    """By the exact law: an interval of half width h about a normal estimate holds the truth 2Φ(h/σ) − 1 of the time.

    A twin that takes the number of rows as known is caught: its intervals are too narrow.
    """
    people.tables(MEANS, epsilon=20)

    def coverage() -> float:
        answer = implied(people, TOTALS)
        (name,) = answer.groups.ways
        exact = exact_deviations(answer, combination(name))
        read = numbers(people.query(TOTALS), "v")
        return 2 * NormalDist().cdf(float((read.high[0] - read.low[0]) / 2 / exact[0])) - 1

    assert coverage() == pytest.approx(0.95, abs=1e-4)

    def blind(sums: list[tuple[ReadSum, int]]) -> ReadSum:
        steps = sum((times * each.steps for each, times in sums), np.zeros(len(sums[0][0].steps)))
        return replace(sums[0][0], steps=steps)

    with patch.object(implied_reading, "_combined", blind):
        assert coverage() < 0.9


def test_a_mean_is_the_same_about_any_centre(people: Dataset) -> None:
    """Fieller's interval from sums about 0 is as wide as that of the noise of S − r·n by the exact law."""
    people.tables(SUMS, epsilon=20)
    answer = implied(people, AVERAGES)
    (name,) = answer.groups.ways
    way, exact = answer.groups.ways[name], exact_deviations(answer, combination(name))
    assert isinstance(way.aggregate, Mean)
    read = numbers(people.query(AVERAGES), "v")
    rows = answer.reading.sums(name)[way.aggregate.rows].steps
    half = NormalDist().inv_cdf(0.975) * exact / rows
    assert np.allclose((read.high - read.low) / 2, half, rtol=0.05)


def test_a_share_is_of_sums_that_go_together(people: Dataset) -> None:
    """A twin that ignores their covariance has intervals of another width than the exact law."""
    people.tables(COUNTS, epsilon=20)
    answer = implied(people, SHARES)
    (name,) = answer.groups.ways
    share, exact = answer.reading._share(name), exact_deviations(answer, combination(name))
    read = share.at(Fraction(19, 20))
    half = (read.high - read.low) / 2
    assert np.allclose(half, NormalDist().inv_cdf(0.975) * exact / share.rows.steps, rtol=0.01)
    with patch.object(CellShare, "covariances", 0 * share.covariances):
        blind = share.at(Fraction(19, 20))
    assert not np.allclose((blind.high - blind.low) / 2, half, rtol=0.1)


def test_a_share_beyond_its_bounds_is_no_certain_number() -> None:
    """−9 and 209 of 200 rows at noise of 3: cut alone, both intervals would be one number."""
    top, rows, both = (
        ReadSum(np.array(each), np.full(3, deviation), None, np.array(each))
        for each, deviation in (([-9.0, 100.0, 209.0], 3.0), ([200.0] * 3, 3.0), ([191.0, 300.0, 409.0], 18.0**0.5))
    )
    read = CellShare(top, rows, both).at(Fraction(19, 20))
    half = NormalDist().inv_cdf(0.975) * 3 / 200
    assert read.low[0] == 0
    assert read.high[2] == 1
    assert read.high[0] == pytest.approx(half, rel=0.02)
    assert 1 - read.low[2] == pytest.approx(half * 2**0.5, rel=0.05)
