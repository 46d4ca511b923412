"""A clinic with a public table and a second private one, to be asked through ibis."""

from __future__ import annotations

from pathlib import Path

import duckdb

from tacit.curator.dataset import Dataset, open_dataset

TABLES = {
    "visits": """SELECT i % 60 AS patient_id, CASE WHEN i % 3 = 0 THEN 'a' WHEN i % 7 > 0 THEN 'b' END AS region,
        (i % 97)::DECIMAL(9, 2) AS cost, DATE '2024-01-01' + (i % 300)::INTEGER AS day, i % 90 AS age,
        TIMESTAMP '2024-01-01' + INTERVAL (i) HOUR AS at, i % 2 = 0 AS ok, (i % 11) / 10 AS x,
        'w' || (i % 4) AS "the ward", i AS "order" FROM range(600) AS r(i)""",
    "regions": "SELECT * FROM (VALUES ('a', 'Alpha', 1), ('b', 'Beta', NULL)) AS v(code, name, size)",
    "drugs": "SELECT i % 60 AS pid, 'd' || (i % 5) AS drug, i % 7 AS dose FROM range(400) AS r(i)",
}
DESCRIPTION = """\
[dataset]
name = "clinic"
unit = { id = "patient_id", hides = "one patient" }
budget = { rho = 10000, delta = 1e-7 }
floor = 0
breaker = "off"
[tables.visits]
source = "visits.parquet"
limits = { rows = 10 }
[tables.visits.columns]
region = { type = "text", keys = ["a", "b"] }
cost = { type = "money", min = 0, max = 1000 }
day = { type = "date", min = 2024-01-01, max = 2024-12-31 }
age = { type = "int", min = 0, max = 110 }
at = { type = "timestamp" }
ok = { type = "bool" }
x = { type = "float", min = 0, max = 1 }
"the ward" = { type = "text", keys = ["w0", "w1", "w2", "w3"] }
order = { type = "int", min = 0, max = 600 }
[tables.drugs]
source = "drugs.parquet"
unit = { id = "pid" }
limits = { rows = 10 }
columns = { drug = { type = "text" }, dose = { type = "int", min = 0, max = 10 } }
[lookups.regions]
source = "regions.parquet"
key = "code"
columns = { code = { type = "text" }, name = { type = "text" }, size = { type = "int", min = 0, max = 9 } }
"""


def open_clinic(folder: Path) -> Dataset:
    """The clinic in a folder, with a ledger of its own."""
    for name, rows in TABLES.items():
        duckdb.execute(f"COPY ({rows}) TO '{folder / name}.parquet' (FORMAT parquet)")
    (folder / "clinic.toml").write_text(DESCRIPTION)
    return open_dataset(folder / "clinic.toml", ledger=folder / "ledger.sqlite")
