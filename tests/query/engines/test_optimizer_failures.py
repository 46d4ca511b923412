"""Plans that DuckDB's optimizer makes from people's least and greatest values: if one fails, the statement does not.

DuckDB 2.0 cannot plan the comparison of a text with what its statistics prove to be NULL. So with one person of age 100
a question about that age had an answer, and without that person it failed.
"""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from tests.attack.small_clinic import open_clinic

from tacit.errors import Failed
from tacit.query.engines.duckdb.session import DuckDBSession

DESCRIPTION = """
[dataset]
name = "clinic"
unit = { id = "pid", hides = "one patient" }
budget = { epsilon = 1000, delta = 1e-3 }
ledger = "ledger.sqlite"
[tables.v]
source = "v.parquet"
columns.age = { type = "int" }
columns.ward = { type = "text" }
"""
PEOPLE = "SELECT i % 50 AS pid, i % 90 AS age, 'w' || i % 7 AS ward FROM range(200) t(i)"
OLD = f"{PEOPLE} UNION ALL SELECT 7, 100, 'w1'"
NEVER = "(ward = (CASE WHEN age = 100 THEN 'x' END))"
QUESTIONS = [
    f"SELECT COUNT(*) FROM v WHERE NOT {NEVER} OR age < 90",
    f"SELECT SUM(CASE WHEN {NEVER} THEN 1 ELSE 5 END) FROM v",
    f"SELECT ward, COUNT(*) FROM v WHERE NOT {NEVER} OR age < 90 GROUP BY ward",
    f"SELECT COUNT(*) FROM (SELECT pid, MAX(CASE WHEN {NEVER} THEN 1 ELSE 0 END) AS w FROM v GROUP BY pid) WHERE w = 0",
    f"SELECT MEDIAN(LEAST(GREATEST(age, 0), 110)) FROM v WHERE NOT {NEVER} OR age < 90",
]


@pytest.mark.parametrize("sql", QUESTIONS)
@pytest.mark.parametrize("people", [PEOPLE, OLD], ids=["without", "with"])
def test_a_question_is_answered_whatever_the_statistics_prove(tmp_path: Path, sql: str, people: str) -> None:
    assert open_clinic(tmp_path, DESCRIPTION, v=people).query(sql, epsilon=10).table.num_rows > 0


def test_the_optimizer_fails_on_such_a_plan_and_the_statement_as_written_does_not() -> None:
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE v AS {PEOPLE}")
    sql = "SELECT COUNT(*) AS y0 FROM v WHERE (ward COLLATE \"C\") = (CASE WHEN age = 100 THEN 'x' END)"
    with pytest.raises(duckdb.Error):
        connection.execute(sql)
    assert DuckDBSession(connection).few(sql) == {"y0": [0]}
    with pytest.raises(duckdb.Error):  # the optimizer is on again
        connection.execute(sql)


def test_what_fails_as_written_fails() -> None:
    with pytest.raises(Failed):
        DuckDBSession(duckdb.connect()).few("SELECT error('no')")
