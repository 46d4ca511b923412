"""What is said of tables before they are paid for: the errors that they then have, and what releasing them together
gains."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import prod, sqrt
from pathlib import Path

import duckdb
import numpy as np
import pytest
from tests.curator.test_tables import CUBE, PEOPLE, ROWS, people  # noqa: F401

import tacit
from tacit.curator.dataset import Dataset
from tacit.curator.tables_explanation import TablesExplanation
from tacit.query.post_noise.estimates import Estimates
from tacit.workload.planned_tables import PlannedTables
from tacit.workload.residual_basis import objective


def planned(dataset: Dataset, sql: str, weight: str = "tables") -> tuple[PlannedTables, TablesExplanation]:
    explained = dataset.explain_tables(sql, epsilon=1, weight=weight)
    assert explained.planned is not None
    return explained.planned, explained


@pytest.mark.parametrize("weight", ["tables", "cells"])
def test_the_errors_told_beforehand_are_those_of_the_release(people: Dataset, weight: str) -> None:  # noqa: F811
    sql = CUBE.replace("COUNT(*) AS n", "COUNT(*) AS n, SUM(income) AS income")
    told, explained = planned(people, sql, weight)
    released = people.tables(sql, epsilon=1, weight=weight)
    names = {"n": "COUNT(*)", "income": "SUM(income)"}
    for request, table in zip(explained.plan.asked.tables, released, strict=True):
        reach = told.reach(request, Fraction(19, 20))
        for shown, name in names.items():
            values = table.release.rendered[shown].values
            assert isinstance(values, Estimates)
            assert np.max(values.high - values.low) / 2 == pytest.approx(reach[name], rel=1e-6)


@pytest.fixture
def one_row_each(people: Dataset, tmp_path: Path) -> Iterator[Dataset]:  # noqa: F811
    """The same people, told apart by a column, with limits that are declared as the most there can be."""
    rows = f"SELECT row_number() OVER () AS pid, * FROM ({ROWS})"
    duckdb.sql(rows).write_parquet(str(tmp_path / "known.parquet"))
    limits = 'source = "known.parquet"\nlimits = { rows = 1 }\nat_most = { rows = 1 }'
    unit = PEOPLE.replace("row = true", 'id = "pid"').replace('name = "people"', 'name = "known"')
    (tmp_path / "known.toml").write_text(unit.replace('source = "people.parquet"', limits), encoding="utf-8")
    with tacit.open(tmp_path / "known.toml") as dataset:
        yield dataset


def test_the_errors_are_told_where_limits_are_declared(one_row_each: Dataset) -> None:
    told, explained = planned(one_row_each, CUBE)
    assert "found first" not in str(explained)
    assert "One by one" not in str(explained)
    released = one_row_each.tables(CUBE, epsilon=1)
    for request, table in zip(explained.plan.asked.tables, released, strict=True):
        values = table.release.rendered["n"].values
        assert isinstance(values, Estimates)
        half = told.reach(request, Fraction(19, 20))["COUNT(*)"]
        assert np.max(values.high - values.low) / 2 == pytest.approx(half, rel=1e-3)


@pytest.mark.parametrize("weight", ["tables", "cells"])
def test_the_gain_is_that_of_the_closed_form(people: Dataset, weight: str) -> None:  # noqa: F811
    """Together the least is (Σ√(v·p))²/μ² (residual_basis), alone T·Σ w·n/μ²: rounding costs less than a hundredth."""
    told, explained = planned(people, CUBE, weight)
    sets = tuple(request.attributes for request in explained.plan.asked.tables)
    sizes, weighting = [3, 4, 2], explained.plan.weighting
    parts = objective(sets, sizes, weighting).values()
    ours = sum(sqrt(v * p) for v, p in parts) ** 2
    cells = sum(float(weighting.of([sizes[i] for i in each])) * prod(sizes[i] for i in each) for each in sets)
    assert told.gain == pytest.approx(sqrt(len(sets) * cells / ours), rel=0.01)
    assert told.gain > 1.3


def test_one_table_gains_nothing(people: Dataset) -> None:  # noqa: F811
    told, explained = planned(people, "SELECT region, sex, COUNT(*) FROM people GROUP BY region, sex")
    assert told.gain == pytest.approx(1, rel=0.01)
    assert "One by one" not in str(explained)


def test_what_depends_on_the_data_is_not_told(people: Dataset) -> None:  # noqa: F811
    explained = people.explain_tables("SELECT town, COUNT(*) FROM people GROUP BY CUBE(town)", epsilon=1)
    assert explained.planned is None
    assert "known with the answer" in str(explained)
