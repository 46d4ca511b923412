"""A made-up clinic: patients with several visits each, as Parquet. Its seed is fixed: everybody gets the same."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

PATIENTS = 2_800
REGIONS = ("north", "south", "east", "west")
WARDS = (
    "surgery", "cardiology", "paediatrics", "oncology", "neurology", "maternity", "urology", "dermatology",
    "psychiatry", "geriatrics", "intensive care", "eye clinic", "tropical medicine", "sleep laboratory",
)  # fmt: skip


def write_clinic(path: Path) -> None:
    """Writes the visits: most patients come a few times, a few come very often, and some cells are missing."""
    draws = np.random.default_rng(20260401)
    visits = np.minimum(1 + draws.negative_binomial(1, 0.2, PATIENTS), 60)
    patient = np.repeat(np.arange(10_000, 10_000 + PATIENTS), visits)
    rows = len(patient)
    home = np.repeat(draws.choice(len(REGIONS), PATIENTS, p=(0.35, 0.3, 0.2, 0.15)), visits)
    age = np.repeat(draws.integers(0, 96, PATIENTS), visits)
    shares = 1 / np.arange(1, len(WARDS) + 1) ** 1.3
    ward = draws.choice(len(WARDS), rows, p=shares / shares.sum())
    stay = np.minimum(draws.geometric(0.4, rows) - 1, 90)
    cost = np.round(draws.lognormal(5.4, 0.6, rows) * (1 + 0.35 * stay) * (1 + home / 12), 2)
    season = 1 + 0.35 * np.cos(2 * np.pi * (np.arange(365) - 20) / 365)
    day = np.datetime64("2025-01-01") + draws.choice(365, rows, p=season / season.sum())
    table = {
        "patient_id": _with_gaps(pa.array(patient), draws, 0.004),
        "day": pa.array(day.astype("datetime64[D]")),
        "region": _with_gaps(pa.array([REGIONS[place] for place in home]), draws, 0.01),
        "ward": pa.array([WARDS[place] for place in ward]),
        "age": _with_gaps(pa.array(age), draws, 0.02),
        "stay_days": _with_gaps(pa.array(stay), draws, 0.01),
        "cost": _with_gaps(pa.array(cost), draws, 0.03),
    }
    pq.write_table(pa.table(table), path)


def _with_gaps(column: pa.Array, draws: np.random.Generator, share: float) -> pa.Array:
    """The column with about this share of it missing."""
    return pc.if_else(pa.array(draws.random(len(column)) >= share), column, None)


if __name__ == "__main__":
    write_clinic(Path(sys.argv[1] if len(sys.argv) > 1 else "visits.parquet"))
