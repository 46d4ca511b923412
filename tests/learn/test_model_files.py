"""Models as files: plain data, which are read only as they were signed."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest
from tests.learn.patients import SQL

from tacit.curator.dataset import Dataset
from tacit.curator.learning import read_model
from tacit.curator.model_file import SignedModel
from tacit.errors import Refused

_RUNS_WHAT_IT_READS = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}
_CALLS = {"read_pickle", "to_pickle"}


@pytest.fixture
def written(clinic: Dataset, tmp_path: Path) -> Path:
    clinic.learn(SQL, target="urgent", epsilon=20, bins=4, steps=3).write(tmp_path / "m.json")
    return tmp_path / "m.json"


def changed(place: Path, **by: Any) -> Path:
    """The file with other fields of the model."""
    whole = json.loads(place.read_text())
    whole["model"] |= by
    place.with_name("other.json").write_text(json.dumps(whole))
    return place.with_name("other.json")


def test_a_model_is_read_as_it_was_written(written: Path) -> None:
    found = SignedModel.parsed(written.read_bytes())
    assert found is not None
    assert found.verdict.holds
    assert read_model(written).digest == found.certificate.statement.shown
    assert read_model(changed(written)).digest == read_model(written).digest  # the spelling is free


def test_a_changed_model_is_refused(written: Path) -> None:
    features = json.loads(written.read_text())["model"]["features"]
    features[1]["scores"][0] += 1
    for fields in ({"features": features}, {"clip": 0.6}, {"target": {"name": "x", "item": "x"}}):
        with pytest.raises(Refused):
            read_model(changed(written, **fields))
    with pytest.raises(Refused, match="was changed"):
        read_model(changed(written, clip=0.75))


def test_a_changed_certificate_is_refused(written: Path) -> None:
    whole = json.loads(written.read_text())
    for name, value in (("price", "ε = 0.01"), ("unit", "nobody"), ("shown", "0" * 64)):
        other = {**whole, "certificate": {**whole["certificate"]}}
        other["certificate"]["statement"] = {**whole["certificate"]["statement"], name: value}
        written.with_name("other.json").write_text(json.dumps(other))
        with pytest.raises(Refused, match="signature does not match"):
            read_model(written.with_name("other.json"))
    written.with_name("other.json").write_text(json.dumps({**whole, "certificate": None}))
    with pytest.raises(Refused):
        read_model(written.with_name("other.json"))


def test_no_file_that_is_read_can_run_code() -> None:
    """No module of Tacit imports a library whose files run code when they are read, or asks another for such a file."""
    files = [*Path("src/tacit").rglob("*.py")]
    assert len(files) > 500
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names: set[str] = set()
            if isinstance(node, ast.Import):
                names = {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names = {(node.module or "").split(".")[0]}
            elif isinstance(node, ast.Attribute):
                names = {node.attr}
            assert not names & (_RUNS_WHAT_IT_READS | _CALLS), file
            assert not (isinstance(node, ast.keyword) and node.arg == "allow_pickle"), file
