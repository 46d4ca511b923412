"""Training rows in memory are the same from every engine: whose they are, their levels, and which are kept."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from tests.engines.clinic_rows import create_clinic, opened_clinic
from tests.engines.engines import DuckDBUnderTest, EngineUnderTest
from tests.engines.postgres_server import PostgresUnderTest
from tests.engines.spark_server import SparkUnderTest
from tests.engines.test_training_engines import ASKED

from tacit.learn.convex.row_matrix import RowMatrix, RowReading
from tacit.learn.training_text import read_training
from tacit.schema.catalogue import Catalogue


def read(under_test: EngineUnderTest, folder: Path, sql: str, target: str, most_rows: int | None) -> RowMatrix:
    rows = duckdb.connect()
    create_clinic(rows)
    engine, description, headers = opened_clinic(under_test, rows, folder / under_test.name)
    reading = RowReading(read_training(sql, target, 8, Catalogue(description, headers)), most_rows)
    with engine.session(description, headers) as session:
        return reading.fetch(session)


def assert_same(one: RowMatrix, two: RowMatrix) -> None:
    assert one.rows > 100
    assert (one.people == two.people).all()
    assert (one.codes == two.codes).all()
    assert (one.target == two.target).all()


@pytest.mark.parametrize("most_rows", [None, 2])
@pytest.mark.parametrize(("sql", "target"), ASKED)
def test_postgresql_reads_as_duckdb_does(
    postgres: PostgresUnderTest, tmp_path: Path, sql: str, target: str, most_rows: int | None
) -> None:
    found = read(postgres, tmp_path, sql, target, most_rows)
    assert_same(found, read(DuckDBUnderTest(), tmp_path, sql, target, most_rows))


@pytest.mark.long
@pytest.mark.parametrize("most_rows", [None, 2])
def test_spark_reads_as_duckdb_does(spark: SparkUnderTest, tmp_path: Path, most_rows: int | None) -> None:
    found = read(spark, tmp_path, *ASKED[0], most_rows)
    assert_same(found, read(DuckDBUnderTest(), tmp_path, *ASKED[0], most_rows))
