"""Networks through the door: what they learn, what they cost, how they are kept, and which requests are refused."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from tests.learn.patients import COSTS, SQL, TEXT, table_of, visits_of
from torch import nn

import tacit
from tacit.curator.dataset import Dataset
from tacit.errors import Refused
from tacit.learn.sgd.trained_network import load_network

pytestmark = pytest.mark.xdist_group("torch")
ROWS = {"ward": ["a", "b"], "age": [20, 80], "cost": [100.0, None]}
FEW: dict[str, Any] = {"bins": 8, "rate": "1/4", "steps": 40, "stage_steps": 15, "options": {"lr": 0.03}}


def wide(inputs: int, outputs: int) -> nn.Module:
    return nn.Sequential(nn.Linear(inputs, 16), nn.ReLU(), nn.Linear(16, outputs))


def embedding(inputs: int, outputs: int) -> nn.Module:
    """Each feature's level as four numbers, which are averaged by a linear layer."""
    return nn.Sequential(nn.Embedding(inputs, 4), nn.Flatten(), nn.LayerNorm(12), nn.Linear(12, outputs))


@cache
def visits() -> pa.Table:
    rng = np.random.default_rng(3)
    return table_of([visit for patient in range(600) for visit in visits_of(patient, rng)])


@pytest.fixture
def clinic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Dataset]:
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "elsewhere" / "witness"))
    pq.write_table(visits(), tmp_path / "visits.parquet")
    (tmp_path / "patients.toml").write_text(TEXT, encoding="utf-8")
    with tacit.open(tmp_path / "patients.toml") as dataset:
        yield dataset


def test_a_network_learns_and_is_paid_for_once(clinic: Dataset, tmp_path: Path) -> None:
    learned = clinic.train(wide, SQL, target="urgent", epsilon=20, rows_each=4, **FEW)
    assert learned.network.predict(ROWS) == [False, True]
    again = clinic.train(wide, SQL, target="urgent", epsilon=20, rows_each=4, **FEW)
    assert again.network.digest == learned.network.digest
    assert again.price.free
    assert not learned.price.free
    assert len(clinic.budget().entries) == 1
    learned.write(tmp_path / "urgent.safetensors")
    same = wide(learned.network.inputs.columns, 2)
    said = load_network(tmp_path / "urgent.safetensors", same)
    assert torch.equal(same[0].weight, learned.network.model[0].weight)
    assert json.loads(said["certificate"])["statement"]["shown"] == learned.network.digest == said["digest"]
    other = nn.Sequential(nn.Linear(learned.network.inputs.columns, 8), nn.ReLU(), nn.Linear(8, 2))
    for place in ("urgent.safetensors", "patients.toml", "nothing"):
        with pytest.raises(Refused, match="the network in"):
            load_network(tmp_path / place, other)
    changed = {**FEW, "options": {"lr": 0.01}}
    assert not clinic.train(wide, SQL, target="urgent", epsilon=20, rows_each=4, **changed).price.free
    assert len(clinic.budget().entries) == 2


def test_a_number_is_estimated_by_an_embedding(clinic: Dataset) -> None:
    learned = clinic.train(embedding, COSTS, target="cost", epsilon=20, rows_each=4, **FEW)
    predicted = learned.network.predict({"ward": ["a"], "age": [50], "urgent": [None]})
    assert 300 < predicted[0] < 700
    with pytest.raises(Refused, match="rows without ward"):
        learned.network.predict({"age": [50], "urgent": [True]})


def test_first_weights_come_from_a_seed(clinic: Dataset) -> None:
    """Weights that are given are drawn anew, unless they are said to be public; and the caller's model stays."""
    model = wide(22, 2)
    with torch.no_grad():
        model[0].weight.fill_(7)
    few = {**FEW, "steps": 1, "optimizer": torch.optim.SGD, "options": {"lr": 1e-9}}
    learned = clinic.train(model, SQL, target="urgent", epsilon=5, **few)
    assert float(learned.network.model[0].weight.detach().abs().max()) < 1
    kept = clinic.train(model, SQL, target="urgent", epsilon=5, weights_are_public=True, **few)
    assert float(kept.network.model[0].weight.detach().min()) > 6.9
    assert float(model[0].weight.detach().min()) == 7


@pytest.mark.parametrize(
    ("model", "settings", "why"),
    [
        (nn.Sequential(nn.Linear(7, 2)), {}, "22 levels of features"),
        (nn.Sequential(nn.Linear(22, 3)), {}, "2 outputs"),
        (nn.Sequential(nn.Embedding(9, 4), nn.Flatten(), nn.Linear(12, 2)), {}, "does not fit"),
        (nn.Sequential(nn.Linear(22, 8), nn.BatchNorm1d(8), nn.Linear(8, 2)), {}, "BatchNorm1d"),
        (nn.Sequential(nn.Linear(22, 2)), {"optimizer": torch.optim.LBFGS}, "LBFGS"),
        (nn.Sequential(nn.Linear(22, 2)), {"options": {"lr": float("nan")}}, "lr"),
        (nn.Sequential(nn.Linear(22, 2)), {"rows_each": 0}, "rows_each"),
        (nn.Sequential(nn.Linear(22, 2)), {"rows_each": 300}, "300 rows of a person"),
        (nn.Sequential(nn.Linear(22, 2)), {"rate": "3/2"}, "rate"),
        (nn.Sequential(nn.Linear(22, 2)), {"stage_steps": 0}, "stage_steps"),
        (nn.Sequential(nn.Linear(22, 2)), {"clip": 0}, "clip"),
        (nn.Sequential(nn.Linear(22, 2)), {"momentum": 0}, "the setting momentum"),
    ],
)
def test_requests_that_are_refused_cost_nothing(
    clinic: Dataset, model: nn.Module, settings: dict[str, Any], why: str
) -> None:
    with pytest.raises(Refused, match=why):
        clinic.train(model, SQL, target="urgent", epsilon=1, bins=8, **settings)
    assert not clinic.budget().entries


def test_less_than_float32_is_refused(clinic: Dataset) -> None:
    torch.set_float32_matmul_precision("medium")
    try:
        with pytest.raises(Refused, match="less than float32"):
            clinic.train(wide, SQL, target="urgent", epsilon=1, **FEW)
    finally:
        torch.set_float32_matmul_precision("highest")


def test_replaced_people_are_refused(clinic: Dataset, tmp_path: Path) -> None:
    text = TEXT.replace('all visits" }', 'all visits", relation = "replace" }')
    assert text != TEXT
    (tmp_path / "replaced.toml").write_text(text, encoding="utf-8")
    with tacit.open(tmp_path / "replaced.toml") as dataset, pytest.raises(Refused, match="Poisson samples"):
        dataset.train(wide, SQL, target="urgent", epsilon=1, **FEW)


def test_torch_loads_with_the_first_network() -> None:
    code = "import sys, tacit, tacit.curator.dataset, tacit.learn, tacit.cli.main; print('torch' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "False"
