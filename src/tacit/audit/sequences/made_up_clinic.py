"""A made-up clinic with and without one patient, the most conspicuous there could be: for canaries."""

from __future__ import annotations

from pathlib import Path

import numpy as np

_DESCRIPTION = """\
[dataset]
name = "made-up clinic"
unit = { id = "patient", hides = "one patient" }
budget = { epsilon = 60, delta = 1e-6 }
floor = 0
breaker = "off"
analysts = { ann = "90%", bob = "10%" }

[tables.visits]
source = "visits.parquet"
limits = { rows = 4 }

[tables.visits.columns]
region = { type = "text", keys = ["north", "south"] }
age = { type = "int", min = 0, max = 110 }
cost = { type = "money", min = 0, max = 1000 }
"""
_PATIENTS = 80
_CONSPICUOUS = 400  # visits of the canary, each at the highest bounds


def write_made_up_clinic(folder: Path, *, canary: bool) -> Path:
    """The description of a clinic in this folder, its visits beside it; the canary comes far more often than counts."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    generator = np.random.Generator(np.random.PCG64(7))
    visits = generator.integers(1, 7, _PATIENTS)
    patient = np.repeat(np.arange(_PATIENTS), visits)
    age = np.repeat(generator.integers(0, 95, _PATIENTS), visits)
    cost = np.round(generator.lognormal(4, 1, len(patient)), 2)
    north = np.repeat(generator.random(_PATIENTS) < 0.5, visits)
    if canary:
        patient = np.append(patient, np.full(_CONSPICUOUS, _PATIENTS))
        age = np.append(age, np.full(_CONSPICUOUS, 110))
        cost = np.append(cost, np.full(_CONSPICUOUS, 1e6))
        north = np.append(north, np.full(_CONSPICUOUS, True))
    region = ["north" if there else "south" for there in north]
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(
        pa.table({"patient": patient, "region": region, "age": age, "cost": cost}), folder / "visits.parquet"
    )
    (folder / "clinic.toml").write_text(_DESCRIPTION, "utf-8")
    return folder / "clinic.toml"
