"""Every derived bound wrong on purpose, on PostgreSQL and on Spark: the integers move by at most the radius."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from tests.attack.wrong_bounds import description, drawn_rows, lie
from tests.engines.engines import EngineUnderTest
from tests.engines.postgres_server import PostgresUnderTest
from tests.engines.spark_server import SparkUnderTest
from tests.laws.databases import engine_session
from tests.laws.movement import planned, probes

from tacit.query.engines.duckdb.engine import DuckDBSession
from tacit.query.engines.protocol import Session
from tacit.schema.catalogue import Catalogue
from tacit.schema.sources import read_source

_TYPES = {"x": "BIGINT", "h": "DECIMAL(38,0)", "f": "DOUBLE", "area": "VARCHAR", "ward": "VARCHAR"}
_ASKED = (
    "SELECT SUM(x), SUM(h), AVG(f) FROM t",
    "SELECT area, COUNT(*), SUM(h), AVG(x) FROM t GROUP BY area",
    "SELECT MEDIAN(x), QUANTILE_CONT(f, 0.9), MAX(h) FROM t",
    "SELECT VAR_POP(h), STDDEV_SAMP(f) FROM t",
    "SELECT SUM(s), AVG(m), MEDIAN(a), MAX(l) FROM (SELECT pid, SUM(h) AS s, MAX(f) AS m, AVG(x) AS a, MIN(h) AS l "
    "FROM t GROUP BY pid) AS q",
)


@pytest.fixture(scope="module")
def session() -> Iterator[DuckDBSession]:
    with engine_session() as opened:
        yield opened


def compared(engine: EngineUnderTest, session: DuckDBSession, folder: Path, seed: int, asked: Sequence[str]) -> int:
    """How many statements held, with all rows, without two of the people in turn, and with one person's drawn anew."""
    random = Random(seed)
    rows = drawn_rows(random, _TYPES)
    without = [[row for row in rows if not row.startswith(f"({pid},")] for pid in (0, 1)]
    changed = [*without[0], *(row for row in drawn_rows(random, _TYPES) if row.startswith("(0,"))]
    described, count = description(random, by_row=False), 0
    columns = {name: column for name, column in described.tables["t"].columns.items() if name in _TYPES}
    table = replace(described.tables["t"], columns=columns)
    catalogue = Catalogue(replace(described, tables={"t": table}), {"t": {"pid": "BIGINT", **_TYPES}})
    with ExitStack() as stack:
        opened: list[Session] = []
        for place, listed in enumerate([rows, *without, changed]):
            own = folder / str(place)
            own.mkdir()
            names = ", ".join(f"{name} {kind}" for name, kind in _TYPES.items())
            session.connection.execute(f"USE memory.main; CREATE OR REPLACE TABLE t (pid BIGINT, {names})")
            session.connection.execute(f"INSERT INTO t VALUES {', '.join(listed)}")
            source = engine.load(session.connection, ["t"], own)["t"]
            given = dict(line.replace('"', "").split(" = ", 1) for line in source.splitlines())
            placed = replace(table, source=read_source(given["source"], own, given.get("table")))
            world = replace(described, tables={"t": placed})
            opened.append(stack.enter_context(engine.engine().session(world)))
        for place, sql in enumerate(asked):
            for probe in probes(*planned(sql, catalogue, Random(seed * 100 + place))):
                base, *others = (probe.read(each.run(probe.sql).to_pylist()) for each in opened)
                for times, other in zip((1, 1, 2), others, strict=True):
                    assert all(one.is_within(two, times) for one, two in zip(base, other, strict=True)), probe.sql
                    count += 1
    return count


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long), pytest.param(2, marks=pytest.mark.long)])
def test_no_wrong_bound_moves_a_sum_further_on_postgresql(
    seed: int, postgres: PostgresUnderTest, session: DuckDBSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R16, R20: SQL that another dialect says is cut there as well."""
    lie(monkeypatch, seed)
    assert compared(postgres, session, tmp_path, seed, _ASKED) >= 10


@pytest.mark.long
@pytest.mark.parametrize("seed", [0, 1])
def test_no_wrong_bound_moves_a_sum_further_on_spark(
    seed: int, spark: SparkUnderTest, session: DuckDBSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R16, R20: and on Spark, a few of them."""
    lie(monkeypatch, seed)
    assert compared(spark, session, tmp_path, seed, _ASKED if seed else _ASKED[1:3]) >= 6
