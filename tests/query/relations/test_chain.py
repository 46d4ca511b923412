"""Chains of joins bring few rows of one person, chosen from that person's rows alone; two tables are joined whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from tests.query.fixtures.rendering import Lowered

from tacit.errors import Refused
from tacit.query.relations import chain
from tacit.query.relations.identifier import in_type
from tacit.query.relations.rows import Rows

_OWN = 7  # rows of the patient with most


@pytest.fixture
def rows() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        opened.execute("CREATE TABLE visits (visit BIGINT, patient BIGINT, age INTEGER, ward VARCHAR, day DATE)")
        opened.execute("CREATE TABLE calls (patient BIGINT, minutes INTEGER, topic VARCHAR)")
        opened.execute(f"INSERT INTO visits SELECT i, 7, i, 'w', DATE '2024-01-01' FROM range({_OWN}) t(i)")
        opened.execute("INSERT INTO visits SELECT 100 + i, 100 + i, 5, NULL, NULL FROM range(50) t(i)")
        opened.execute("INSERT INTO calls SELECT 7, i, 't' || i FROM range(5) t(i)")
        yield opened


def _rows(query: str, folder: Path) -> Rows:
    return Lowered.of(query, folder, is_pure=False).plan.question.rows


def _self_joined(tables: int) -> str:
    joins = " ".join(f"JOIN visits AS v{i} ON v0.patient = v{i}.patient" for i in range(1, tables))
    return f"SELECT SUM(v0.age) FROM visits AS v0 {joins}"


def _most_made(rows: duckdb.DuckDBPyConnection, sql: str) -> int:
    """The most rows that any part of the statement gives, as it runs."""
    found = rows.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) SELECT COUNT(*) FROM ({sql}) AS r").fetchall()
    return max(map(int, re.findall(r'"(?:intermediate_rows|operator_cardinality)": (\d+)', str(found[0][1]))))


@pytest.mark.parametrize("tables", [3, 5, 11, 16])
def test_no_join_makes_more_than_a_person_may_bring(
    rows: duckdb.DuckDBPyConnection, tmp_path: Path, tables: int
) -> None:
    """Seven rows in eleven tables were two billion; other people's rows are one each."""
    made = _most_made(rows, _rows(_self_joined(tables), tmp_path).under('"v0.age"'))
    assert made <= chain.MOST_ROWS * _OWN + 50
    assert made >= min(_OWN**tables, chain.MOST_ROWS)


def test_without_the_cut_the_rows_would_be_seen(
    rows: duckdb.DuckDBPyConnection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Broken twin."""
    monkeypatch.setattr(chain, "MOST_ROWS", 10**9)
    assert _most_made(rows, _rows(_self_joined(6), tmp_path).under('"v0.age"')) >= _OWN**6


def test_two_tables_are_joined_whole(tmp_path: Path) -> None:
    """And so are any number with one row a person, or that are public."""
    people = "(SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient)"
    joins = f"visits v JOIN calls c ON v.patient = c.patient JOIN {people} p ON p.patient = v.patient"
    query = f"SELECT COUNT(*) FROM {joins} JOIN {people} q ON q.patient = v.patient WHERE p.n + q.n > 1"
    found = _rows(query, tmp_path)
    assert not found.is_cut
    assert "row_number" not in found.sql


@pytest.mark.parametrize("most", [1, 3, 20])
def test_the_rows_of_a_person_depend_on_that_person_alone(
    rows: duckdb.DuckDBPyConnection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """Whatever order the rows lie in, whoever else is there, and whichever columns a statement reads."""
    monkeypatch.setattr(chain, "MOST_ROWS", most)
    join = "visits a JOIN calls c ON a.patient = c.patient JOIN visits b ON b.patient = a.patient"
    relation = _rows(f"SELECT SUM(a.age + b.age) FROM {join} WHERE c.minutes < 9 AND a.ward = 'w'", tmp_path)
    names = '"a.age", "c.minutes", "b.age"'

    def found(above: str) -> list[tuple[object, ...]]:
        return rows.execute(f"SELECT {above} FROM ({relation.under(above)}) AS r ORDER BY ALL").fetchall()

    whole, one = found(names), found('"a.age"')
    assert len(whole) == min(most, _OWN * 5) * _OWN
    assert sorted(row[0] for row in whole) == [age for (age,) in one]
    for order in ("visit DESC", "hash(visit)"):
        rows.execute(f"CREATE OR REPLACE TABLE visits AS SELECT * FROM visits WHERE patient = 7 ORDER BY {order}")
        assert found(names) == whole


def test_many_tables_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="17 private tables"):
        _rows(_self_joined(17), tmp_path)
    doubled = "WITH a AS (SELECT x.patient FROM visits x JOIN visits y ON x.patient = y.patient"
    doubled += " JOIN visits z ON x.patient = z.patient JOIN visits u ON x.patient = u.patient)"
    people = "SELECT patient, COUNT(*) AS n FROM a GROUP BY patient"
    joins = " ".join(f"JOIN ({people}) p{i} ON p{i}.patient = p0.patient" for i in range(1, 5))
    with pytest.raises(Refused, match="20 private tables"):
        _rows(f"{doubled} SELECT SUM(p0.n) FROM ({people}) p0 {joins}", tmp_path)


def test_a_long_key_matches_nothing(rows: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    """Two texts that are equal as far as they are read may differ further on."""
    rows.execute("UPDATE visits SET ward = repeat('x', 70000) || visit WHERE visit < 3")
    for kind, wanted in (("JOIN", 16), ("LEFT JOIN", 16 + 3 + 50)):
        join = f"visits v {kind} visits w ON v.patient = w.patient AND v.ward = w.ward"
        above = '"v.age", "w.age"'
        sql = _rows(f"SELECT SUM(v.age + w.age) FROM {join}", tmp_path).under(above)
        assert rows.execute(f"SELECT COUNT(*) FROM ({sql}) AS r").fetchall() == [(wanted,)]
        twin = re.sub(r" AND \(strlen\(.*?\) < 65536\)", "", sql)
        assert rows.execute(f"SELECT COUNT(*) FROM ({twin}) AS r").fetchall() != [(wanted,)]


def test_a_long_name_is_nobody(rows: duckdb.DuckDBPyConnection) -> None:
    """Cut, it would be somebody else."""
    rows.execute("CREATE TABLE people AS SELECT unnest(['a', repeat('x', 65535), repeat('x', 65536), NULL]) AS name")
    found = rows.execute(f"SELECT length({in_type('name', 'VARCHAR', 'VARCHAR')}) FROM people").fetchall()
    assert found == [(1,), (65535,), (None,), (None,)]
