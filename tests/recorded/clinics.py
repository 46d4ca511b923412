"""The clinics of the recorded queries: one description under several promises, and fixed rows.

The rows hold NULLs, NaN and values outside every bound and key. They are made from integers alone, in one order.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import duckdb

PROMISES: Final = {
    "approx": ("{ epsilon = 4, delta = 1e-7 }", "add/remove"),
    "sums": ('{ epsilon = 4, delta = 1e-5, currency = "sums" }', "add/remove"),
    "pure": ("{ epsilon = 4 }", "add/remove"),
    "zcdp": ("{ rho = 0.4, delta = 1e-9 }", "add/remove"),
    "replace": ("{ epsilon = 4, delta = 1e-7 }", "replace"),
    "replace, pure": ("{ epsilon = 4 }", "replace"),
    "no limits": ("{ epsilon = 4, delta = 1e-7 }", "add/remove"),
    "no limits, pure": ("{ epsilon = 4 }", "add/remove"),
    "usual": ("{ epsilon = 4, delta = 1e-7 }", "add/remove"),
    "usual, limits": ("{ epsilon = 4, delta = 1e-7 }", "add/remove"),
    "usual, pure": ("{ epsilon = 4 }", "add/remove"),
}
"""Each clinic's budget and relation."""

_WITHOUT_LIMITS: Final = ("no limits", "no limits, pure", "usual", "usual, pure")

_DESCRIPTION: Final = """\
[dataset]
name = "clinic"
unit = {{ id = "patient", hides = "one patient, all visits", relation = "{relation}" }}
budget = {budget}

[tables.visits]
source = "visits.parquet"
{limits}

[tables.visits.columns]
visit = {{ type = "int" }}
age = {{ type = "int", min = 0, max = 110 }}
cost = {{ type = "money", min = 0, max = 20000, nullable = false }}
days = {{ type = "int", min = 0, max = 90 }}
weight = {{ type = "float", min = 0, max = 300 }}
region = {{ type = "text", keys = ["north", "south"] }}
ward = {{ type = "text" }}
icd = {{ type = "text", keys = ["a", "b", "c"] }}
day = {{ type = "date", min = 2024-01-01, max = 2024-12-31 }}
seen = {{ type = "timestamp", min = 2024-01-01T00:00:00, max = 2024-12-31T23:59:59 }}
urgent = {{ type = "bool" }}

[tables.drugs]
source = "drugs.parquet"
unit = {{ column = "visit", table = "visits", key = "visit" }}
columns = {{ visit = {{ type = "int" }}, drug = {{ type = "text" }}, \
dose = {{ type = "decimal", scale = 3, min = 0, max = 5 }} }}

[lookups.wards]
source = "wards.parquet"
key = "ward"
columns = {{ ward = {{ type = "text" }}, floor = {{ type = "int", min = 0, max = 9 }} }}
"""
_LIMITS: Final = "limits = { rows = 12, keys = 4, totals = { cost = 50000 } }"

_ROWS: Final = {
    "visits": """
        SELECT i::BIGINT AS visit,
            CASE WHEN i % 17 = 0 THEN NULL ELSE (i * 31) % 190 END::BIGINT AS patient,
            ((i * 37) % 130 - 10)::INTEGER AS age,
            (((i * 7919) % 3000000 - 1000) / 100)::DECIMAL(12, 2) AS cost,
            ((i * 13) % 110 - 5)::SMALLINT AS days,
            CASE WHEN i % 50 = 0 THEN 'nan'::DOUBLE ELSE ((i * 7) % 333 - 3)::DOUBLE END AS weight,
            ['north', 'south', 'west', '', 'NORTH'][1 + i % 5] AS region,
            CASE WHEN i % 9 = 0 THEN NULL ELSE 'w' || (i % 7) END AS ward,
            ['a', 'b', 'c', 'd'][1 + i % 4] AS icd,
            DATE '2023-12-01' + (i * 17 % 450)::INTEGER AS day,
            TIMESTAMP '2023-12-01' + INTERVAL (i * 7717 % 9000) HOUR AS seen,
            CASE WHEN i % 5 = 0 THEN NULL ELSE i % 2 = 0 END AS urgent
        FROM range(1200) r(i) ORDER BY i""",
    "drugs": """
        SELECT ((i * 7) % 1300)::BIGINT AS visit, ['x', 'y', 'z'][1 + i % 3] AS drug,
            ((i * 37 % 700) / 100)::DOUBLE AS dose
        FROM range(900) r(i) ORDER BY i""",
    "wards": "SELECT 'w' || i AS ward, (i % 4)::INTEGER AS floor FROM range(7) r(i) ORDER BY i",
}


def write_rows(folder: Path) -> None:
    """The Parquet files of every clinic."""
    for table, sql in _ROWS.items():
        duckdb.sql(sql).write_parquet(str(folder / f"{table}.parquet"))


def write_description(folder: Path, clinic: str) -> Path:
    """The description of a clinic, beside its files."""
    budget, relation = PROMISES[clinic]
    limits = "" if clinic in _WITHOUT_LIMITS else _LIMITS
    path = folder / f"{clinic.replace(', ', '-').replace(' ', '-')}.toml"
    path.write_text(_DESCRIPTION.format(budget=budget, relation=relation, limits=limits), encoding="utf-8")
    return path
