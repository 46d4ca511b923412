"""Models by sums through the door: what they learn, that they are paid for once, and that they are read back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from tests.learn.sums.plans import CLASSES, NUMBERS

from tacit.curator.dataset import Dataset
from tacit.curator.learning import read_model
from tacit.errors import Refused

URGENT = "SELECT urgent, age FROM visits"
ROWS: dict[str, Any] = {"ward": ["a", "c"], "age": [20, 80], "cost": [100.0, 900.0], "urgent": [True, None]}
ASKED: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    ("linear", "SELECT cost, age, urgent FROM visits", "cost", {"rows_each": 2}),
    ("naive-bayes", URGENT, "urgent", {"bins": 8}),
    ("multinomial", CLASSES, "ward", {"bins": 4, "steps": 3}),
    ("kmeans", NUMBERS, "", {"centres": 3, "steps": 2}),
    ("pca", NUMBERS, "", {}),
)


@pytest.mark.parametrize(("kind", "sql", "target", "settings"), ASKED)
def test_models_are_paid_for_once_and_kept(
    clinic: Dataset, tmp_path: Path, kind: str, sql: str, target: str, settings: dict[str, Any]
) -> None:
    learned = clinic.learn(sql, target=target, model=kind, epsilon=30, **settings)
    assert len(clinic.budget().entries) == 1
    again = clinic.learn(sql, target=target, model=kind, epsilon=10, **settings)
    assert again.price.free
    assert again.model.digest == learned.model.digest
    learned.write(tmp_path / "model.json")
    read = read_model(tmp_path / "model.json")
    assert read.digest == learned.model.digest
    assert repr(read.predict(ROWS)) == repr(learned.model.predict(ROWS))
    told = {"linear": "± is 95% of the noise", "kmeans": "rows", "pca": "Variances are of columns"}
    assert told.get(kind, "one patient") in str(learned)
    with pytest.raises(Refused, match="setting"):
        clinic.learn(sql, target=target, model=kind, epsilon=30, sweeps=3)


def test_naive_bayes_tells_young_from_old(clinic: Dataset) -> None:
    model = clinic.learn(URGENT, target="urgent", model="naive-bayes", epsilon=30, bins=8).model
    assert model.predict(ROWS) == [False, True]
    shares = model.probabilities(ROWS)
    assert shares is not None
    assert np.allclose(shares.sum(axis=1), 1)


def test_a_multinomial_model_of_two_classes_does_too(clinic: Dataset) -> None:
    model = clinic.learn(URGENT, target="urgent", model="multinomial", epsilon=30, bins=8).model
    assert model.predict(ROWS) == [False, True]


@pytest.mark.parametrize(
    ("kind", "sql", "target"),
    [
        ("linear", "SELECT cost, age, urgent FROM visits", "cost"),
        pytest.param("multinomial", CLASSES, "ward", marks=pytest.mark.long),
    ],
)
def test_what_is_judged_is_what_python_predicts(
    clinic: Dataset, tmp_path: Path, kind: str, sql: str, target: str
) -> None:
    """DuckDB and Python predict the same of every complete row."""
    model = clinic.learn(sql, target=target, model=kind, epsilon=30).model
    clinic.evaluate(model, sql, epsilon=1, interval="bounded")  # the query can be planned
    table = duckdb.read_parquet(str(tmp_path / "visits.parquet"))
    rows = table.filter("cost BETWEEN 0 AND 1000 AND age BETWEEN 0 AND 99 AND urgent IS NOT NULL AND ward <= 'c'")
    kept = rows.project(f"*, {model.judged_sql()} AS judged").to_arrow_table().to_pylist()
    assert len(kept) > 1_000
    predicted = model.predict({name: [row[name] for row in kept] for name in ("ward", "age", "cost", "urgent")})
    for one, row in zip(predicted, kept, strict=True):
        expected = (one - row["cost"]) ** 2 if kind == "linear" else one == row["ward"]
        assert abs(row["judged"] - expected) <= 1e-9 * (1 + expected)


def test_what_has_no_truth_is_not_evaluated(clinic: Dataset) -> None:
    for kind in ("kmeans", "pca"):
        model = clinic.learn(NUMBERS, model=kind, epsilon=30).model
        with pytest.raises(Refused, match="an evaluation"):
            clinic.evaluate(model, NUMBERS, epsilon=1)
        with pytest.raises(Refused, match="the target age"):
            clinic.learn(NUMBERS, target="age", model=kind, epsilon=30)
