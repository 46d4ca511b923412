"""The time of an additive fit on ten million rows with twelve features in DuckDB: by row, and by person of five rows.

Seconds are of CPU, of all threads: a fit reads the file once and then takes twenty steps. `TACIT_LEARN_ROWS` asks for
another number of rows.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from shutil import copy
from time import perf_counter, process_time

import duckdb

import tacit
from bench.claims import Claim, report
from bench.events_description import at_home
from bench.learn_data import TEXT

ROWS, FEATURES, LEVELS, ROWS_EACH = 10_000_000, 12, 16, 5
UNITS = {
    "each_row": ('{ row = true, hides = "one row" }', 60),
    "each_person": ('{ id = "person", hides = "one person" }', 240),
}


def main() -> None:
    """Write the rows, fit by both units, print."""
    many = int(os.environ.get("TACIT_LEARN_ROWS", ROWS))
    names = [f"f{place}" for place in range(FEATURES)]
    levels = ", ".join(f"(hash(i * {31 + place}) % {LEVELS})::UTINYINT AS {name}" for place, name in enumerate(names))
    listed = [
        'y = { type = "int", keys = [0, 1] }',
        *(f'{name} = {{ type = "int", min = 0, max = {LEVELS - 1} }}' for name in names),
    ]
    columns = "\n".join(listed)
    claims = []
    with tempfile.TemporaryDirectory(prefix="tacit-learn-") as folder:
        at_home(Path(folder))
        source = Path(folder) / "all.parquet"
        others = f"(hash(i) % 4 = 0)::UTINYINT AS y, (i // {ROWS_EACH})::INTEGER AS person"
        rows = f"SELECT {levels}, {others} FROM range({many}) r(i)"
        duckdb.sql(f"COPY ({rows}) TO '{source}' (FORMAT parquet)")
        for name, (unit, most) in UNITS.items():
            file = Path(folder) / f"{name}.toml"
            file.write_text(TEXT.format(table=name, unit=unit, columns=columns))
            copy(source, Path(folder) / f"{name}.parquet")  # the same file has one budget under one unit
            with tacit.open(file, threads=2) as data:
                begun, clock = process_time(), perf_counter()
                data.learn(f"SELECT y, {', '.join(names)} FROM {name}", target="y", epsilon="1", delta="1e-5")
                taken, clock = process_time() - begun, perf_counter() - clock
            detail = f"{taken:.1f} s of CPU, {clock:.1f} s by the clock"
            claims.append(
                Claim(f"fit of {many:,} rows, {name.replace('_', ' ')}, / {most} s", taken / most, 1.0, True, detail)
            )
    report("Models at scale", claims)


if __name__ == "__main__":
    main()
