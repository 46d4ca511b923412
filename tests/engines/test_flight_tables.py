"""A winter's flights by plane as a CUBE: the same release on every engine, to the last octet."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import duckdb
import pytest
from bench.flights import flights as all_flights
from tests.engines.engines import DuckDBUnderTest, EngineUnderTest
from tests.engines.postgres_server import PostgresUnderTest
from tests.engines.spark_server import SparkUnderTest

from tacit.noise.bits import Seeded
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.price import price_of
from tacit.schema.catalogue import Catalogue
from tacit.schema.reader import read_description
from tacit.workload.grouping_sets import read_tables
from tacit.workload.residual_basis import Weighting
from tacit.workload.tables_plan import plan_tables
from tacit.workload.tables_run import TablesRun

pytestmark = pytest.mark.long
TEXT = """\
[dataset]
name = "flights"
unit = { id = "tailnum", hides = "one plane, all flights" }
budget = { epsilon = 10, delta = 1e-6 }

[tables.flights]
SOURCE

[tables.flights.columns]
carrier = { type = "text", keys = ["9E", "AA", "AS", "B6", "DL", "EV", "F9", "FL", "HA", "MQ", "OO", "UA", "US"] }
origin = { type = "text", keys = ["EWR", "JFK", "LGA"] }
month = { type = "int", min = 1, max = 12 }
distance = { type = "int", min = 0, max = 5000 }
"""
SQL = "SELECT carrier, origin, month, COUNT(*), SUM(distance) FROM flights GROUP BY CUBE(carrier, origin, month)"


@cache
def flights() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    rows = all_flights()[["tailnum", "carrier", "origin", "month", "distance"]]
    connection.register("frame", rows)
    connection.execute("CREATE TABLE flights AS SELECT * FROM frame WHERE month <= 2")
    return connection


def released(under_test: EngineUnderTest, folder: Path) -> tuple[bytes, ...]:
    """What every stage gives, from seeded bits."""
    lines = under_test.load(flights(), ["flights"], folder)["flights"]
    (folder / "flights.toml").write_text(TEXT.replace("SOURCE", lines), encoding="utf-8")
    engine = under_test.engine()
    description = read_description(folder / "flights.toml", engine.public_values)
    headers = {table.name: dict(engine.header(table.source)) for table in description.sources}
    catalogue = Catalogue(description, headers)
    plan = plan_tables(read_tables(SQL, catalogue), catalogue, IntervalKind.USUAL, Weighting.TABLES)
    price = price_of(description.budget, description.promise, 1, None, bool(plan.private))
    found: list[bytes] = []
    for place, stage in enumerate(TablesRun(plan, price).stages):
        with engine.session(description, headers) as session:
            found.append(stage(session, Seeded(place), found))
    return tuple(found)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, ...]:
    return released(DuckDBUnderTest(), tmp_path_factory.mktemp("flights"))


def test_postgresql_releases_the_flights_of_duckdb(
    postgres: PostgresUnderTest, plain: tuple[bytes, ...], tmp_path: Path
) -> None:
    assert released(postgres, tmp_path) == plain


def test_spark_releases_the_flights_of_duckdb(spark: SparkUnderTest, plain: tuple[bytes, ...], tmp_path: Path) -> None:
    assert released(spark, tmp_path) == plain
