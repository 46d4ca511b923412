"""People who are numbered densely are added up in arrays, as wide as memory permits and no wider."""

from __future__ import annotations

import duckdb
import pytest

from tacit.query.engines.duckdb.memory import Arrays, engine_memory, left_for_arrays

_ONE = 'SELECT "__unit", COUNT(*) AS v0 FROM people GROUP BY "__unit"'
_TWO = 'SELECT "__unit", COUNT(*) AS v0, SUM(x) AS v1 FROM people GROUP BY "__unit"'
_FAR = '(SELECT x * 1000000000000 AS "__unit" FROM people)'
_BESIDE = f'SELECT SUM(v0), SUM(v1) FROM ({_TWO}) JOIN (SELECT DISTINCT "__unit" FROM {_FAR}) USING ("__unit")'
_SPARSE = f'SELECT "__unit", COUNT(*) AS v0 FROM {_FAR} GROUP BY "__unit"'
_MEMORY = 2_000_000_000
_SHOWN = 0.06 * 2**30  # the engine shows one decimal


@pytest.fixture
def people() -> duckdb.DuckDBPyConnection:
    """Three rows of each of a thousand people."""
    connection = duckdb.connect()
    connection.execute('CREATE TABLE people AS SELECT i % 1000 AS "__unit", i AS x FROM range(3000) AS r(i)')
    return connection


def _bits(people: duckdb.DuckDBPyConnection, sql: str, threads: int = 1, memory: int | None = _MEMORY) -> int:
    Arrays(threads, memory).fit(people, sql)
    ((found,),) = people.execute("SELECT current_setting('perfect_ht_threshold')").fetchall()
    return int(found)


def test_few_sums_leave_room_for_more_people(people: duckdb.DuckDBPyConnection) -> None:
    one, two = _bits(people, _ONE), _bits(people, _TWO)
    assert (one, two) == (25, 24)
    assert 49 << two <= left_for_arrays(_MEMORY, is_alone=True) < 49 << two + 1
    assert _bits(people, _TWO, threads=4) == 22  # each thread has its own


def test_what_stands_beside_keeps_its_memory(people: duckdb.DuckDBPyConnection) -> None:
    assert _bits(people, _BESIDE) == 21
    assert _bits(people, _TWO, memory=500_000_000) == 19
    assert left_for_arrays(500_000_000, is_alone=True) <= engine_memory(500_000_000) // 2


@pytest.mark.parametrize("sql", [_SPARSE, "SELECT COUNT(*) AS y0 FROM people"])
def test_where_none_are_used_nothing_is_taken(people: duckdb.DuckDBPyConnection, sql: str) -> None:
    _bits(people, _TWO)
    assert _bits(people, sql) == 12
    assert _limit(people) == pytest.approx(engine_memory(_MEMORY), abs=_SHOWN)


def test_the_rest_of_the_engine_does_with_less(people: duckdb.DuckDBPyConnection) -> None:
    bits = _bits(people, _TWO)
    assert _limit(people) == pytest.approx(engine_memory(_MEMORY) - (49 << bits), abs=_SHOWN)


def test_without_a_limit_none_is_set(people: duckdb.DuckDBPyConnection) -> None:
    before = _limit(people)
    assert _bits(people, _TWO, memory=None) == 24
    assert _limit(people) == before


def _limit(people: duckdb.DuckDBPyConnection) -> float:
    ((written,),) = people.execute("SELECT current_setting('memory_limit')").fetchall()
    number, unit = str(written).split()
    return float(number) * {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}[unit]
