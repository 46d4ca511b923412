"""Joins are sent without a cut where no person has too many rows, and with it otherwise; the sums are the same."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from tests.engines.clinic_rows import create_clinic, opened_clinic
from tests.engines.engines import DuckDBUnderTest
from tests.query.fixtures.rendering import Lowered

from tacit.query.execution.run import joined_whole
from tacit.query.lowering.tally import people_sql
from tacit.query.materialized.statements import STATEMENTS
from tacit.query.sql import bounded_join

_JOINS = (
    "visits v JOIN calls c ON v.patient = c.patient",
    "visits v JOIN calls c ON v.patient = c.patient JOIN visits w ON w.patient = v.patient",
    "visits v JOIN (SELECT x.patient, COUNT(*) AS n FROM visits x JOIN drugs y ON x.patient = y.patient "
    "GROUP BY x.patient) p ON p.patient = v.patient JOIN calls c ON c.patient = v.patient AND c.minutes < p.n",
    "visits v LEFT JOIN (SELECT x.patient, x.minutes FROM calls x JOIN visits y ON x.patient = y.patient) c "
    "ON c.patient = v.patient",
    "(SELECT patient, MAX(age) AS age FROM visits GROUP BY patient) v LEFT JOIN (SELECT x.patient FROM calls x "
    "JOIN visits y ON x.patient = y.patient) s ON s.patient = v.patient LEFT JOIN calls c ON c.patient = v.patient",
)


@pytest.mark.parametrize("join", _JOINS)
@pytest.mark.parametrize("most", [1, 300, 10**9])
def test_the_sums_are_the_same(join: str, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With 300 as the bound, some patients are beyond it, and others are not."""
    monkeypatch.setattr(bounded_join, "MOST_PAIRS", most)
    monkeypatch.setattr(bounded_join, "MOST_ROWS", most)
    with duckdb.connect() as rows:
        create_clinic(rows)
        engine, description, headers = opened_clinic(DuckDBUnderTest(), rows, tmp_path / "rows")
    plan = Lowered.of(f"SELECT SUM(v.age + c.minutes) FROM {join}", tmp_path, is_pure=False).plan
    question = plan.question
    with engine.session(description, headers) as session:
        statements = joined_whole(question.rows, session, STATEMENTS)
        sent = statements.people(plan)
        bounded = people_sql(question.rows, question.keys, plan.measures)
        assert ("__many" in sent) is (most < 10**9)
        assert "__many" in bounded
        found = [session.run(f"SELECT * FROM ({sql}) ORDER BY ALL").to_pylist() for sql in (sent, bounded)]
    assert found[0] == found[1] != []


def test_rows_are_counted_anew_when_they_changed(tmp_path: Path) -> None:
    with duckdb.connect() as rows:
        create_clinic(rows)
        engine, description, headers = opened_clinic(DuckDBUnderTest(), rows, tmp_path / "rows")
        question = Lowered.of(f"SELECT SUM(v.age) FROM {_JOINS[0]}", tmp_path, is_pure=False).plan.question
        with engine.session(description, headers) as session:
            assert joined_whole(question.rows, session, STATEMENTS).instead
        rows.execute("INSERT INTO visits BY NAME SELECT 5 AS patient FROM range(100000)")
        rows.execute("INSERT INTO calls BY NAME SELECT 5 AS patient FROM range(20)")
        DuckDBUnderTest().load(rows, ["visits", "calls"], tmp_path / "rows")
        with engine.session(description, headers) as session:
            assert not joined_whole(question.rows, session, STATEMENTS).instead
