"""The digest changes with the meaning of answers and with nothing else (R43: what identifies a request)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.schema.clinic_file import BUDGET, CLINIC, changed, read

from tacit.schema.digest import description_digest

SAME = [
    (BUDGET, "{ rho = 0.1 }"),
    ('alice = "50%"', 'carol = "10%"'),
    ("one patient, all visits", "one patient"),
    ('name = "clinic"', 'name = "hospital"'),
    ('"ledger.sqlite"', '"other.sqlite"'),
    ("max = 110", "max = 110.0"),
    ("min = 0.1", "min = 1e-1"),
    ('"visits.parquet"', '"./visits.parquet"'),
    ("keys = { from = 2015, to = 2024 }", f"keys = {list(range(2015, 2025))}"),
    ('smoker = { type = "bool" }', 'smoker = { nullable = true, type = "bool" }'),
    ('age = { type = "int", min = 0, max = 110 }\n', ""),
]
OTHER = [
    ('"patient_id"', '"person_id"'),
    ("all visits\" }", 'all visits", relation = "replace" }'),
    ("max = 110", "max = 111"),
    ("min = 0, max = 110", "max = 110"),
    ("min = 0, max = 110", "min = 0, max = 110, nullable = false"),
    ("scale = 3", "scale = 4"),
    ('smoker = { type = "bool" }', 'smoker = { type = "text" }'),
    ('smoker = { type = "bool" }\n', ""),
    ('["north", "south"]', '["north"]'),
    ('["north", "south"]', '["south", "north"]'),
    ('["north", "south"]', '["north south"]'),
    ("to = 2024 }", "to = 2025 }"),
    ("rows = 40", "rows = 41"),
    ("keys = 5, ", ""),
    ("cost = 5000.5", "cost = 5000"),
    ('"visits.parquet"', '"visits2.parquet"'),
    ('delimiter = ";"', 'delimiter = "|"'),
    ('unit = { id = "pid" }', 'unit = { id = "pid2" }'),
    ('key = "visit_id" }', 'key = "id" }'),
    ("[tables.patients]", "[tables.people]"),
    ('source = "wards.csv"', 'source = "wards2.csv"'),
    ('key = "ward"\n', 'key = "floor"\n'),
    ("max = 9 }", "max = 8 }"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new"), SAME)
def test_what_changes_no_meaning_changes_no_digest(tmp_path: Path, old: str, new: str) -> None:
    text = changed(old, new)
    if not new:
        text = changed("[tables.prescriptions]", f"{old}\n[tables.prescriptions]", text)  # the same line, further down
    assert description_digest(read(tmp_path, text)) == description_digest(read(tmp_path, CLINIC))


@pytest.mark.parametrize(("old", "new"), OTHER)
def test_what_changes_a_meaning_changes_the_digest(tmp_path: Path, old: str, new: str) -> None:
    assert description_digest(read(tmp_path, changed(old, new))) != description_digest(read(tmp_path, CLINIC))


def test_the_form_of_the_digest_is_fixed(tmp_path: Path) -> None:
    """R42: a golden value; a change of it is a change of every stored request."""
    (tmp_path / "x").mkdir()
    text = CLINIC.replace('source = "', 'source = "/nowhere/')
    assert description_digest(read(tmp_path, text)) == description_digest(read(tmp_path / "x", text))
    assert (
        description_digest(read(tmp_path, text)) == "0a832393e9c55a9cd837698f84d20ce7019d6f88612ac9565fa6c9124763e7fa"
    )
