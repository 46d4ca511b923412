"""A small clinic to attack: its description, and its rows from a SELECT."""

from __future__ import annotations

from pathlib import Path

import duckdb

from tacit.curator.dataset import Dataset, open_dataset

_VISITS = (
    "SELECT i % 50 AS pid, i % 90 AS age, (i % 3000)::DECIMAL(10, 2) AS cost, 'w' || i % 7 AS ward FROM range(200) t(i)"
)
_FILE = """
[dataset]
name = "clinic"
unit = { id = "pid", hides = "one patient" }
budget = { epsilon = 1000, delta = 1e-3 }
floor = 0
breaker = "off"
ledger = "ledger.sqlite"
[tables.v]
source = "v.parquet"
columns.age = { type = "int", min = 0, max = 110 }
columns.cost = { type = "money", min = 0, max = 20000 }
columns.ward = { type = "text" }
"""


def write_rows(place: Path, select: str) -> None:
    """A Parquet file of these rows."""
    duckdb.sql(f"COPY ({select}) TO '{place}' (FORMAT parquet)")


def open_clinic(folder: Path, description: str = _FILE, **selects: str) -> Dataset:
    """The data set that the text describes, a Parquet file for each SELECT beside it."""
    for name, select in (selects or {"v": _VISITS}).items():
        write_rows(folder / f"{name}.parquet", select)
    file = folder / "clinic.toml"
    file.write_text(description)
    return open_dataset(file)
