"""Equal values: which of them an aggregate keeps depends on the order of all rows.

A person with many rows in one table changes the build side of a join, and with it the order of all other people's rows.
MAX of −0.0 and 0.0 is then one or the other, for all people at once.
"""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from tests.attack.small_clinic import open_clinic
from tests.neighbours.comparing import Asking, differences

from tacit.query.aggregates.aggregate import Distinct

_FILE = """
[dataset]
name = "clinic"
unit = { id = "pid", hides = "one patient" }
budget = { epsilon = 1000, delta = 1e-3 }
floor = 0
breaker = "off"
ledger = "ledger.sqlite"
[tables.v]
source = "v.parquet"
columns.late = { type = "bool" }
[tables.u]
source = "u.parquet"
columns.y = { type = "int", min = 0, max = 100 }
"""
_VISITS = "SELECT i % 200 AS pid, i >= 200 AS late FROM range(400) t(i)"
_OTHERS = "SELECT i % 200 AS pid, 1 AS y FROM range(300) t(i)"
_PATIENT = "SELECT 1000, 1 FROM range(5000)"
_ZERO = "CAST(CASE WHEN late THEN '-0' ELSE '0' END AS DOUBLE)"
_JOINED = "v JOIN u ON v.pid = u.pid"


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT SUM(CASE WHEN CAST(z AS VARCHAR) LIKE '-%' THEN 1 ELSE 0 END) "
        f"FROM (SELECT v.pid, MAX({_ZERO}) AS z FROM {_JOINED} GROUP BY v.pid) AS q",
        f"SELECT COUNT(*) FROM (SELECT v.pid, {_ZERO} AS z FROM {_JOINED} GROUP BY v.pid, {_ZERO}) AS q "
        "WHERE CAST(z AS VARCHAR) = '-0.0'",
    ],
)
def test_one_patients_rows_do_not_choose_among_equal_values_of_others(sql: str, tmp_path: Path) -> None:
    """R22: with and without the patient, the integers move by at most the radius."""
    outcomes, asking = [], Asking(1)
    for name, rows in {"without": _OTHERS, "with": f"{_OTHERS} UNION ALL {_PATIENT}"}.items():
        (tmp_path / name).mkdir()
        with open_clinic(tmp_path / name, _FILE, v=_VISITS, u=rows) as clinic:
            outcomes.append(asking.outcome(clinic, sql, "0.1", outcomes[0] if outcomes else None, anew=True))
    assert outcomes[0].status == "answered"
    assert not list(differences(*outcomes, times=1))


def test_no_text_shows_the_sign_of_zero(tmp_path: Path) -> None:
    with open_clinic(tmp_path, _FILE, v=_VISITS, u=_OTHERS) as clinic:
        sql = f"SELECT SUM(CASE WHEN CAST({_ZERO} AS VARCHAR) LIKE '-%' THEN 1 ELSE 0 END) FROM v"
        said = Asking(1).outcome(clinic, sql, "0.1", None, anew=True)
    assert said.status == "answered"
    assert not [block for block in said.blocks if block.name == "tally" and block.vector]


def test_which_values_a_person_brings_does_not_depend_on_the_sign_of_zero(tmp_path: Path) -> None:
    """The digest that chooses values is of their texts."""
    with open_clinic(tmp_path, _FILE, v=_VISITS, u=_OTHERS) as clinic:
        (part,) = clinic._planner.question(f"SELECT COUNT(DISTINCT {_ZERO}) FROM v").parts
    assert isinstance(part, Distinct)
    texts = duckdb.sql(f'SELECT DISTINCT CAST({part.sql} AS VARCHAR) FROM (SELECT unnest([TRUE, FALSE]) AS "v.late")')
    assert texts.fetchall() == [("0.0",)]
