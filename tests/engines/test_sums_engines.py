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
from tacit.learn.sums.class_residuals import RESIDUAL
from tacit.learn.sums.design import read_design
from tacit.learn.sums.kmeans import KMeansPlan
from tacit.learn.sums.linear_plan import LinearPlan
from tacit.learn.sums.multinomial import MultinomialPlan
from tacit.learn.sums.naive_bayes import NaiveBayesPlan
from tacit.learn.sums.sums_stage import SumsReader
from tacit.learn.training_text import read_training
from tacit.schema.catalogue import Catalogue

LINEAR = "SELECT days, region, age, urgent, month(day) AS m FROM visits WHERE age > 20 OR age IS NULL"
CLASSES = "SELECT region, age, days, urgent, day FROM visits"
NUMBERS = "SELECT age, days, cost FROM visits"


def summed(under_test: EngineUnderTest, folder: Path) -> list[np.ndarray]:
    """The sums of a regression by person, and by row with a factor each; of counts, centres and, last, residuals."""
    rows = duckdb.connect()
    create_clinic(rows)
    engine, description, headers = opened_clinic(under_test, rows, folder / under_test.name)
    catalogue, relation = Catalogue(description, headers), description.unit.relation
    linear = LinearPlan(read_design(LINEAR, "days", catalogue), relation, "p", 3, Fraction(1, 5))
    by_row = BoundedSums(linear.bounded.blocks, linear.limit // 9, False)
    training = read_training(CLASSES, "region", 6, catalogue, 8)
    bayes, classes = NaiveBayesPlan(training, relation, "p", 2), MultinomialPlan(training, relation, "p", 2, 3)
    centres = KMeansPlan(read_design(NUMBERS, None, catalogue), relation, "p", 4, 3, 2)
    rng = np.random.default_rng(7)
    scores = rng.normal(0, 1, (sum(each.levels for each in training.features), classes.classes))
    found = []
    for kept, asked in (
        (linear.rows_sql, [linear.bounded, by_row]),
        (bayes.rows_sql, [bayes.bounded]),
        (centres.rows_sql, [centres.near(rng.integers(-3_000, 3_000, (4, 3)))]),
        (classes.rows_sql, [classes.counts, classes.residuals(scores)]),
    ):
        reader = SumsReader(kept)
        for bounded in asked:
            with engine.session(description, headers) as session:
                found.append(reader.whole(session, bounded))
    return found


def assert_same(one: list[np.ndarray], two: list[np.ndarray]) -> None:
    """Residuals may differ by some steps of some rows, for the engine's exponential."""
    assert all((np.count_nonzero(each) > 10) for each in one)
    assert all(np.array_equal(*pair) for pair in zip(one[:-1], two[:-1], strict=True))
    assert np.abs(one[-1] - two[-1]).max() <= RESIDUAL * 8
    assert np.abs(one[-1]).max() > RESIDUAL * 1_000


def test_postgresql_adds_up_as_duckdb_does(postgres: PostgresUnderTest, tmp_path: Path) -> None:
    assert_same(summed(postgres, tmp_path), summed(DuckDBUnderTest(), tmp_path))


@pytest.mark.long
def test_spark_adds_up_as_duckdb_does(spark: SparkUnderTest, tmp_path: Path) -> None:
    assert_same(summed(spark, tmp_path), summed(DuckDBUnderTest(), tmp_path))
