"""Columns as numbers through the door: what is learned of them, what it costs, and one person in a whole run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.learn.convex.test_row_matrix import training_of
from tests.learn.patients import TEXT, Visit, described, table_of, visits_of

import tacit
from tacit.curator.compared_ways import compare_ways
from tacit.curator.dataset import Dataset
from tacit.curator.learning import read_model
from tacit.errors import Refused
from tacit.learn.convex.convex_plan import WEIGHTS_SHARE, ConvexPlan, Way
from tacit.learn.convex.convex_run import ConvexRun
from tacit.learn.convex.losses import LossKind
from tacit.learn.convex.row_matrix import RowMatrix
from tacit.loss.families.loss import Relation
from tacit.noise.bits import Seeded
from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.query.plans.price import Price, price_of

SQL = "SELECT urgent, ward, age, cost, cost - 500 AS balance FROM visits"
NUMBERS = "age, cost, balance"
ROWS = {"ward": ["a", "c"], "age": [20, 80], "cost": [100.0, None], "balance": [-400.0, None]}
WARDS = "SELECT ward, age, cost FROM visits"


@pytest.fixture
def clinic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Dataset]:
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "elsewhere" / "witness"))
    rng = np.random.default_rng(3)
    rows = [visit for patient in range(6) for visit in visits_of(patient, rng)]
    for patient in range(6, 2_000):
        age = int(rng.integers(0, 100))
        cost, is_urgent = float(rng.random() * 1_000), bool(rng.random() < 0.1 + 0.8 * (age > 50))
        rows.append((patient, "abc"[age // 34], age, cost, is_urgent))
    pq.write_table(table_of(rows), tmp_path / "visits.parquet")
    (tmp_path / "patients.toml").write_text(TEXT, encoding="utf-8")
    with tacit.open(tmp_path / "patients.toml") as dataset:
        yield dataset


@pytest.mark.parametrize("by", ["output", "objective", "gradient"])
@pytest.mark.parametrize("model", ["logistic", "hinge"])
def test_two_classes_are_learned_of_numbers(clinic: Dataset, tmp_path: Path, model: str, by: str) -> None:
    learned = clinic.learn(SQL, target="urgent", model=model, by=by, epsilon=30, numbers=NUMBERS, norm="1.5")
    assert "3 of them are numbers, and a row of these is cut at a length of 1.5." in learned.notes
    assert learned.model.predict(ROWS) == [False, True]
    learned.write(tmp_path / "m.json")
    read = read_model(tmp_path / "m.json")
    assert read.digest == learned.model.digest
    assert read.predict(ROWS) == [False, True]
    again = clinic.learn(SQL, target="urgent", model=model, by=by, epsilon=30, numbers="*a*e, cost", norm="3/2")
    assert again.price.free
    other = clinic.learn(SQL, target="urgent", model=model, by=by, epsilon=30, numbers=NUMBERS, norm=1)
    assert not other.price.free
    with pytest.raises(Refused, match=r"numbers in SQL|this model"):
        clinic.evaluate(learned.model, SQL, epsilon=1)
    assert len(clinic.budget().entries) == 2
    for wrong in ({"norm": "9"}, {"columns": []}, {"norm": "0/0"}):
        said = json.loads((tmp_path / "m.json").read_text())
        said["model"]["numbers"] |= wrong
        (tmp_path / "wrong.json").write_text(json.dumps(said))
        with pytest.raises(Refused, match="cannot be read"):
            read_model(tmp_path / "wrong.json")


@pytest.mark.parametrize("by", ["output", "gradient"])
def test_several_classes_are_learned_of_numbers_alone(clinic: Dataset, by: str) -> None:
    learned = clinic.learn(WARDS, target="ward", model="softmax", by=by, epsilon=50, numbers="*", norm=1)
    found = learned.model.predict({"Age": [5, 95], "COST": [None, 10.0]})
    assert found == ["a", "c"]
    with pytest.raises(Refused, match="rows without cost"):
        learned.model.predict({"age": [5]})


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"model": "logistic", "numbers": "pixel_*"}, "names no such feature"),
        ({"model": "logistic", "norm": 1}, "There are none"),
        ({"model": "logistic", "numbers": "age", "norm": "1.01"}, "are at most 1 long"),
        ({"model": "logistic", "numbers": "age", "norm": 0}, "norm"),
        ({"model": "additive", "numbers": "age"}, "the setting numbers"),
    ],
)
def test_what_cannot_be_a_number_is_refused(clinic: Dataset, settings: dict[str, object], why: str) -> None:
    with pytest.raises(Refused, match=why):
        clinic.learn(SQL, target="urgent", epsilon=1, **settings)
    assert clinic.budget().entries == ()


def test_scores_in_sql_are_refused_before_the_charge(clinic: Dataset) -> None:
    with pytest.raises(Refused, match="scores of a model of numbers"):
        compare_ways(clinic, SQL, target="urgent", epsilon=1, numbers="age")
    with pytest.raises(Refused, match="scores of a model of numbers"):
        clinic.tune(
            SQL, target="urgent", candidates={"norm": ["1/2", 1]}, epsilon=1, model="logistic", numbers="age, cost"
        )
    assert clinic.budget().entries == ()


def planned(folder: Path, relation: Relation = Relation.ADD_REMOVE) -> tuple[ConvexPlan, Price]:
    description = described(folder, relation)
    training = training_of(folder, SQL, "urgent", numbers=NUMBERS)
    plan = ConvexPlan(
        training, LossKind.LOGISTIC, Way.GRADIENT, relation, "one patient", 1, 5, Fraction(1, 2), None, Fraction(1, 2)
    )
    return plan, price_of(description.budget, description.promise, 1, "1e-9", False)


@pytest.mark.parametrize("relation", [Relation.ADD_REMOVE, Relation.REPLACE])
def test_all_steps_cost_the_price(tmp_path: Path, relation: Relation) -> None:
    """A row has two ones and numbers of length ½, times a residual of ½, in steps of 1/1,024, 1/1,024 and 1/4,096."""
    plan, price = planned(tmp_path, relation)
    worlds = 2 if relation is Relation.REPLACE else 1
    spent = (worlds * 2**10) ** 2 * 2 / plan.weights_law(price).variance
    each = (worlds * 2**31) ** 2 * Fraction(9, 4) / plan.residuals_law(price).variance
    assert price.strength * Fraction(99, 100) < spent + 5 * each <= price.strength < spent + 6 * each


def moved(folder: Path, seeds: range) -> float:
    """By how much one patient moves a step that draws the same noise, squared: as a part of what noise is made for."""
    plan, price = planned(folder)
    most = 0.0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        others = [visit for patient in range(4) for visit in visits_of(patient, rng)]
        one: Visit = (9, "b", 99, (np.inf, 1e308, 1_000.0)[seed % 3], bool(seed % 2))
        found = [_step(folder, plan, price, visits, seed) for visits in ([*others, *[one] * 1_000], others)]
        share = (1 - WEIGHTS_SHARE) / plan.steps
        norm_squared = plan.residuals_law(price).variance * price.strength * share
        most = max(most, float(((found[0] - found[1]).astype(float) ** 2).sum()) / float(norm_squared))
    return most


def _step(folder: Path, plan: ConvexPlan, price: Price, visits: Sequence[Visit], seed: int) -> np.ndarray:
    pq.write_table(table_of(visits), folder / "visits.parquet")
    with DuckDBEngine(threads=1).session(described(folder)) as session:
        stages = ConvexRun(plan, price).stages
        counted = np.full(plan.levels, 2**12, "<i8").tobytes()
        return np.frombuffer(stages[1](session, Seeded(seed), [counted]), "<i8")


def test_one_person_moves_a_run_within_its_noise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand rows beyond all bounds. A twin that does not cut their length is caught."""
    assert 0.9 < moved(tmp_path, range(3)) <= 1
    monkeypatch.setattr(RowMatrix, "within", lambda rows, _: rows)
    assert moved(tmp_path, range(3)) > 2
