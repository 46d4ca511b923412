"""Tables are the same release on every engine: the same stages, to the last octet, from the same entropy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import duckdb
import pytest
from tests.engines.clinic_rows import create_clinic, opened_clinic
from tests.engines.engines import DuckDBUnderTest, EngineUnderTest
from tests.engines.postgres_server import PostgresUnderTest
from tests.engines.spark_server import SparkUnderTest

from tacit.noise.bits import Seeded
from tacit.query.engines.protocol import Engine, Headers
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.price import price_of
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import Description, EachRow, Impossible, KeyHierarchy, Limits
from tacit.workload.grouping_sets import read_tables
from tacit.workload.residual_basis import Weighting
from tacit.workload.tables_plan import plan_tables
from tacit.workload.tables_run import TablesRun

Opened = tuple[Engine, Description, Headers]
ASKED = (
    "SELECT region, urgent, COUNT(*), AVG(cost) FROM visits GROUP BY CUBE(region, urgent)",
    "SELECT region, ward, SUM(days) FROM visits GROUP BY ROLLUP(region, ward)",
    "SELECT COUNT(*) FROM visits GROUP BY GROUPING SETS ((region, age // 30), (month(day)), ())",
)

LEVELS = "SELECT COUNT(*), SUM(days) FROM visits GROUP BY GROUPING SETS ((region, ward, icd), (region, ward), (region))"


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> tuple[duckdb.DuckDBPyConnection, Path]:
    connection = duckdb.connect()
    create_clinic(connection)
    return connection, tmp_path_factory.mktemp("tables")


def structured(description: Description, by_row: bool) -> Description:
    """The clinic with a hierarchy and an impossible cell that its rows do not keep; each row a person, if so wanted."""
    visits = description.tables["visits"]
    wards = tuple(f"w{number}" for number in range(7))
    paths = tuple(("north" if ward in wards[:2] else "south", ward) for ward in wards)
    table = replace(
        visits,
        columns={**visits.columns, "ward": replace(visits.columns["ward"], keys=wards)},
        hierarchies=(KeyHierarchy("place", ("region", "ward"), paths),),
        impossible=(Impossible({"icd": ("a",), "ward": ("w3", "w4")}),),
    )
    if not by_row:
        return replace(description, tables={**description.tables, "visits": table})
    alone = replace(table, owner=EachRow(), limits=Limits())
    return replace(description, unit=replace(description.unit, identifier=None), tables={"visits": alone})


def released(
    under_test: EngineUnderTest,
    rows: tuple[duckdb.DuckDBPyConnection, Path],
    sql: str,
    change: Callable[[Description], Description] = lambda description: description,
) -> list[bytes]:
    """What every stage gives, the later ones from what DuckDB would have given: all from seeded bits."""
    folder = rows[1] / f"{under_test.name}-{len(list(rows[1].iterdir()))}"
    engine, description, headers = opened_clinic(under_test, rows[0], folder)
    description = change(description)
    headers = {name: header for name, header in headers.items() if name in {*description.tables, *description.lookups}}
    catalogue = Catalogue(description, headers)
    plan = plan_tables(read_tables(sql, catalogue), catalogue, IntervalKind.USUAL, Weighting.TABLES)
    price = price_of(description.budget, description.promise, 5, None, bool(plan.private))
    found: list[bytes] = []
    for place, stage in enumerate(TablesRun(plan, price).stages):
        with engine.session(description, headers) as session:
            found.append(stage(session, Seeded(place), found))
    return found


@pytest.mark.parametrize("sql", ASKED)
def test_postgresql_releases_what_duckdb_does(
    postgres: PostgresUnderTest, rows: tuple[duckdb.DuckDBPyConnection, Path], sql: str
) -> None:
    """R04: limits that are found, private keys, sums of both signs and means."""
    assert released(postgres, rows, sql) == released(DuckDBUnderTest(), rows, sql)


@pytest.mark.parametrize("by_row", [False, True])
def test_postgresql_releases_the_same_levels(
    postgres: PostgresUnderTest, rows: tuple[duckdb.DuckDBPyConnection, Path], by_row: bool
) -> None:
    """R04: rows that do not fit a hierarchy, or lie where nobody can be, are cut alike."""
    change = partial(structured, by_row=by_row)
    assert released(postgres, rows, LEVELS, change) == released(DuckDBUnderTest(), rows, LEVELS, change)


@pytest.mark.parametrize("by_row", [True, pytest.param(False, marks=pytest.mark.long)])
def test_spark_releases_the_same_levels(
    spark: SparkUnderTest, rows: tuple[duckdb.DuckDBPyConnection, Path], by_row: bool
) -> None:
    change = partial(structured, by_row=by_row)
    assert released(spark, rows, LEVELS, change) == released(DuckDBUnderTest(), rows, LEVELS, change)


@pytest.mark.parametrize("sql", [ASKED[0], *(pytest.param(sql, marks=pytest.mark.long) for sql in ASKED[1:])])
def test_spark_releases_what_duckdb_does(
    spark: SparkUnderTest, rows: tuple[duckdb.DuckDBPyConnection, Path], sql: str
) -> None:
    assert released(spark, rows, sql) == released(DuckDBUnderTest(), rows, sql)
