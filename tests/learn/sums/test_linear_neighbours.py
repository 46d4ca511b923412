"""What one patient moves the sums of products by: never more than the noise is made for, whatever their rows are."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from tests.learn.patients import visits_of
from tests.learn.sums.visits_session import catalogued, most_moved, whole_sums

from tacit.errors import Refused
from tacit.learn.sums.design import STEPS, read_design
from tacit.learn.sums.linear_plan import LinearPlan
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Relation
from tacit.query.plans.price import price_of

SQL = "SELECT cost, ward, age, urgent FROM visits"


def linear(
    folder: Path,
    relation: Relation = Relation.ADD_REMOVE,
    rows_each: int = 1,
    reach: str = "1/2",
    *,
    is_each_row: bool = False,
) -> LinearPlan:
    catalogue = catalogued(folder, relation, is_each_row=is_each_row)[1]
    return LinearPlan(read_design(SQL, "cost", catalogue), relation, "one patient", rows_each, Fraction(reach))


def moved(plan: LinearPlan, seeds: range, *, by_row: bool = False) -> float:
    """The largest movement as a part of what is claimed."""
    is_replaced, claimed = plan.relation is Relation.REPLACE, plan.limit
    found = most_moved(plan.design.kept_sql(), plan.bounded, seeds, is_replaced=is_replaced, by_row=by_row)
    return found / (claimed * (4 if is_replaced else 1))


@pytest.mark.parametrize(("rows_each", "reach"), [(1, "1/2"), pytest.param(7, "1/100", marks=pytest.mark.long)])
@pytest.mark.parametrize("relation", [Relation.ADD_REMOVE, Relation.REPLACE])
def test_one_patient_moves_sums_within_the_limit(
    tmp_path: Path, relation: Relation, rows_each: int, reach: str
) -> None:
    assert 0.2 < moved(linear(tmp_path, relation, rows_each, reach), range(6)) <= 1


@pytest.mark.parametrize("reach", ["1/100", pytest.param("1/2", marks=pytest.mark.long), "1"])
def test_one_row_moves_sums_within_the_limit(tmp_path: Path, reach: str) -> None:
    assert 0.2 < moved(linear(tmp_path, reach=reach, is_each_row=True), range(6), by_row=True) <= 1


def test_a_row_that_counts_as_a_person_is_caught(tmp_path: Path) -> None:
    """A broken twin: each row is scaled by itself, whosever it is."""
    plan = linear(tmp_path)
    by_row = replace(plan.bounded, is_many=False)
    found = most_moved(plan.design.kept_sql(), by_row, range(2), is_replaced=False)
    assert found > plan.limit


def test_half_the_limit_is_caught(tmp_path: Path) -> None:
    """A broken twin: noise for half the norm that the SQL lets in."""
    plan = linear(tmp_path)
    twice = replace(plan.bounded, limit=4 * plan.limit)
    assert most_moved(plan.design.kept_sql(), twice, range(2), is_replaced=False) > 3 * plan.limit


def test_a_release_costs_its_price(tmp_path: Path) -> None:
    description, _ = catalogued(tmp_path)
    for relation, worlds in ((Relation.ADD_REMOVE, 1), (Relation.REPLACE, 2)):
        plan = linear(tmp_path, relation)
        for epsilon in ("0.01", "1", "30"):
            price = price_of(description.budget, description.promise, epsilon, "1e-9", False)
            spent = worlds**2 * plan.limit / plan.law(price).variance
            assert price.strength * Fraction(99, 100) < spent <= price.strength
            assert Fraction(Gdp(spent).delta(price.alone.exact_epsilon)) <= price.alone.exact_delta


def test_sums_are_those_of_plain_arithmetic(tmp_path: Path) -> None:
    """Of complete rows: the matrix of products of scaled columns, to the last step where nothing is scaled down."""
    plan = linear(tmp_path, reach="1", is_each_row=True)
    rng = np.random.default_rng(4)
    visits = [visit for patient in range(60) for visit in visits_of(patient, rng)]
    found = plan.moments.matrix(whole_sums(plan.design.kept_sql(), plan.bounded, visits))
    rows = []
    for _, ward, age, cost, urgent in visits:
        if None in (age, cost, urgent) or ward not in ("a", "b", "c") or np.isnan(cost):
            continue
        scaled = [(min(max(age, 0), 99) - 49.5) / 49.5, (min(max(cost, 0), 1000) - 500) / 500]
        steps = [np.floor(each * STEPS + 0.5) / STEPS for each in scaled]
        rows.append([1.0, *steps, ward == "b", ward == "c", urgent])
    columns = np.array(rows, float)
    expected = columns.T @ columns
    expected[2, 2] = np.nan
    assert len(rows) > 300
    assert np.array_equal(found, expected, equal_nan=True)


@pytest.mark.parametrize(
    ("sql", "target", "why"),
    [
        ("SELECT cost, patient FROM visits", "cost", "the values of patient"),
        ("SELECT urgent, age FROM visits", "urgent", "urgent as a target"),
        ("SELECT cost, age FROM visits", "age_", "the target age_"),
        ("SELECT cost FROM visits", "cost", "nothing beside"),
        ("SELECT cost, CAST(cost AS VARCHAR) AS x FROM visits", "cost", "x in a model"),
    ],
)
def test_what_has_no_design_is_refused(tmp_path: Path, sql: str, target: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        read_design(sql, target, catalogued(tmp_path)[1])
