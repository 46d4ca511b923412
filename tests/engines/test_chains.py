"""Which rows a person brings to a chain of joins is the same on every engine, NULLs and ties among them."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from tests.engines.clinic_rows import create_clinic, opened_clinic
from tests.engines.engines import DuckDBUnderTest, EngineUnderTest
from tests.engines.postgres_server import PostgresUnderTest
from tests.engines.spark_server import SparkUnderTest
from tests.query.fixtures.rendering import Lowered

from tacit.query.relations import chain

_JOINS = "visits AS v JOIN calls AS c ON v.patient = c.patient JOIN visits AS w ON w.patient = v.patient"
_QUERIES = (
    f"SELECT SUM(v.age * c.minutes + w.age) FROM {_JOINS} WHERE v.ward IS NULL OR v.weight > 100 OR v.urgent",
    f"SELECT v.icd, COUNT(DISTINCT v.ward), SUM(c.minutes) FROM {_JOINS} AND w.region = v.region GROUP BY v.icd",
)


def _sums(under_test: EngineUnderTest, folder: Path) -> list[list[str]]:
    with duckdb.connect() as rows:
        create_clinic(rows)
        engine, description, headers = opened_clinic(under_test, rows, folder / under_test.name)
    found = []
    with engine.session(description, headers) as session:
        for query in _QUERIES:
            for name, _, sql in Lowered.of(query, folder, is_pure=False).statements():
                if name.startswith("kept as "):
                    session.keep(name.removeprefix("kept as "), sql)
                else:
                    table = session.run(sql)
                    columns = [[str(value) for value in column.to_pylist()] for column in table.columns]
                    found.append(sorted(map(repr, zip(*columns, strict=True))))
    return found


def _compare(other: EngineUnderTest, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain, "MOST_ROWS", 11)
    one = _sums(DuckDBUnderTest(), folder)
    assert one == _sums(other, folder)
    monkeypatch.setattr(chain, "MOST_ROWS", 12)
    assert one != _sums(DuckDBUnderTest(), folder / "more")


def test_postgresql_keeps_the_same_rows(
    postgres: PostgresUnderTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "more").mkdir()
    _compare(postgres, tmp_path, monkeypatch)


@pytest.mark.long
def test_spark_keeps_the_same_rows(spark: SparkUnderTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "more").mkdir()
    _compare(spark, tmp_path, monkeypatch)
