"""Models through the door: what they learn, what they cost, and how they are kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.learn.patients import COSTS, SQL

from tacit.curator.dataset import Dataset
from tacit.curator.learning import read_model
from tacit.errors import Refused

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


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    for text in ("", "[]", '{"model": {}}', '{"model": {"version": 9}}'):
        (tmp_path / "m.json").write_text(text)
        with pytest.raises(Refused, match="cannot be read"):
            read_model(tmp_path / "m.json")
