"""The steward's file for the events, and the data set behind it: with a ledger of its own and budget to spare."""

from __future__ import annotations

import os
from pathlib import Path

from bench.events import REGIONS
from tacit.curator.dataset import Dataset, open_dataset
from tacit.query.engines.duckdb.engine import DuckDBEngine

PEERS_LIMIT = 5  # rows per person, as for the peers
TEXT = """\
[dataset]
name = "events"
unit = {{ id = "user_id", hides = "one person, all events" }}
budget = {{ rho = 100000, delta = 1e-4 }}  # a release takes a hundredth of this δ: 1e-6, as the peers do
floor = 0

[tables.events]
source = "{source}"
{limits}
[tables.events.columns]
region = {{ type = "text", keys = {regions}, nullable = false }}
category = {{ type = "text", nullable = false }}
amount = {{ type = "money", min = 0, max = 500, nullable = false }}
"""


def describe(source: Path, folder: Path, rows: int | None, more: str = "") -> Path:
    """Write the file into a folder; `rows` is how many rows of a person count, chosen privately if None.

    `more` is the lines of further columns.
    """
    limits = "" if rows is None else f"limits = {{ rows = {rows} }}\n"
    regions = "[" + ", ".join(f'"{region}"' for region in REGIONS) + "]"
    path = folder / "events.toml"
    path.write_text(TEXT.format(source=source.resolve(), limits=limits, regions=regions) + more)
    return path


def open_events(source: Path, folder: Path, rows: int | None, memory: str | None = None, more: str = "") -> Dataset:
    """The data set, answered on one thread, within a limit of memory if there is one; the ledger is in the folder."""
    at_home(folder)
    return open_dataset(describe(source, folder, rows, more), engine=DuckDBEngine(threads=1, memory=memory))


def at_home(folder: Path) -> None:
    """Put ledger and witness into this folder."""
    os.environ["TACIT_HOME"] = str(folder)
    os.environ["TACIT_WITNESS"] = str(folder / "witness")
