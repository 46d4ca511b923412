"""The demo: its clinic fits its description, and all of it runs as it is shown."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from shutil import copy

import pyarrow.parquet as pq
import pytest
from examples.clinic import write_clinic
from tests.curator.clinic_command import Clinic

ROOT = Path(__file__).parent.parent.parent


def test_the_clinic_is_the_same_for_everybody_and_fits_its_description(clinic: Clinic) -> None:
    for name in ("visits.parquet", "again.parquet"):
        write_clinic(clinic.folder / name)
    rows = pq.read_table(clinic.folder / "visits.parquet")
    assert rows.equals(pq.read_table(clinic.folder / "again.parquet"))
    assert all(rows.column(name).null_count for name in ("patient_id", "region", "age", "stay_days", "cost"))
    copy(ROOT / "examples" / "clinic.toml", clinic.folder)
    assert clinic.tacit("check", "clinic.toml").out.startswith(f"clinic: visits with {len(rows):,} rows")


@pytest.mark.long
def test_the_demo_runs(tmp_path: Path) -> None:
    figure = tmp_path / "demo.png"
    command = [sys.executable, str(ROOT / "examples" / "demo.py"), str(figure)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert figure.read_bytes().startswith(b"\x89PNG")
    assert done.stdout.count("$ tacit ") == 29
    assert done.stdout.count("Refused, nothing spent: ") == 2
    assert "Genuine: " in done.stdout
