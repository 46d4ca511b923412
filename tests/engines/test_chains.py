"""The rows that a person contributes to joins are the same on every engine, including NULLs and ties."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from tests.engines.clinic_rows import create_clinic, opened_clinic
from tests.engines.engines import DuckDBUnderTest, EngineUnderTest
from tests.engines.postgres_server import PostgresUnderTest
from tests.engines.spark_server import SparkUnderTest
from tests.query.fixtures.rendering import Lowered

from tacit.query.sql import bounded_join

_JOINS = "visits AS v JOIN calls AS c ON v.patient = c.patient JOIN visits AS w ON w.patient = v.patient"
_QUERIES = (
    f"SELECT SUM(v.age * c.minutes + w.age) FROM {_JOINS} WHERE v.ward IS NULL OR v.weight > 100 OR v.urgent",
    f"SELECT v.icd, COUNT(DISTINCT v.ward), SUM(c.minutes) FROM {_JOINS} AND w.region = v.region GROUP BY v.icd",
)
_PAIRS = (
    "SELECT SUM(v.age * c.minutes) FROM visits v LEFT JOIN calls c ON v.patient = c.patient AND v.weight > c.minutes",
    "SELECT SUM(v.age * w.days) FROM visits v JOIN visits w ON v.patient = w.patient AND v.region = LOWER(w.region)",
)


def _sums(under_test: EngineUnderTest, folder: Path, queries: tuple[str, ...]) -> list[list[str]]:
    with duckdb.connect() as rows:
        create_clinic(rows)
        engine, description, headers = opened_clinic(under_test, rows, folder / under_test.name)
    found = []
    with engine.session(description, headers) as session:
        for query in queries:
            for name, _, sql in Lowered.of(query, folder, is_pure=False).statements():
                if name.startswith("kept as "):
                    session.keep(name.removeprefix("kept as "), sql)
                else:
                    table = session.run(sql)
                    columns = [[str(value) for value in column.to_pylist()] for column in table.columns]
                    found.append(sorted(map(repr, zip(*columns, strict=True))))
    return found


def _compare(
    other: EngineUnderTest, folder: Path, monkeypatch: pytest.MonkeyPatch, queries: tuple[str, ...], bound: str
) -> None:
    for name in ("MOST_PAIRS", "MOST_PARTNERS", "MOST_ROWS"):
        monkeypatch.setattr(bounded_join, name, 2**20)
    if bound == "MOST_PARTNERS":
        monkeypatch.setattr(bounded_join, "MOST_PAIRS", 300)  # some patients are beyond it
    monkeypatch.setattr(bounded_join, bound, 11)
    folder.mkdir(exist_ok=True)
    one = _sums(DuckDBUnderTest(), folder, queries)
    assert one == _sums(other, folder, queries)
    monkeypatch.setattr(bounded_join, bound, 12)
    (folder / "more").mkdir()
    assert one != _sums(DuckDBUnderTest(), folder / "more", queries)


def test_postgresql_keeps_the_same_rows(
    postgres: PostgresUnderTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _compare(postgres, tmp_path, monkeypatch, _QUERIES, "MOST_ROWS")


def test_postgresql_keeps_the_same_pairs(
    postgres: PostgresUnderTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _compare(postgres, tmp_path, monkeypatch, _PAIRS, "MOST_PARTNERS")


@pytest.mark.long
def test_spark_keeps_the_same_rows(spark: SparkUnderTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _compare(spark, tmp_path, monkeypatch, _QUERIES[:1], "MOST_ROWS")


@pytest.mark.long
def test_spark_keeps_the_same_pairs(spark: SparkUnderTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _compare(spark, tmp_path, monkeypatch, _PAIRS[1:], "MOST_PARTNERS")
