"""A small clinic in a folder of its own, and `tacit` commands in it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import duckdb
from click.testing import CliRunner

from tacit.cli.main import app

DESCRIPTION = """\
[dataset]
name = "clinic"
unit = { id = "patient_id", hides = "one patient, all visits" }
budget = { epsilon = 4, delta = 1e-7 }
analysts = { alice = "10%" }

[tables.visits]
source = "visits.parquet"
limits = { rows = 6 }

[tables.visits.columns]
region = { type = "text", keys = ["north", "south"] }
ward = { type = "text" }
age = { type = "int", min = 0, max = 110 }
cost = { type = "money", min = 0, max = 1000 }
"""
ROWS = """\
SELECT (i % 500)::INTEGER AS patient_id, CASE WHEN i % 3 = 0 THEN 'north' ELSE 'south' END AS region,
    'ward ' || (i % 2) AS ward, (i % 90)::INTEGER AS age, ((i % 500) + 0.5)::DOUBLE AS cost FROM range(2000) AS r(i)
"""
BY_REGION = "SELECT region, COUNT(*), AVG(cost) FROM visits GROUP BY region"


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Clinic:
    """The folder, with a ledger and a witness of its own."""

    folder: Path

    def tacit(self, *words: str, stdin: str | None = None) -> Ended:
        done = CliRunner().invoke(app, list(words), input=stdin)
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return Ended(done.exit_code, done.stdout, done.stderr)

    def entries(self) -> list[tuple[int, str]]:
        """Every entry of the ledger, by its seal."""
        place = self.folder / "home" / "ledger.sqlite"
        if not place.exists():
            return []
        with closing(sqlite3.connect(place)) as connection:
            return [tuple(row) for row in connection.execute("SELECT number, hash FROM entries ORDER BY number")]

    def left(self) -> str:
        """The budget as JSON: it changes when anything is charged."""
        return self.tacit("budget", "clinic.toml", "--json").out


def make_clinic(folder: Path) -> Clinic:
    """The data and their description, written into the folder."""
    duckdb.sql(ROWS).write_parquet(str(folder / "visits.parquet"))
    (folder / "clinic.toml").write_text(DESCRIPTION)
    return Clinic(folder)
