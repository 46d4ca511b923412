"""Counting questions are the same release on every engine: the same stages, to the last octet, from the same bits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from tests.engines.clinic_rows import create_clinic, opened_clinic
from tests.engines.engines import DuckDBUnderTest, EngineUnderTest
from tests.engines.postgres_server import PostgresUnderTest
from tests.engines.spark_server import SparkUnderTest

from tacit.noise.bits import Seeded
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.price import price_of
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import Description, EachRow, Limits
from tacit.workload.linear.asked_counts import read_asked
from tacit.workload.linear.counts_plan import plan_counts
from tacit.workload.linear.counts_run import CountsRun

Rows = tuple[duckdb.DuckDBPyConnection, Path]
ASKED = (
    "SELECT age // 25, COUNT(*) FROM visits GROUP BY 1; SELECT region, COUNT(*) FILTER (WHERE urgent) FROM visits "
    "GROUP BY region; SELECT COUNT(*) FROM visits WHERE age BETWEEN 18 AND 64 AND region <> 'north'",
    "SELECT month(day) AS m, SUM(SUM(days)) OVER (ORDER BY month(day)) FROM visits GROUP BY m; "
    "SELECT urgent, SUM(days) FROM visits WHERE age > 30 OR age IS NULL GROUP BY urgent",
)
"""Questions whose rows are grouped by columns as they are, and by the classes of dates and of ages."""


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Rows:
    connection = duckdb.connect()
    create_clinic(connection)
    return connection, tmp_path_factory.mktemp("counts")


def each_row(description: Description) -> Description:
    """Each visit a person of its own."""
    visits = replace(description.tables["visits"], owner=EachRow(), limits=Limits())
    return replace(description, unit=replace(description.unit, identifier=None), tables={"visits": visits})


def each_person(description: Description) -> Description:
    return description


def released(
    under_test: EngineUnderTest, rows: Rows, sql: str, change: Callable[[Description], Description]
) -> list[bytes]:
    """What every stage gives from seeded bits; the questions are optimised anew for each engine."""
    folder = rows[1] / f"{under_test.name}-{len(list(rows[1].iterdir()))}"
    engine, description, headers = opened_clinic(under_test, rows[0], folder)
    description = change(description)
    headers = {name: header for name, header in headers.items() if name in {*description.tables, *description.lookups}}
    catalogue = Catalogue(description, headers)
    plan = plan_counts(read_asked(sql, None, catalogue), catalogue, IntervalKind.USUAL)
    price = price_of(description.budget, description.promise, 5, None, False)
    found: list[bytes] = []
    for place, stage in enumerate(CountsRun(plan, price).stages):
        with engine.session(description, headers) as session:
            found.append(stage(session, Seeded(place), found))
    assert len(found) == 1 + bool(plan.base.binned)
    return found


@pytest.mark.parametrize("sql", ASKED)
@pytest.mark.parametrize("change", [each_row, each_person])
def test_postgresql_counts_what_duckdb_does(
    postgres: PostgresUnderTest, rows: Rows, sql: str, change: Callable[[Description], Description]
) -> None:
    """R04: cells with NULL, values outside of their bounds and keys, and limits that are found."""
    assert released(postgres, rows, sql, change) == released(DuckDBUnderTest(), rows, sql, change)


@pytest.mark.parametrize(
    ("sql", "change"),
    [(ASKED[0], each_row), *(pytest.param(sql, each_person, marks=pytest.mark.long) for sql in ASKED)],
)
def test_spark_counts_what_duckdb_does(
    spark: SparkUnderTest, rows: Rows, sql: str, change: Callable[[Description], Description]
) -> None:
    assert released(spark, rows, sql, change) == released(DuckDBUnderTest(), rows, sql, change)
