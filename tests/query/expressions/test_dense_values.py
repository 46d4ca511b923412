"""Every expression lies within its believed bounds on all values inside the range, not just at its ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from fractions import Fraction
from itertools import combinations_with_replacement

import duckdb
import pytest
from tests.query.expressions import dense
from tests.query.expressions.typed_law import faults

from tacit.query.sql.expressions import read_column
from tacit.schema.description import Column
from tacit.schema.kind import Kind

_SIZES = pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.long), 45], ids=["all", "some"])
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
    """The violations of the expressions' claims on the values between these ends."""
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
        for ends in list(combinations_with_replacement(moments, 2))[:: 5 * every]:
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


@_SIZES
def test_integers_beyond_64_bits(connection: duckdb.DuckDBPyConnection, every: int) -> None:
    values = dense.integers()
    _table(connection, "BIGINT", values)
    for ends in dense.ranges(values, 60)[::every]:
        assert _broken(connection, Kind.INTEGER, "BIGINT", ends, dense.HUGE) == []


@_SIZES
def test_decimals(connection: duckdb.DuckDBPyConnection, every: int) -> None:
    """R16: of two digits after the point, stored as their cents; the column is an integer number of them."""
    values = [value for value in dense.integers() if abs(value) < 10**18]
    listed = ", ".join(f"({value})" for value in values)
    connection.execute(f"CREATE OR REPLACE TABLE t AS SELECT x::BIGINT AS x FROM (VALUES {listed}) v(x)")
    for low, high in dense.ranges(values, 60)[::every]:
        column = dense.column(Kind.DECIMAL, low, high, scale=2)
        items = [(text, dense.typed(text, column, "DECIMAL(20,2)")) for text in dense.CENTS]
        table = f"(SELECT CAST(x AS DECIMAL(20, 0)) * 0.01::DECIMAL(3, 2) AS x FROM t WHERE x BETWEEN {low} AND {high})"
        for text, item in items:
            assert item is None or faults(connection, table, [item]) == [], (text, low, high)


_BOUNDS = [(None, None), (0, 100), (-1, 1), (-(10**16), 10**16), (7, 7)]


@pytest.mark.parametrize("scale", [0, 2, 9])
@pytest.mark.parametrize("width", [1, 2, 9, 10, 17, 18, 19, 20, 28, 37, 38])
def test_decimals_of_every_shape_are_read(connection: duckdb.DuckDBPyConnection, width: int, scale: int) -> None:
    """R07, R26: the ends of DECIMAL(p, s), read as decimals of other scales and within other bounds."""
    for own in range(width + 1):
        most = f"{10**width - 1}"
        texts = [most, "1", "0", f"{10 ** (width - 1)}", f"{10**own - 1 if own else 0}", f"{5 * 10**own // 10}"]
        listed = ", ".join(f"('{sign}{_pointed(text, own)}')" for text in texts for sign in ("", "-"))
        shape = f"DECIMAL({width},{own})"
        connection.execute(
            f"CREATE OR REPLACE TABLE t AS SELECT TRY_CAST(x AS {shape}) AS x FROM (VALUES {listed}) v(x)"
        )
        kind = Kind.DECIMAL if scale else Kind.INTEGER
        ends = [[None if end is None else Fraction(end) for end in pair] for pair in _BOUNDS]
        columns = [Column("x", kind, *pair, scale=scale) for pair in ends]
        reads = [read_column(column, '"x"', physical) for column in columns for physical in (shape, None)]
        assert faults(connection, "t", reads) == [], shape


def _pointed(digits: str, scale: int) -> str:
    """An integer of these digits over 10^scale, written out."""
    padded = digits.rjust(scale + 1, "0")
    return f"{padded[: len(padded) - scale]}.{padded[len(padded) - scale :]}" if scale else padded
