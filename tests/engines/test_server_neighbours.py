"""Neighbours are not told apart where a server holds the rows: the questions and data sets of `tests/neighbours`."""

from __future__ import annotations

import os

import pytest
from tests.engines.postgres_server import PostgresUnderTest
from tests.engines.spark_server import SparkUnderTest
from tests.neighbours.comparing import Found, compared
from tests.neighbours.routes import Route

_MANY = int(os.environ.get("TACIT_NEIGHBOURS", "1"))


def _checked(route: Route, seeds: range, queries: int, others: int) -> None:
    found = Found()
    for seed in seeds:
        found += compared(seed, route, queries, others)
        assert not found.wrong, found.wrong[0]
    assert found.comparisons >= queries * others


@pytest.mark.parametrize("made", ["as it is", "prepared"])
def test_neighbours_are_not_told_apart_in_postgresql(postgres: PostgresUnderTest, made: str) -> None:
    """R16–R18, R22, R23, R26 on PostgreSQL, and on its prepared form."""
    _checked(Route("postgresql", made, postgres), range(3, 4), 3, 2)


@pytest.mark.long
@pytest.mark.parametrize("made", ["as it is", "prepared", "profiled"])
def test_neighbours_are_not_told_apart_in_postgresql_long(postgres: PostgresUnderTest, made: str) -> None:
    """The same, for longer."""
    _checked(Route("postgresql", made, postgres), range(100, 100 + _MANY), 8, 3)


@pytest.mark.long
def test_neighbours_are_not_told_apart_on_spark(spark: SparkUnderTest) -> None:
    """R16–R18, R22, R23, R26 on Spark."""
    _checked(Route("spark", "as it is", spark), range(200, 200 + _MANY), 3, 1)
