"""Free and paid queries: the same question, in any spelling, is paid for once (R43)."""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tacit.curator.dataset import Dataset, open_dataset
from tacit.curator.door import release
from tacit.errors import Refused

DESCRIPTION = """\
[dataset]
name = "clinic"
unit = {{ id = "patient", hides = "one patient" }}
budget = {{ epsilon = 4, delta = 1e-7 }}
{analysts}
[tables.visits]
source = "visits.parquet"
{limits}
[tables.visits.columns]
region = {{ type = "text", keys = ["north", "south"] }}
ward = {{ type = "text" }}
cost = {{ type = "money", min = 0, max = {most} }}
"""
ROWS = """SELECT (i % 300) AS patient, CASE WHEN i % 3 = 0 THEN 'north' ELSE 'south' END AS region,
'w' || (i % 3) AS ward, (i % 97)::DOUBLE AS cost FROM range(1500) AS r(i)"""
BOTH = "SELECT region, COUNT(*), AVG(cost) FROM visits GROUP BY region"


class Folder:
    """A data set in a folder of its own."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.fill(ROWS)

    def fill(self, rows: str) -> None:
        duckdb.execute(f"COPY ({rows}) TO '{self.place / 'visits.parquet'}' (FORMAT parquet)")

    def open(self, most: int = 1000, limits: str = "limits = { rows = 6 }", analysts: str = "", **more: str) -> Dataset:
        file = self.place / more.pop("file", "clinic.toml")
        file.write_text(DESCRIPTION.format(most=most, limits=limits, analysts=analysts))
        return open_dataset(file, ledger=self.place / "ledger.sqlite", **more)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "elsewhere" / "witness"))
    return Folder(tmp_path)


@pytest.mark.parametrize(
    "again",
    [
        BOTH,
        BOTH.lower(),
        "SELECT region AS r, AVG(cost) AS a, COUNT(*) AS n FROM visits GROUP BY r ORDER BY a DESC LIMIT 1",
        "SELECT region, AVG(cost) FROM visits GROUP BY region HAVING COUNT(*) > 10",
        "SELECT AVG(cost) * 2, region FROM visits GROUP BY ALL -- the same, above the noise",
    ],
)
def test_the_same_below_the_noise_is_free(folder: Folder, again: str) -> None:
    """A part of an earlier release answers too, where it is accurate enough: alone it would get more of the price."""
    with folder.open() as data:
        first = data.query(BOTH, epsilon="0.5")
        second = data.query(again, epsilon="0.5" if "COUNT" in again.upper() else "0.3", confidence="0.9")
        assert (first.price.free, second.price.free) == (False, True)
        assert len(data.budget().entries) == 1
        if again == BOTH:
            assert first.table.column("count").to_pylist() == second.table.column("count").to_pylist()


def test_less_accuracy_is_free_and_more_is_not(folder: Folder) -> None:
    with folder.open() as data:
        data.query(BOTH, epsilon="0.5")
        assert data.query(BOTH, epsilon="0.4").price.free
        assert not data.query(BOTH, epsilon="0.6").price.free
        assert data.query(BOTH).price.free
        assert not data.query(BOTH, epsilon="0.5", fresh=True).price.free
        assert len(data.budget().entries) == 3


def test_one_analyst_reads_what_another_paid_for(folder: Folder) -> None:
    named = 'analysts = { ann = "50%", bob = "1%" }'
    with folder.open(analysts=named, analyst="ann") as data:
        first = data.query(BOTH, epsilon="0.5")
    with folder.open(analysts=named, analyst="bob") as data:
        assert data.query(BOTH).table.equals(first.table)
        with pytest.raises(Refused, match="this analyst may use"):
            data.query(BOTH, epsilon="2")
        assert len(data.budget().entries) == 1
    with folder.open(analysts=named, analyst="eve") as data, pytest.raises(Refused, match="eve"):
        data.query("SELECT COUNT(*) FROM visits", epsilon="0.1")


@pytest.mark.parametrize(
    "other",
    [
        "SELECT region, COUNT(*), SUM(cost) FROM visits GROUP BY region",
        "SELECT region, COUNT(*), AVG(cost) FROM visits WHERE cost > 5 GROUP BY region",
        "SELECT ward, COUNT(*), AVG(cost) FROM visits GROUP BY ward",
        "SELECT COUNT(*), AVG(cost) FROM visits",
    ],
)
def test_another_question_is_paid_for(folder: Folder, other: str) -> None:
    with folder.open() as data:
        data.query(BOTH, epsilon="0.5")
        assert not data.query(other, epsilon="0.1").price.free


def test_other_bounds_limits_or_data_are_another_question(folder: Folder) -> None:
    """The account stays the same: a second description, or a changed file, shares the budget (R41)."""
    with folder.open() as data:
        data.query(BOTH, epsilon="0.5")
    with folder.open(most=500, file="other.toml") as data:
        assert not data.query(BOTH, epsilon="0.1").price.free
    with folder.open(limits="limits = { rows = 3 }") as data:
        assert not data.query(BOTH, epsilon="0.1").price.free
    folder.fill(ROWS + " UNION ALL SELECT 1, 'north', 'w0', 1.0")
    later = time.time() + 60
    os.utime(folder.place / "visits.parquet", (later, later))
    with folder.open() as data:
        assert not data.query(BOTH, epsilon="0.1").price.free
        assert len(data.budget().entries) == 4


def test_private_keys_at_another_delta_are_another_question(folder: Folder) -> None:
    """A smaller δ withholds more keys: what was shown at a larger one does not answer it."""
    by_ward = "SELECT ward, COUNT(*) FROM visits GROUP BY ward"
    with folder.open() as data:
        data.query(by_ward, epsilon="0.5", delta="1e-9")
        assert data.query(by_ward, epsilon="0.4", delta="1e-9").price.free
        assert not data.query(by_ward, epsilon="0.4", delta="1e-10").price.free


def test_a_query_without_a_price_says_what_is_missing(folder: Folder) -> None:
    with folder.open() as data, pytest.raises(Refused, match="--epsilon"):
        data.query(BOTH)


def test_a_profile_is_not_made_twice_and_serves_later_queries(folder: Folder) -> None:
    with folder.open(limits="") as data:
        assert not data.profile(epsilon="0.5").price.free
        assert data.profile(epsilon="0.4").price.free
        bounded = partial(data.query, epsilon="0.2", interval="bounded")
        assert "profile" in str(bounded("SELECT COUNT(*) FROM visits"))
        assert "tenth" in str(bounded("SELECT COUNT(*) FROM visits WHERE cost > 3"))
        assert len(data.budget().entries) == 3


def test_a_first_query_that_does_not_fit_leaves_no_trace(folder: Folder) -> None:
    """R40: the account is not even opened, so its budget is not fixed."""
    with folder.open() as data:
        with pytest.raises(Refused):
            data.query("SELECT COUNT(*) FROM visits", epsilon=100)
        assert data._opened.known_account is None


@pytest.mark.parametrize("is_profile", [False, True])
def test_a_file_exchanged_while_a_question_is_planned(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, is_profile: bool
) -> None:
    """Refused, and free: an answer from the new rows would be stored as one of the old."""
    job = f"tacit.curator.{'profile' if is_profile else 'query'}_job.release"

    def exchanged(*given: Any) -> object:
        folder.fill(ROWS.replace("1500", "150"))
        return release(*given)

    with folder.open(limits="") as data:
        monkeypatch.setattr(job, exchanged)
        with pytest.raises(Refused, match="changed while"):
            data.profile(epsilon=1) if is_profile else data.query(BOTH, epsilon=1)
        assert data.budget().entries == ()
