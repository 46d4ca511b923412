"""Models through the door: what they learn, what they cost, how they are kept, and how good they are said to be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.learn.patients import COSTS, SQL, TEXT, table_of, visits_of

import tacit
from tacit.curator.dataset import Dataset
from tacit.curator.learning import read_model
from tacit.errors import Refused


@pytest.fixture
def clinic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Dataset]:
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "elsewhere" / "witness"))
    rng = np.random.default_rng(3)
    pq.write_table(
        table_of([v for patient in range(400) for v in visits_of(patient, rng)]), tmp_path / "visits.parquet"
    )
    (tmp_path / "patients.toml").write_text(TEXT, encoding="utf-8")
    with tacit.open(tmp_path / "patients.toml") as dataset:
        yield dataset


ROWS = {"ward": ["a", "b"], "age": [20, 80], "cost": [100.0, None]}


def test_a_model_learns_and_is_paid_for_once(clinic: Dataset, tmp_path: Path) -> None:
    learned = clinic.learn(SQL, target="urgent", epsilon=20, bins=8)
    young, old = learned.model.probability(ROWS)
    assert young < 0.45 < 0.6 < old
    assert learned.model.predict(ROWS) == [False, True]
    assert len(clinic.budget().entries) == 1
    again = clinic.learn(SQL, target="urgent", epsilon=10, bins=8)
    assert again.model.digest == learned.model.digest
    assert again.price.free
    assert len(clinic.budget().entries) == 1
    learned.write(tmp_path / "model.json")
    assert read_model(tmp_path / "model.json").digest == learned.model.digest
    certificate = json.loads((tmp_path / "model.json").read_text())["certificate"]
    assert certificate["statement"]["shown"] == learned.model.digest


def test_a_number_is_estimated_within_its_bounds(clinic: Dataset) -> None:
    learned = clinic.learn(COSTS, target="cost", epsilon=40, bins=8)
    predicted = learned.model.predict({"ward": ["a"], "age": [50], "urgent": [None]})
    assert 300 < predicted[0] < 700
    with pytest.raises(Refused, match="regression"):
        learned.model.probability(ROWS)


def test_evaluation_is_a_query_and_agrees_with_plain_arithmetic(clinic: Dataset, tmp_path: Path) -> None:
    """The engine and Python give every row the same level: the share of right predictions is within its interval."""
    model = clinic.learn(SQL, target="urgent", epsilon=20, bins=8).model
    answer = clinic.evaluate(model, f"{SQL} WHERE cost IS NOT NULL", epsilon=50, interval="bounded").rendered
    rows = [row for row in pq.read_table(tmp_path / "visits.parquet").to_pylist() if row["urgent"] is not None]
    kept = [row for row in rows if row["cost"] is not None and not np.isnan(row["cost"])]
    columns = {name: [row[name] for row in kept] for name in ("ward", "age", "cost")}
    truth = np.mean([a == b["urgent"] for a, b in zip(model.predict(columns), kept, strict=True)])
    assert abs(answer["accuracy"].values.value[0] - truth) < 0.2


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    for text in ("", "[]", '{"model": {}}', '{"model": {"version": 9}}'):
        (tmp_path / "m.json").write_text(text)
        with pytest.raises(Refused, match="cannot be read"):
            read_model(tmp_path / "m.json")
