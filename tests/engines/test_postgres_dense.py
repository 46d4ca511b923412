"""On PostgreSQL as on DuckDB: values dense inside a narrow range lie within the believed bounds, and are the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import combinations_with_replacement

import duckdb
import psycopg
import pytest
from tests.engines.postgres_server import PostgresUnderTest
from tests.query.expressions import dense
from tests.query.expressions.lines import first_line_alone
from tests.query.expressions.typed_law import broken

from tacit.errors import Refused
from tacit.query.engines.expression_walk import TranslatedColumn, TranslatedRelation
from tacit.query.engines.postgres.dialect import Postgres
from tacit.query.engines.translation import translate
from tacit.query.sql.dialects.sql_type import type_named
from tacit.query.sql.values.typed import Typed
from tacit.schema.kind import Kind

_SIZES = pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.long), 20], ids=["all", "some"])
_NAMES = {"DOUBLE": "float8", "BIGINT": "bigint", "TIMESTAMP": "timestamp", "DATE": "date"}
Servers = tuple[duckdb.DuckDBPyConnection, "psycopg.Connection[tuple[object, ...]]"]


@pytest.fixture(scope="module")
def servers(postgres: PostgresUnderTest) -> Iterator[Servers]:
    with duckdb.connect() as one, postgres.connect() as other, first_line_alone():
        one.execute("SET TimeZone = 'UTC'; SET threads = 1")
        other.execute("SET TimeZone = 'UTC'")
        yield one, other
        other.execute("DROP TABLE IF EXISTS dense")


def _load(servers: Servers, physical: str, values: Sequence[object]) -> None:
    one, other = servers
    listed = ", ".join(f"({dense.literal(value)})" for value in values)
    one.execute(f"CREATE OR REPLACE TABLE dense AS SELECT CAST(x AS {physical}) AS x FROM (VALUES {listed}) v(x)")
    other.execute(f"DROP TABLE IF EXISTS dense; CREATE TABLE dense (x {_NAMES[physical]})")
    with other.cursor().copy("COPY dense FROM STDIN") as copy:
        for value in values:
            copy.write_row((value,))


def _say(items: Sequence[Typed], physical: str, low: str, high: str) -> str:
    """A SELECT of the items' values between these ends, in PostgreSQL's words; refused if it lacks one."""
    tables = {"dense": TranslatedRelation("dense", (TranslatedColumn("x", type_named(physical)),))}
    listed = ", ".join(f"{item.sql} AS v{place}" for place, item in enumerate(items))
    return translate(f'SELECT x, {listed} FROM "dense" WHERE x BETWEEN {low} AND {high}', tables, Postgres()).sql


def _is_said(item: Typed, physical: str) -> bool:
    try:
        return bool(_say([item], physical, "x", "x"))
    except Refused:
        return False


def _hold(servers: Servers, kind: Kind, physical: str, ends: tuple[object, object], texts: Sequence[str]) -> None:
    """The law on both servers, and the same values, between these ends."""
    typed = [(text, dense.typed(text, dense.column(kind, *ends), physical)) for text in texts]
    known = [(text, item) for text, item in typed if item is not None and _is_said(item, physical)]
    assert len(known) > len(texts) // 2
    low, high = map(dense.literal, ends)
    items = [item for _, item in known]
    mine = servers[0].execute(
        f"SELECT x, {', '.join(item.sql for item in items)} FROM dense WHERE x BETWEEN {low} AND {high} ORDER BY x"
    )
    theirs = servers[1].execute(f"SELECT * FROM ({_say(items, physical, low, high)}) AS s ORDER BY x")
    pairs = zip(zip(*mine.fetchall(), strict=True), zip(*theirs.fetchall(), strict=True), strict=True)
    for (text, item), (one, other) in zip(known, list(pairs)[1:], strict=True):
        other = tuple(int(value) if isinstance(value, Decimal) else value for value in other)
        assert broken(item, other) is None, (text, ends)
        if "exp" not in text:  # below the normal doubles it is a few units of the last place off
            assert one == other, (text, ends)


@_SIZES
def test_floats(servers: Servers, every: int) -> None:
    """R16, R20: zeros, subnormals, powers of two and ten with their neighbours."""
    values = dense.floats()
    _load(servers, "DOUBLE", values)
    for ends in dense.ranges(values, 100)[:: 8 * every]:
        _hold(servers, Kind.FLOAT, "DOUBLE", ends, dense.FLOATS)
    for ends in dense.ranges(values, 5)[:: 40 * every]:
        _hold(servers, Kind.FLOAT, "DOUBLE", ends, dense.DECIMALS[:: 1 + every // 5])


@_SIZES
def test_integers(servers: Servers, every: int) -> None:
    values = dense.integers()
    _load(servers, "BIGINT", values)
    for ends in dense.ranges(values, 50)[:: 3 * every]:
        _hold(servers, Kind.INTEGER, "BIGINT", ends, dense.INTEGERS)
    for ends in dense.ranges(values, 5)[:: 40 * every]:
        _hold(servers, Kind.INTEGER, "BIGINT", ends, dense.DECIMALS[:: 1 + every // 5])


@_SIZES
def test_times(servers: Servers, every: int) -> None:
    """R16, R20: a month back is not monotone on either."""
    for moments in dense.moments():
        _load(servers, "TIMESTAMP", moments)
        for moment_ends in list(combinations_with_replacement(moments, 2))[:: 25 * every]:
            _hold(servers, Kind.TIMESTAMP, "TIMESTAMP", moment_ends, dense.TIMES)
    for days in dense.days():
        _load(servers, "DATE", days)
        for day_ends in list(combinations_with_replacement(days, 2))[:: 3 * every]:
            _hold(servers, Kind.DATE, "DATE", day_ends, dense.TIMES)
