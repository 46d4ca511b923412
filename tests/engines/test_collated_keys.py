"""Text under a collation of its column: keys, lists and lookups tell its letters apart all the same."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from tacit.curator.dataset import open_dataset

_TOML = """\
[dataset]
name = "wards"
unit = { id = "pid", hides = "one" }
budget = { epsilon = 1e7, delta = 1e-6 }
ledger = "ledger.sqlite"
[tables.visits]
source = "wards.duckdb"
table = "visits"
limits = { rows = 9 }
[tables.visits.columns]
ward = { type = "text", keys = ["north", "North", "été"] }
free = { type = "text" }
[lookups.wards]
source = "wards.duckdb"
table = "wards"
key = "ward"
[lookups.wards.columns]
ward = { type = "text" }
floor = { type = "int", min = 0, max = 9 }
"""
_NAMES = ["north"] * 40 + ["North"] * 30 + ["NORTH"] * 20 + ["été"] * 10 + ["ete"] * 5


@pytest.fixture
def wards(tmp_path: Path) -> Path:
    with duckdb.connect(str(tmp_path / "wards.duckdb")) as own:
        own.execute(
            "CREATE TABLE visits (pid INTEGER, ward VARCHAR COLLATE NOCASE, free VARCHAR COLLATE NOCASE.NOACCENT)"
        )
        own.executemany("INSERT INTO visits VALUES (?, ?, ?)", [(i, name, name) for i, name in enumerate(_NAMES)])
        own.execute("CREATE TABLE wards (ward VARCHAR COLLATE NOCASE, floor INTEGER)")
        own.execute("INSERT INTO wards VALUES ('north', 1), ('NORTH', 5), ('ETE', 9)")
    (tmp_path / "wards.toml").write_text(_TOML)
    return tmp_path / "wards.toml"


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward", {"north": 40, "North": 30, "été": 10, None: 25}),
        ("SELECT COUNT(*) AS n FROM visits WHERE free IN ('north', 'ete')", {(): 45}),
        ("SELECT COUNT(*) AS n FROM visits WHERE free = 'NORTH'", {(): 20}),
        ("SELECT COUNT(DISTINCT free) AS n FROM visits", {(): 5}),
        ("SELECT SUM(w.floor) AS n FROM visits AS v JOIN wards AS w ON v.free = w.ward", {(): 40 * 1 + 20 * 5}),
        ("SELECT COUNT(*) AS n FROM visits WHERE free LIKE 'n%'", {(): 40}),
        ("SELECT COUNT(*) AS n FROM visits WHERE CASE free WHEN 'été' THEN TRUE ELSE FALSE END", {(): 10}),
    ],
)
def test_letters_count_whatever_the_collation(wards: Path, sql: str, expected: dict[object, int]) -> None:
    """The noise is far below one half at this price."""
    with open_dataset(wards) as data:
        table = data.query(sql, epsilon=10**5).table
        keys = table.column("ward").to_pylist() if "ward" in table.column_names else [()]
        found = dict(zip(keys, table.column("n").to_pylist(), strict=True))
    assert {key: round(value) for key, value in found.items()} == expected
