"""Training is the same on every engine: the same levels and weights, and residuals up to the engine's exponential."""

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

from tacit.learn.additive_plan import AdditivePlan
from tacit.learn.additive_run import AdditiveRun
from tacit.learn.coded_rows import RESIDUAL
from tacit.learn.training_text import read_training
from tacit.noise.bits import Seeded
from tacit.query.plans.price import price_of
from tacit.schema.catalogue import Catalogue

ASKED = (
    ("SELECT urgent, region, age, days, day FROM visits", "urgent"),
    ("SELECT days, region, age, urgent, month(day) AS m FROM visits WHERE age > 20 OR age IS NULL", "days"),
)


def released(under_test: EngineUnderTest, folder: Path, sql: str, target: str) -> list[np.ndarray]:
    """What the first stages give from seeded bits. From the third on they carry a last bit of an exponential on."""
    rows = duckdb.connect()
    create_clinic(rows)
    place = folder / under_test.name
    engine, description, headers = opened_clinic(under_test, rows, place)
    plan = AdditivePlan(
        read_training(sql, target, 8, Catalogue(description, headers)),
        description.unit.relation,
        "people",
        3,
        3,
        Fraction(1, 2),
    )
    price = price_of(description.budget, description.promise, 5, None, False)
    found: list[bytes] = []
    with engine.session(description, headers) as session:
        for number, stage in enumerate(AdditiveRun(plan, price).stages[:3]):
            found.append(stage(session, Seeded(number), found))
    return [np.frombuffer(each, "<i8") for each in found]


def assert_alike(one: list[np.ndarray], two: list[np.ndarray]) -> None:
    assert (one[0] == two[0]).all()
    assert np.abs(one[1] - two[1]).max() <= RESIDUAL * 8
    assert np.abs(one[1]).max() > RESIDUAL * 1_000
    assert np.abs(one[2] - two[2]).max() <= RESIDUAL * 64


@pytest.mark.parametrize(("sql", "target"), ASKED)
def test_postgresql_trains_as_duckdb_does(postgres: PostgresUnderTest, tmp_path: Path, sql: str, target: str) -> None:
    assert_alike(released(postgres, tmp_path, sql, target), released(DuckDBUnderTest(), tmp_path, sql, target))


@pytest.mark.long
@pytest.mark.parametrize(("sql", "target"), ASKED)
def test_spark_trains_as_duckdb_does(spark: SparkUnderTest, tmp_path: Path, sql: str, target: str) -> None:
    assert_alike(released(spark, tmp_path, sql, target), released(DuckDBUnderTest(), tmp_path, sql, target))
