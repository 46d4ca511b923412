"""Networks that are given numbers: images among them, odd rows, and what one person moves a step by."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from tests.learn.convex.test_row_matrix import matrix_of, training_of
from tests.learn.patients import visits_of
from tests.learn.sgd.networks import moved
from torch import nn

import tacit
from tacit.curator.dataset import Dataset
from tacit.errors import Refused
from tacit.learn.number_columns import NUMBER_STEPS
from tacit.learn.sgd.clipped_sums import ClippedSums, RowLoss
from tacit.learn.sgd.network import PrivateNetwork
from tacit.learn.sgd.network_fit import NetworkFit, NetworkSettings
from tacit.learn.sgd.people_rows import PeopleRows
from tacit.learn.sgd.places import NOBODY

pytestmark = pytest.mark.xdist_group("torch")
SIDE = 6
PIXELS = [f"pixel_{place}" for place in range(SIDE * SIDE)]
IMAGES = f"SELECT shape, {', '.join(PIXELS)} FROM images"
SQL = "SELECT urgent, ward, age, cost, cost - 500 AS balance FROM visits"
FEW: dict[str, Any] = {"rate": "1/4", "steps": 40, "stage_steps": 40, "options": {"lr": 0.03}}


def convolved(inputs: int, outputs: int) -> nn.Module:
    assert inputs == SIDE * SIDE
    image = nn.Unflatten(1, (1, SIDE, SIDE))
    return nn.Sequential(image, nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(16, outputs))


def wide(inputs: int, outputs: int) -> nn.Module:
    return nn.Sequential(nn.Linear(inputs, 8), nn.ReLU(), nn.Linear(8, outputs))


def embedding(inputs: int, outputs: int) -> nn.Module:
    return nn.Sequential(nn.Embedding(inputs, 4), nn.Flatten(), nn.Linear(4, outputs))


def drawn(many: int) -> tuple[np.ndarray, np.ndarray]:
    """Images with a bright column or a bright row, and which."""
    rng = np.random.default_rng(1)
    images, shapes = rng.integers(0, 60, (many, SIDE, SIDE)), rng.integers(0, 2, many)
    for image, shape, at in zip(images, shapes, rng.integers(0, SIDE, many), strict=True):
        image[(at, slice(None)) if shape else (slice(None), at)] = 255
    return images.reshape(many, -1), shapes


@pytest.fixture
def gallery(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Dataset]:
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "elsewhere" / "witness"))
    images, shapes = drawn(800)
    columns = {name: pa.array(images[:, place], mask=shapes > 1) for place, name in enumerate(PIXELS)}
    columns["pixel_0"] = pa.array([None if place % 50 == 0 else 10**9 for place in range(800)])
    pq.write_table(pa.table({"shape": shapes, **columns}), tmp_path / "images.parquet")
    listed = "\n".join(f'{name} = {{ type = "int", min = 0, max = 255 }}' for name in PIXELS)
    text = f"""\
[dataset]
name = "images"
unit = {{ row = true, hides = "one image" }}
budget = {{ epsilon = 100, delta = 1e-6 }}

[tables.images]
source = "images.parquet"

[tables.images.columns]
shape = {{ type = "int", keys = [0, 1] }}
{listed}
"""
    (tmp_path / "images.toml").write_text(text, encoding="utf-8")
    with tacit.open(tmp_path / "images.toml") as dataset:
        yield dataset


def test_a_convolution_learns_images(gallery: Dataset) -> None:
    learned = gallery.train(convolved, IMAGES, target="shape", epsilon=20, numbers="pixel_*", **FEW)
    images, shapes = drawn(200)
    columns = {name: images[:, place] for place, name in enumerate(PIXELS)}
    assert float(np.mean(np.array(learned.network.predict(columns)) == shapes)) > 0.9
    again = gallery.train(convolved, IMAGES, target="shape", epsilon=20, numbers="*", **FEW)
    assert again.price.free
    with pytest.raises(Refused, match="numbers into an Embedding"):
        gallery.train(embedding, IMAGES, target="shape", epsilon=20, numbers="*", **FEW)
    assert len(gallery.budget().entries) == 1


def test_a_network_predicts_from_what_it_was_trained_on(tmp_path: Path) -> None:
    """Numbers, then levels: the inputs of the training are those of a prediction, NULL and values out of bounds too."""
    training = training_of(tmp_path, SQL, "urgent", numbers="age, cost, balance", is_each_row=True)
    fit = NetworkFit.of(wide, training, NetworkSettings())
    visits = [(1, ward, age, cost, True) for ward in ("a", None) for age in (None, 5, 999) for cost in (None, 1e9, 7.0)]
    people = PeopleRows.of(matrix_of(fit.reading, visits), 1, is_number=False, are_columns=True)
    columns = dict(zip(("ward", "age", "cost"), list(zip(*visits, strict=True))[1:4], strict=True))
    columns["balance"] = tuple(None if cost is None else cost - 500 for cost in columns["cost"])
    batch = people.batch(np.arange(people.people))
    given = sorted(map(tuple, batch.rows[:, 0].tolist()))
    assert given == sorted(map(tuple, fit.inputs.tensor(columns).tolist()))
    assert fit.inputs.columns == batch.rows.shape[2] == 3 + 4
    assert not people.batch(np.array([NOBODY])).rows[..., :3].any()


@pytest.mark.parametrize("clip", ["0.001", "1"])
def test_one_person_moves_whole_numbers_within_the_sensitivity(tmp_path: Path, clip: str) -> None:
    """Through the SQL: NULL, infinities, values out of bounds and thousands of equal visits, of which four are read."""
    training = training_of(tmp_path, SQL, "urgent", numbers="age, cost, balance")
    fit = NetworkFit.of(wide, training, NetworkSettings(rows_each=4, clip=clip))
    sums = ClippedSums(PrivateNetwork.of(fit.run.model), RowLoss.CROSS_ENTROPY, fit.bound)
    most = 0.0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        people = [visits_of(patient, rng) for patient in range(5)]
        people[4].append((4, "b", 2**31 - 1, np.inf, True))
        people[4] *= (1, 1_000)[seed % 2]
        matrix = matrix_of(fit.reading, [visit for own in people for visit in own])
        assert matrix.numbers is not None
        assert np.abs(matrix.numbers).max() <= NUMBER_STEPS
        rows = PeopleRows.of(matrix, 4, is_number=False, are_columns=True)
        one, other = np.arange(rows.people), np.arange(rows.people)
        other[-1] = NOBODY
        most = max(most, moved(sums, rows.batch(one), rows.batch(other)))
    assert most <= 1
    assert most > 0.9 or clip == "1"
    assert torch.isfinite(rows.batch(one).rows).all()
