"""Convex models through the door: what they learn and cost, the noise they have, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from math import sqrt
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.learn.convex.test_row_matrix import training_of
from tests.learn.patients import COSTS, SQL, TEXT, described, table_of, visits_of

import tacit
from tacit.curator.compared_ways import compare_ways
from tacit.curator.dataset import Dataset
from tacit.curator.learning import read_model
from tacit.errors import Refused
from tacit.learn.coded_rows import SCORE
from tacit.learn.convex.convex_plan import ConvexPlan, Way
from tacit.learn.convex.convex_run import ConvexRun
from tacit.learn.convex.design import FINEST
from tacit.learn.convex.losses import LossKind
from tacit.learn.convex.objective_perturbation import TILT_BITS, ObjectiveNoise
from tacit.learn.convex.output_perturbation import COUNT_SHARE, OutputNoise, count_law, ridge_for
from tacit.loss.families.loss import Relation
from tacit.noise.bits import Seeded
from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.query.plans.price import Price, price_of

ROWS = {"ward": ["a", "c"], "age": [20, 80], "cost": [100.0, 500.0]}
WAYS = ["output", "objective", "gradient"]
WARDS = "SELECT ward, age, urgent FROM visits"


@pytest.fixture
def clinic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Dataset]:
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "elsewhere" / "witness"))
    rng = np.random.default_rng(3)
    rows = [visit for patient in range(6) for visit in visits_of(patient, rng)]
    for patient in range(6, 3_000):
        age = int(rng.integers(0, 100))
        rows.append(
            (patient, "abc"[age // 34], age, float(rng.random() * 1_000), bool(rng.random() < 0.1 + 0.8 * (age > 50)))
        )
    pq.write_table(table_of(rows), tmp_path / "visits.parquet")
    (tmp_path / "patients.toml").write_text(TEXT, encoding="utf-8")
    with tacit.open(tmp_path / "patients.toml") as dataset:
        yield dataset


@pytest.mark.parametrize("by", WAYS)
@pytest.mark.parametrize("model", ["logistic", "hinge"])
def test_two_classes_are_learned_in_three_ways(clinic: Dataset, tmp_path: Path, model: str, by: str) -> None:
    learned = clinic.learn(SQL, target="urgent", model=model, by=by, epsilon=40, bins=8)
    assert learned.model.predict(ROWS) == [False, True]
    chances = learned.model.probabilities(ROWS)
    assert (chances is None) == (model == "hinge")
    if chances is not None:
        assert chances[0, 1] < 0.5 < chances[1, 1]
        assert np.abs(chances.sum(axis=1) - 1).max() < 1e-12
    again = clinic.learn(SQL, target="urgent", model=model, by=by, epsilon=10, bins=8)
    assert again.price.free
    assert len(clinic.budget().entries) == 1
    learned.write(tmp_path / "m.json")
    assert read_model(tmp_path / "m.json").digest == learned.model.digest == again.model.digest


@pytest.mark.parametrize("by", ["output", "gradient"])
def test_several_classes_are_learned_and_judged_like_python_does(clinic: Dataset, tmp_path: Path, by: str) -> None:
    learned = clinic.learn(WARDS, target="ward", model="softmax", by=by, epsilon=20, bins=4)
    answer = clinic.evaluate(learned.model, WARDS, epsilon=50, interval="bounded").rendered
    rows = [row for row in pq.read_table(tmp_path / "visits.parquet").to_pylist() if row["ward"] in ("a", "b", "c")]
    columns = {name: [row[name] for row in rows] for name in ("age", "urgent")}
    truth = np.mean([a == b["ward"] for a, b in zip(learned.model.predict(columns), rows, strict=True)])
    assert abs(answer["accuracy"].values.value[0] - truth) < 0.2
    chances = learned.model.probabilities(columns)
    assert chances is not None
    assert chances.shape == (len(rows), 3)


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"model": "forest"}, "a model called forest"),
        ({"model": "logistic", "by": "magic"}, "training by magic"),
        ({"model": "logistic", "depth": 3}, "the setting depth"),
        ({"model": "softmax", "by": "objective"}, "softmax by objective"),
        ({"model": "logistic", "ridge": 1}, "a ridge of your own"),
        ({"model": "logistic", "rows_each": 2}, "with rows"),
        ({"model": "logistic", "by": "output", "ridge": "1e-9"}, "a ridge of 1e-09"),
        ({"model": "logistic", "by": "output", "clip": "0.5"}, "with a clip"),
        ({"model": "logistic", "by": "gradient", "clip": "0.1"}, "residuals cut"),
        ({"model": "logistic", "by": "gradient", "steps": 0}, "0 steps"),
        ({"model": "logistic", "by": "output", "rows_each": 0}, "0 rows"),
    ],
)
def test_what_cannot_be_trained_is_refused(clinic: Dataset, settings: dict[str, object], why: str) -> None:
    with pytest.raises(Refused, match=why):
        clinic.learn(SQL, target="urgent", epsilon=1, **settings)  # type: ignore[arg-type]
    with pytest.raises(Refused, match="of a number"):
        clinic.learn(COSTS, target="cost", model="logistic", epsilon=1)
    assert clinic.budget().entries == ()


def test_files_that_are_no_models_are_refused(clinic: Dataset, tmp_path: Path) -> None:
    clinic.learn(SQL, target="urgent", model="logistic", epsilon=20, bins=4).write(tmp_path / "m.json")
    whole = json.loads((tmp_path / "m.json").read_text())
    for name, wrong in (("kind", "tree"), ("clip", 7), ("features", []), ("scale", 1), ("version", 9)):
        (tmp_path / "wrong.json").write_text(json.dumps(whole | {"model": whole["model"] | {name: wrong}}))
        with pytest.raises(Refused, match="cannot be read"):
            read_model(tmp_path / "wrong.json")


def test_a_comparison_is_paid_for_whole_or_not_at_all(clinic: Dataset) -> None:
    told: list[str] = []
    with pytest.raises(Refused):
        compare_ways(clinic, SQL, target="urgent", epsilon=60, said=told.append)
    assert (told, clinic.budget().entries) == ([], ())
    found = compare_ways(clinic, SQL, target="urgent", epsilon=5, bins=4, said=told.append)
    assert told == [found.total]
    assert len(clinic.budget().entries) == 6
    assert clinic.budget().used == 6 * clinic.budget().entries[0].share
    assert list(found.models) == WAYS
    assert str(found).count("accuracy") == 3


def planned(folder: Path, way: Way, relation: Relation, loss: LossKind = LossKind.LOGISTIC) -> tuple[ConvexPlan, Price]:
    description = described(folder, relation)
    training = training_of(folder, SQL, "urgent")
    clip = Fraction(1, 2) if way is Way.GRADIENT else Fraction(1)
    plan = ConvexPlan(training, loss, way, relation, "one patient", 1, 5, clip, None)
    return plan, price_of(description.budget, description.promise, 1, "1e-9", False)


@pytest.mark.parametrize("relation", [Relation.ADD_REMOVE, Relation.REPLACE])
def test_all_parts_cost_the_price(tmp_path: Path, relation: Relation) -> None:
    plan, price = planned(tmp_path, Way.GRADIENT, relation)
    worlds = 2 if relation is Relation.REPLACE else 1
    norm = Fraction((worlds * plan.sums.most) ** 2 * 4)
    spent = norm / plan.weights_law(price).variance
    each = norm * plan.sums.residual_squared / plan.residuals_law(price).variance
    assert price.strength * Fraction(99, 100) < spent + 5 * each <= price.strength < spent + 6 * each
    share = price.strength * (1 - COUNT_SHARE)
    noise = OutputNoise(3.0, 1, 1, relation)
    coefficients = (noise.sensitivity * 2**FINEST) ** 2 / noise.law(share).variance
    count = 1 / count_law(price.strength * COUNT_SHARE).variance
    assert price.strength * Fraction(97, 100) < coefficients + count <= price.strength


def drawn(folder: Path, way: Way, seeds: range) -> list[np.ndarray]:
    """The scores that are released of no rows, for each seed."""
    plan, price = planned(folder, way, Relation.ADD_REMOVE)
    pq.write_table(table_of([]), folder / "visits.parquet")
    found = []
    with DuckDBEngine(threads=1).session(described(folder)) as session:
        for seed in seeds:
            released: list[bytes] = []
            for place, stage in enumerate(ConvexRun(plan, price).stages):
                released.append(stage(session, Seeded(100 * seed + place), released))
            scores = [level[0] for each in json.loads(released[-1])["features"] for level in each["scores"]]
            found.append(np.array(scores, float) / SCORE)
    return found


def test_objective_noise_is_that_of_its_law(tmp_path: Path) -> None:
    """Of no rows the minimiser is −b/λ. Of 420 numbers; false alarm below 10⁻⁶ at 5 deviations; σ·0.8 is caught."""
    values = np.concatenate(drawn(tmp_path, Way.OBJECTIVE, range(30)))
    plan, price = planned(tmp_path, Way.OBJECTIVE, Relation.ADD_REMOVE)
    noise = ObjectiveNoise(price.strength, plan.loss, plan.numbers, Relation.ADD_REMOVE)
    spread = noise.tilt_law.variance / Fraction(noise.ridge) ** 2 / 4**TILT_BITS + noise.grid_law.variance / 4**FINEST
    _check(values, float(spread) / 4)


def test_output_noise_is_that_of_its_law(tmp_path: Path) -> None:
    """The ridge follows from a noisy number of nobody, which the test takes from the same bits."""
    _, price = planned(tmp_path, Way.OUTPUT, Relation.ADD_REMOVE)
    share = price.strength * (1 - COUNT_SHARE)
    ratios = []
    for seed, values in enumerate(drawn(tmp_path, Way.OUTPUT, range(30))):
        (count,) = count_law(price.strength * COUNT_SHARE).draw(1, Seeded(100 * seed))
        noise = OutputNoise(ridge_for(int(count), float(share)), 1, 1, Relation.ADD_REMOVE)
        ratios.append(values / (sqrt(noise.law(share).variance) / 2**FINEST / 2))
    _check(np.concatenate(ratios), 1.0)


def _check(values: np.ndarray, variance: float) -> None:
    ratio, room = float(np.mean(values**2)) / variance, 5 * sqrt(2 / len(values))
    assert abs(ratio - 1) < room
    assert abs(0.64 * ratio - 1) > room  # a broken twin: σ·0.8
