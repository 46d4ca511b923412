"""What training costs: the parts of a plan add up to its price, and the noise that is drawn is that of the plan."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.learn.patients import COSTS, SQL, described, planned, table_of

from tacit.errors import Refused
from tacit.learn.additive_plan import AdditivePlan
from tacit.learn.additive_run import AdditiveRun
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Relation
from tacit.noise.bits import Seeded
from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.query.plans.price import Price, price_of


def priced(plan: AdditivePlan, folder: Path, epsilon: str) -> Price:
    description = described(folder)
    return price_of(description.budget, description.promise, epsilon, "1e-9", False)


def spent(plan: AdditivePlan, price: Price, steps: int) -> Fraction:
    """μ² of weights and so many steps, exactly, from norms and variances."""
    weights = plan.squared_norm / plan.weights_law(price).variance
    return weights + steps * plan.squared_norm * plan.clip_steps**2 / plan.residuals_law(price).variance


@pytest.mark.parametrize("relation", [Relation.ADD_REMOVE, Relation.REPLACE])
@pytest.mark.parametrize(("rows_each", "steps"), [(1, 1), (1, 20), (9, 64)])
def test_all_steps_cost_the_price(tmp_path: Path, relation: Relation, rows_each: int, steps: int) -> None:
    plan = planned(described(tmp_path, relation), SQL, "urgent", rows_each, steps)
    for epsilon in ("0.01", "1", "30"):
        price = priced(plan, tmp_path, epsilon)
        cost = spent(plan, price, steps)
        assert price.strength * Fraction(99, 100) < cost <= price.strength
        assert Fraction(Gdp(cost).delta(price.alone.exact_epsilon)) <= price.alone.exact_delta
        assert spent(plan, price, steps + 1) > price.strength  # a broken twin: one step is not paid for


def test_noise_of_every_stage_is_that_of_the_plan(tmp_path: Path) -> None:
    """On no rows, what is released is noise. Of 106 levels in 63 steps; false alarm below 10⁻⁶ at 6 deviations."""
    description = described(tmp_path)
    plan = planned(description, SQL, "urgent", 1, 64, bins=50)
    price = priced(plan, tmp_path, "1")
    pq.write_table(table_of([]), tmp_path / "visits.parquet")
    found: list[bytes] = []
    with DuckDBEngine(threads=1).session(description) as session:
        for place, stage in enumerate(AdditiveRun(plan, price).stages[:-1]):
            found.append(stage(session, Seeded(place), found))
    first, *steps = (np.frombuffer(each, "<i8").astype(float) for each in found)
    assert len({each.tobytes() for each in steps}) == len(steps)
    for values, law in ((first, plan.weights_law(price)), (np.concatenate(steps), plan.residuals_law(price))):
        ratio, many = float(np.mean(values**2) / law.variance), len(values)
        assert abs(ratio - 1) < 6 * (2 / many) ** 0.5
    assert abs(ratio * 0.81 - 1) > 6 * (2 / many) ** 0.5  # a broken twin, of all steps: σ times 0.9


@pytest.mark.parametrize(
    ("sql", "target", "why"),
    [
        ("SELECT urgent, ward FROM visits", "cost", "the target cost"),
        ("SELECT urgent FROM visits", "urgent", "0 features"),
        ("SELECT urgent, COUNT(*) AS n FROM visits GROUP BY urgent", "urgent", "this text as training rows"),
        ("SELECT ward, age FROM visits", "ward", "ward as a target"),
        ("SELECT urgent, ward, age AS ward FROM visits", "urgent", "two columns called ward"),
        ("SELECT urgent, patient FROM visits", "urgent", "the values of patient"),
        ("SELECT urgent, ln(cost) AS c FROM visits LIMIT 5", "urgent", "this text as training rows"),
        ("SELECT urgent, * FROM visits", "urgent", "a training SELECT"),
    ],
)
def test_what_cannot_be_trained_is_refused(tmp_path: Path, sql: str, target: str, why: str) -> None:
    with pytest.raises(Refused, match=why.replace("*", r"\*")):
        planned(described(tmp_path), sql, target)


@pytest.mark.parametrize(("rows_each", "steps"), [(0, 1), (1_001, 1), (1, 0), (1, 65)])
def test_plans_have_bounds(tmp_path: Path, rows_each: int, steps: int) -> None:
    with pytest.raises(Refused):
        planned(described(tmp_path), COSTS, "cost", rows_each, steps)
