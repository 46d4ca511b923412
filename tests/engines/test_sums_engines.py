"""The bounded sums of models are the same whole numbers on every engine, with and without factors of people."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import duckdb
import numpy as np
import pytest
from tests.engines.clinic_rows import create_clinic, opened_clinic
from tests.engines.engines import DuckDBUnderTest, EngineUnderTest
from tests.engines.postgres_server import PostgresUnderTest
from tests.engines.spark_server import SparkUnderTest

from tacit.learn.sums.bounded_sums import BoundedSums
from tacit.learn.sums.design import read_design
from tacit.learn.sums.linear_plan import LinearPlan
from tacit.learn.sums.sums_stage import SumsReader
from tacit.query.catalogue import Catalogue

LINEAR = "SELECT days, region, age, urgent, month(day) AS m FROM visits WHERE age > 20 OR age IS NULL"


def summed(under_test: EngineUnderTest, folder: Path) -> list[np.ndarray]:
    """The sums of a regression, by person, and by row with a factor each."""
    rows = duckdb.connect()
    create_clinic(rows)
    engine, description, headers = opened_clinic(under_test, rows, folder / under_test.name)
    catalogue = Catalogue(description, headers)
    found = []
    with engine.session(description, headers) as session:
        plan = LinearPlan(read_design(LINEAR, "days", catalogue), description.unit.relation, "p", 3, Fraction(1, 5))
        reader = SumsReader(plan.design.kept_sql())
        found.append(reader.whole(session, plan.bounded))
        by_row = BoundedSums(plan.bounded.blocks, plan.limit // 9, False)
        found.append(reader.whole(session, by_row))
    return found


def assert_same(one: list[np.ndarray], two: list[np.ndarray]) -> None:
    assert all((np.count_nonzero(each) > 20) for each in one)
    assert all(np.array_equal(*pair) for pair in zip(one, two, strict=True))


def test_postgresql_adds_up_as_duckdb_does(postgres: PostgresUnderTest, tmp_path: Path) -> None:
    assert_same(summed(postgres, tmp_path), summed(DuckDBUnderTest(), tmp_path))


@pytest.mark.long
def test_spark_adds_up_as_duckdb_does(spark: SparkUnderTest, tmp_path: Path) -> None:
    assert_same(summed(spark, tmp_path), summed(DuckDBUnderTest(), tmp_path))
