"""A clinic in a folder of its own whose data can be prepared, changed, and queried with almost no noise."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest

from tacit.curator.dataset import Dataset, open_dataset
from tacit.curator.materialization import Preparation
from tacit.curator.open_data import Opened, open_data

DESCRIPTION = """
[dataset]
name = "clinic"
unit = {{ id = "pid", hides = "one person" }}
budget = {{ rho = 100000, delta = 0.5 }}
floor = 0
breaker = "off"
analysts = {{ alice = "50%" }}
[tables.visits]
source = "{source}"
{more}
[tables.visits.columns]
age = {{ type = "int", min = 0, max = {oldest} }}
cost = {{ type = "money", min = 0, max = 500 }}
region = {{ type = "text", keys = ["north", "south"] }}
ward = {{ type = "text" }}
"""
COUNT = "SELECT COUNT(*) AS n FROM visits"
BY_REGION = "SELECT region, COUNT(*) AS n, AVG(cost) AS mean FROM visits GROUP BY region"
MEDIAN = "SELECT MEDIAN(cost) AS middle FROM visits"
_ROWS = """SELECT i % 300 AS pid, i % 99 AS age, (i * 31) % 500 / 1.0 AS cost,
    CASE WHEN i % 3 = 0 THEN 'north' ELSE 'south' END AS region, 'w' || (i % 3) AS ward FROM range({count}) AS r(i)"""
_SCRIPT = """
import os, signal, sys
from tacit.curator.open_data import open_data
last = int(sys.argv[2])
def progress(words, done, total):
    if done == last or (last < 0 and done == total):
        os.kill(os.getpid(), signal.SIGKILL)
with open_data(sys.argv[1], ledger=sys.argv[3]) as opened:
    if last == 1000:
        print("ready", flush=True)
        sys.stdin.readline()
    print(opened.preparation.make(progress))
"""
ALIVE = 1000
"""The step of a child that is not killed, and begins when it is told."""


@dataclass(frozen=True)
class PreparedClinic:
    """The folder."""

    folder: Path

    def write(self, count: int = 2000) -> None:
        """So many visits, in a file that is new."""
        draft = self.folder / "draft.parquet"
        duckdb.sql(_ROWS.format(count=count)).write_parquet(str(draft))
        os.replace(draft, self.folder / "visits.parquet")

    def describe(self, source: str = "visits.parquet", more: str = "limits = { rows = 20 }", oldest: int = 99) -> Path:
        file = self.folder / "clinic.toml"
        file.write_text(DESCRIPTION.format(source=source, more=more, oldest=oldest))
        return file

    @property
    def ledger(self) -> Path:
        return self.folder / "home" / "ledger.sqlite"

    @property
    def prepared(self) -> Path:
        return self.folder / "home" / "prepared"

    def forms(self) -> list[str]:
        """The finished forms."""
        return sorted(path.name for path in self.prepared.glob("*.duckdb"))

    def drafts(self) -> list[str]:
        """The unfinished files."""
        return sorted(path.name for path in self.prepared.glob(".*") if path.name != ".lock")

    def open(self) -> Opened:
        return open_data(self.folder / "clinic.toml", ledger=self.ledger)

    def dataset(self, analyst: str = "alice") -> Dataset:
        return open_dataset(self.folder / "clinic.toml", ledger=self.ledger, analyst=analyst)

    def prepare(self) -> Path:
        with self.open() as opened:
            return opened.preparation.make(lambda *_: None)

    def count(self) -> float:
        """A noisy count of the rows."""
        with self.dataset() as dataset:
            return count_of(dataset)

    def child(self, last: int) -> subprocess.Popen[str]:
        """A process that prepares, and kills itself at this step (−1: when all that is left is to write)."""
        words = [sys.executable, "-c", _SCRIPT, str(self.folder / "clinic.toml"), str(last), str(self.ledger)]
        return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def make_prepared_clinic(folder: Path, monkeypatch: pytest.MonkeyPatch) -> PreparedClinic:
    """The data and their description; the witness lies in the folder as well."""
    monkeypatch.setenv("TACIT_WITNESS", str(folder / "elsewhere" / "witness"))
    found = PreparedClinic(folder)
    found.write()
    found.describe()
    return found


def count_of(dataset: Dataset) -> float:
    """The noisy count, at a price at which the noise is a row or two."""
    return float(dataset.query(COUNT, epsilon=200).table.column("n")[0].as_py())


def preparation_of(dataset: Dataset) -> Preparation:
    return dataset._opened.preparation
