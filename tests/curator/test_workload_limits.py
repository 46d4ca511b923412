"""Workloads of large values, at small ε, and under a changed description: no number wraps or is wrong."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pytest

import tacit
from tacit.curator.dataset import Dataset
from tacit.errors import Refused
from tacit.query.post_noise.estimates import Estimates

LARGEST = 10**15
PEOPLE = """\
[dataset]
name = "people"
unit = { row = true, hides = "one person" }
budget = { epsilon = 200, delta = 1e-6 }
floor = 0

[tables.people]
source = "people.parquet"

[tables.people.columns]
region = { type = "text", keys = KEYS, nullable = false }
income = { type = "int", min = 0, max = LARGEST, nullable = false }
"""
ROWS = f"""\
SELECT ['north', 'south', 'east'][1 + greatest(i % 10 - 7, 0)] AS region, i % 101 * {LARGEST // 100} AS income
FROM range(6000) AS r(i)
"""
SUMS = "SELECT region, SUM(income) FROM people GROUP BY region; SELECT SUM(income) FROM people"
COUNTS = "SELECT region, COUNT(*) AS n FROM people GROUP BY region"


def described(folder: Path, keys: str) -> Dataset:
    text = PEOPLE.replace("KEYS", keys).replace("LARGEST", str(LARGEST))
    (folder / "people.toml").write_text(text, encoding="utf-8")
    return tacit.open(folder / "people.toml")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "elsewhere" / "witness"))
    duckdb.sql(ROWS).write_parquet(str(tmp_path / "people.parquet"))
    return tmp_path


def sums(dataset: Dataset, epsilon: str) -> tuple[Estimates, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    listed = dataset.workload(SUMS, epsilon=epsilon).tables[-1].release.rendered.columns[-1].values
    assert isinstance(listed, Estimates)
    truth = duckdb.sql(f"SELECT SUM(income) FROM ({ROWS}) GROUP BY region ORDER BY region").fetchall()
    return listed, np.array([float(row[0]) for row in truth])


@pytest.mark.parametrize("epsilon", ["100", "1", "0.001"])
def test_sums_of_large_values_do_not_wrap(folder: Path, epsilon: str) -> None:
    """A person is 2^50 steps, and what is measured of all people would not fit a word. Fails once in 10^8."""
    with described(folder, '["north", "south", "east"]') as dataset:
        found, truth = sums(dataset, epsilon)
        assert (np.abs(found.value - truth) <= 3 * (found.high - found.low) / 2).all()
        assert (found.high - found.low < 100 * LARGEST / float(epsilon)).all()


def test_whatever_is_priced_is_stored(folder: Path) -> None:
    """At the least ε noise does not fit a word either; it is charged, and stored."""
    with described(folder, '["north", "south", "east"]') as dataset:
        dataset.workload(SUMS, epsilon="1e-9", delta="1e-30")
        assert dataset.workload(SUMS).price.free


@pytest.mark.parametrize(
    "keys", ['["east", "south", "north"]', '["south", "north", "east", "west"]', '["north", "south", "east", "west"]']
)
def test_no_release_answers_under_other_keys(folder: Path, keys: str) -> None:
    """What was measured of one key's cells says nothing of another's; it keeps nobody from asking anew."""
    with described(folder, '["north", "south", "east"]') as dataset:
        dataset.workload(COUNTS, epsilon=5)
    with described(folder, keys) as dataset:
        north = "SELECT COUNT(*) AS n FROM people WHERE region = 'north'"
        for ask in (dataset.query, dataset.workload):
            with pytest.raises(Refused, match="without a price"):
                ask(north)
        listed = dataset.workload(north, epsilon=5).tables[0].release.rendered.columns[-1].values
        assert isinstance(listed, Estimates)
        assert abs(float(listed.value[0]) - 4800) < 100
