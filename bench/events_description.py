"""The steward's file for the events: as an analyst of a benchmark finds it, with a ledger of its own."""

from __future__ import annotations

import os
from pathlib import Path

from bench.events import REGIONS

TEXT = """\
[dataset]
name = "events"
unit = {{ id = "user_id", hides = "one person, all events" }}
budget = {{ rho = 100000, delta = 1e-4 }}  # plenty: a release takes a δ of 1e-6, as its peers' do

[tables.events]
source = "{source}"
{limits}
[tables.events.columns]
region = {{ type = "text", keys = {regions}, nullable = false }}
category = {{ type = "text", nullable = false }}
amount = {{ type = "money", min = 0, max = 500, nullable = false }}
"""


def describe(source: Path, folder: Path, rows: int | None) -> Path:
    """Write the file into a folder, where ledger and witness will be too; `rows` is the limit of rows a person."""
    os.environ["TACIT_HOME"] = str(folder)
    os.environ["TACIT_WITNESS"] = str(folder / "witness")
    limits = "" if rows is None else f"limits = {{ rows = {rows} }}\n"
    regions = "[" + ", ".join(f'"{region}"' for region in REGIONS) + "]"
    path = folder / "events.toml"
    path.write_text(TEXT.format(source=source, limits=limits, regions=regions))
    return path
