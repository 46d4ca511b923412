"""WIDTH_BUCKET, which DuckDB lacks, against its definition."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import duckdb
import pytest
import sqlglot

from tacit.query.sql.expressions import NamedScope, read_column, type_expression
from tacit.schema.description import Column
from tacit.schema.kind import Kind


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        opened.execute("CREATE TABLE t AS SELECT CAST(row * 0.25 - 20 AS DECIMAL(18, 2)) AS x FROM range(400) r(row)")
        opened.execute("INSERT INTO t VALUES (NULL)")
        yield opened


def _bucket(x: Fraction, low: Fraction, high: Fraction, count: int) -> int:
    if x < low:
        return 0
    return count + 1 if x >= high else math.floor((x - low) * count / (high - low)) + 1


@pytest.mark.parametrize("kind", [Kind.INTEGER, Kind.DECIMAL, Kind.FLOAT])
@pytest.mark.parametrize(
    ("low", "high", "count"), [("0", "50", 10), ("-7.5", "12.25", 7), ("-100", "100", 1), ("10", "11", 4)]
)
def test_buckets_are_as_defined(
    kind: Kind, low: str, high: str, count: int, connection: duckdb.DuckDBPyConnection
) -> None:
    """Exactly for integers and decimals; for floats on quarters, which doubles hold exactly."""
    scale = 2 if kind is Kind.DECIMAL else 0
    column = read_column(Column("x", kind, Fraction(-20), Fraction(80), scale=scale), "x", "DECIMAL(18,2)")
    text = f"WIDTH_BUCKET(x, {low}, {high}, {count})"
    typed = type_expression(sqlglot.parse_one(text, dialect="duckdb"), NamedScope({"x": column}))
    for value, bucket in connection.execute(f"SELECT {column.sql}, {typed.sql} FROM t").fetchall():
        if value is None:
            assert bucket is None
        else:
            exact = Fraction(value) / 10**scale
            assert bucket == _bucket(exact, Fraction(low), Fraction(high), count)
            assert typed.low is not None
            assert typed.high is not None
            assert typed.low <= bucket <= typed.high
