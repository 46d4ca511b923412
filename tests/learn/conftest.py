"""A clinic of 400 patients for models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.learn.patients import TEXT, table_of, visits_of

import tacit
from tacit.curator.dataset import Dataset


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
