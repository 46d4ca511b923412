"""A description that does not fit its files is refused before anything is charged, lookups and keys included."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from tacit.curator.dataset import open_dataset
from tacit.errors import Refused

DESCRIPTION = """\
[dataset]
name = "clinic"
unit = { id = "patient", hides = "one patient" }
budget = { epsilon = 4, delta = 1e-7 }
[tables.visits]
source = "visits.parquet"
[tables.drugs]
source = "drugs.parquet"
unit = { column = "visit", table = "visits", key = "visit" }
[lookups.wards]
source = "wards.csv"
key = "ward"
columns = { ward = { type = "text" }, floor = { type = "int" } }
"""


@pytest.mark.parametrize(
    ("visits", "wards", "missing"),
    [("patient", "ward,floor", "visit"), ("patient, 1 AS visit", "ward,level", "floor")],
)
def test_a_missing_column_is_refused_and_nothing_is_charged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, visits: str, wards: str, missing: str
) -> None:
    """R39, R40: neither the key that a foreign key leads to nor a public table's column may turn up missing later."""
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "elsewhere" / "witness"))
    for name, columns in (("visits", visits), ("drugs", "patient AS visit")):
        rows = f"SELECT {columns} FROM range(9) AS r(patient)"
        duckdb.execute(f"COPY ({rows}) TO '{tmp_path / name}.parquet' (FORMAT parquet)")
    (tmp_path / "wards.csv").write_text(f"{wards}\na,1\n")
    (tmp_path / "clinic.toml").write_text(DESCRIPTION)
    with open_dataset(tmp_path / "clinic.toml", ledger=tmp_path / "ledger.sqlite") as clinic:
        with pytest.raises(Refused, match=f"no column {missing}"):
            clinic.query("SELECT COUNT(*) FROM drugs", epsilon=1)
        assert not clinic.budget().entries
