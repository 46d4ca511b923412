"""Every expression lies within its believed bounds on all values inside the range, not just at its ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from itertools import combinations_with_replacement

import duckdb
import pytest
from tests.query.expressions import dense
from tests.query.expressions.typed_law import faults

from tacit.schema.kind import Kind

_SIZES = pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.long), 15], ids=["all", "some"])
_ALL = "(SELECT * FROM {table} WHERE x BETWEEN {low} AND {high})"


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        opened.execute("SET TimeZone = 'UTC'; SET threads = 1")
        yield opened


def _table(connection: duckdb.DuckDBPyConnection, physical: str, values: Sequence[object]) -> None:
    listed = ", ".join(f"({dense.literal(value)})" for value in values)
    connection.execute(f"CREATE OR REPLACE TABLE t AS SELECT CAST(x AS {physical}) AS x FROM (VALUES {listed}) v(x)")


def _broken(
    connection: duckdb.DuckDBPyConnection, kind: Kind, physical: str, ends: tuple[object, object], texts: Sequence[str]
) -> list[str]:
    """What the expressions do, on the values between these ends, that they claim they cannot do."""
    items = [(text, dense.typed(text, dense.column(kind, *ends), physical)) for text in texts]
    low, high = map(dense.literal, ends)
    known = [item for _, item in items if item is not None]
    found = faults(connection, _ALL.format(table="t", low=low, high=high), known)
    if not found:
        return []
    return [
        f"{text} on {ends}: {fault}"
        for text, item in items
        if item is not None
        for fault in faults(connection, _ALL.format(table="t", low=low, high=high), [item])
    ]


@_SIZES
def test_times_around_the_ends_of_months(connection: duckdb.DuckDBPyConnection, every: int) -> None:
    """R16: 30 December 23:59:59 less a month lies after 31 December 00:00 less a month."""
    for moments in dense.moments():
        _table(connection, "TIMESTAMP", moments)
        pairs = list(combinations_with_replacement(moments, 2))[:: every if moments[0].year == 2024 else 5 * every]
        for ends in pairs:
            assert _broken(connection, Kind.TIMESTAMP, "TIMESTAMP", ends, dense.SHIFTS) == []


@_SIZES
def test_parts_and_differences_of_times(connection: duckdb.DuckDBPyConnection, every: int) -> None:
    """R16: also of times that were moved before."""
    for moments in dense.moments():
        _table(connection, "TIMESTAMP", moments)
        for ends in list(combinations_with_replacement(moments, 2))[:: 2 * every]:
            assert _broken(connection, Kind.TIMESTAMP, "TIMESTAMP", ends, dense.TIMES) == []


@_SIZES
def test_dates_around_the_ends_of_months(connection: duckdb.DuckDBPyConnection, every: int) -> None:
    for listed in dense.days():
        _table(connection, "DATE", listed)
        ends: tuple[date, date]
        for ends in list(combinations_with_replacement(listed, 2))[::every]:
            assert _broken(connection, Kind.DATE, "DATE", ends, dense.TIMES) == []


@_SIZES
def test_floats(connection: duckdb.DuckDBPyConnection, every: int) -> None:
    """R16: zeros, subnormals, powers of two and ten with their neighbours, halves, and what is near the largest."""
    values = dense.floats()
    _table(connection, "DOUBLE", values)
    for ends in dense.ranges(values, 150)[::every]:
        assert _broken(connection, Kind.FLOAT, "DOUBLE", ends, dense.FLOATS) == []


@_SIZES
def test_integers(connection: duckdb.DuckDBPyConnection, every: int) -> None:
    values = dense.integers()
    _table(connection, "BIGINT", values)
    for ends in dense.ranges(values, 100)[::every]:
        assert _broken(connection, Kind.INTEGER, "BIGINT", ends, dense.INTEGERS) == []


@_SIZES
def test_floats_as_decimals_of_every_width_and_scale(connection: duckdb.DuckDBPyConnection, every: int) -> None:
    """R16: engines multiply by the power of ten in doubles, so 1e17 as DECIMAL(28, 9) is more than 1e17."""
    values = dense.floats()
    _table(connection, "DOUBLE", values)
    for ends in dense.ranges(values, 12)[:: 5 * every]:
        assert _broken(connection, Kind.FLOAT, "DOUBLE", ends, dense.DECIMALS) == []


@_SIZES
def test_integers_as_decimals_of_every_width_and_scale(connection: duckdb.DuckDBPyConnection, every: int) -> None:
    values = dense.integers()
    _table(connection, "BIGINT", values)
    for ends in dense.ranges(values, 12)[:: 2 * every]:
        assert _broken(connection, Kind.INTEGER, "BIGINT", ends, dense.DECIMALS) == []
