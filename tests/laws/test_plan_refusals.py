"""Queries under which one person once moved an answer too far, or a value made it fail: now refused or bounded.

Each case is the smallest that brute force or thought found; where it is refused now, the refusal says the cure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from tests.laws.databases import engine_session
from tests.laws.movement import planned, probes
from tests.query.running.all_stages import run

from tacit.errors import Refused
from tacit.loss.calibration import budget_from
from tacit.loss.families.approx import Approx
from tacit.loss.families.loss import Relation
from tacit.noise.bits import Seeded
from tacit.query.engines.duckdb.engine import DuckDBSession
from tacit.query.execution.noisy_table import NoisyTable
from tacit.query.plans.question import read_question
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import Column, Description, EachRow, Lookup, OwnColumn, Source, Table, Unit
from tacit.schema.kind import Kind

_NOWHERE = Source("parquet", Path("nowhere.parquet"))
_BIG = Fraction(2**60)
_PRIVATE = (
    Column("x", Kind.INTEGER, Fraction(0), Fraction(1000)),
    Column("f", Kind.FLOAT, Fraction(0), _BIG),
    Column("wild", Kind.FLOAT, -(Fraction(10) ** 50), Fraction(10) ** 50),
    Column("w", Kind.INTEGER),
    Column("b.c", Kind.INTEGER, Fraction(0), Fraction(1000)),
)
_PUBLIC = (
    Column("k", Kind.INTEGER, Fraction(0), _BIG),
    Column("x", Kind.INTEGER, Fraction(0), Fraction(1)),
    Column("c", Kind.INTEGER, Fraction(0), Fraction(1)),
)


def catalogue(by_row: bool) -> Catalogue:
    table = Table("t", _NOWHERE, {c.name: c for c in _PRIVATE}, EachRow() if by_row else OwnColumn("pid"))
    lookup = Lookup("l", _NOWHERE, {c.name: c for c in _PUBLIC}, "k")
    unit = Unit(Relation.ADD_REMOVE, "one", None if by_row else "pid")
    budget, promise = budget_from(8, Fraction(1, 10**5)), Approx(8, Fraction(1, 10**5))
    return Catalogue(Description("d", Path("d.toml"), unit, budget, promise, {"t": table}, {"l": lookup}))


@pytest.fixture(scope="module")
def session() -> Iterator[DuckDBSession]:
    with engine_session() as opened:
        opened.connection.execute(
            f"CREATE TABLE t AS SELECT 1 AS pid, 900 AS x, {2**53}::DOUBLE AS f, 1e49 AS wild, {2**63 - 1} AS w, "
            '900 AS "b.c" FROM range(9); '
            f"CREATE TABLE l AS SELECT {2**53} + i AS k, 1 AS x, 1 AS c FROM range(2) AS r(i)"
        )
        yield opened


@pytest.mark.parametrize(
    ("by_row", "sql"),
    [
        (True, "SELECT SUM(x) FROM (SELECT * FROM t LEFT JOIN l ON t.x = l.k) AS s"),
        (True, "SELECT SUM(a) FROM (SELECT x AS a, 1 AS a FROM t) AS s"),
        (True, "SELECT SUM(a) FROM (SELECT x AS A, 1 AS a FROM t) AS s"),
        (False, "SELECT SUM(a) FROM (SELECT pid, MAX(x) AS a, 1 AS a FROM t GROUP BY pid) AS s"),
        (False, "SELECT SUM(pid) FROM (SELECT t.pid, MAX(x) AS pid FROM t GROUP BY t.pid) AS s"),
        (False, "SELECT COUNT(*) FROM (SELECT pid, 1 AS pid FROM t) AS s"),
    ],
)
def test_two_columns_of_one_name_are_refused(by_row: bool, sql: str) -> None:
    """R16, R17: the bounds of one were held for those of the other, and a row of 900 counted as at most 1."""
    with pytest.raises(Refused, match="two columns called"):
        read_question(sql, catalogue(by_row))


@pytest.mark.parametrize("side", ["", "LEFT "])
def test_a_join_by_a_float_is_refused(side: str) -> None:
    """R20: 2^53 and 2^53 + 1 are the same double, so one row found two partners."""
    with pytest.raises(Refused, match="floating-point"):
        read_question(f"SELECT COUNT(*) FROM t {side}JOIN l ON t.f = l.k", catalogue(by_row=True))


@pytest.mark.parametrize(
    "sql",
    [
        'SELECT SUM("a.b".c) FROM t AS a LEFT JOIN l AS "a.b" ON a."b.c" = "a.b".k',
        "SELECT COUNT(*) FROM (SELECT x FROM t HAVING x > 1000) AS s",
        "SELECT SUM(a) FROM (SELECT pid, __total.t0 AS a FROM t GROUP BY pid) AS s",
        "SELECT SUM(a) FROM (SELECT pid, __key.k0 AS a FROM t GROUP BY pid) AS s",
        "WITH __total AS (SELECT pid, x FROM t) "
        "SELECT SUM(b) FROM (SELECT pid, MAX(x) AS a, __total.t0 AS b FROM __total GROUP BY pid) AS s",
        "WITH __key AS (SELECT pid, x AS k0 FROM t) "
        "SELECT COUNT(*) FROM (SELECT pid, k0 % 2 AS a FROM __key GROUP BY pid, k0 % 2) AS s",
        "SELECT COUNT(*) FROM (SELECT pid, COUNT(DISTINCT x, w) AS a FROM t GROUP BY pid) AS s WHERE a > 1",
        "SELECT COUNT(*) FROM (SELECT pid, SUM(w * w) AS a FROM t GROUP BY pid) AS s WHERE a > 1",
        "SELECT COUNT(*) FROM (SELECT pid, AVG(w * w) AS a FROM t GROUP BY pid) AS s WHERE a > 1",
    ],
)
def test_what_has_no_safe_form_is_refused(sql: str) -> None:
    """R17, R26: names that could be mistaken, clauses that were dropped, totals that no type holds."""
    with pytest.raises(Refused):
        read_question(sql, catalogue(by_row=False))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) FROM (SELECT pid, AVG(wild) AS a FROM t GROUP BY pid) AS s WHERE a > 1",
        "SELECT r, COUNT(*) FROM (SELECT pid, x // 9 AS r, COUNT(*) AS n FROM t GROUP BY pid, x // 9) AS s GROUP BY r",
        "SELECT n > 1, SUM(r) FROM (SELECT pid, x // 10 AS r, COUNT(*) AS n FROM t GROUP BY 1, 2) AS s GROUP BY 1",
        "SELECT SUM(f), AVG(f) FROM t",
        "SELECT AVG(a) FROM (SELECT pid, SUM(x) AS a FROM t GROUP BY pid) AS s",
    ],
)
def test_what_has_one_runs(session: DuckDBSession, sql: str) -> None:
    """R26: wide values, and keys within a person, no longer make the engine fail."""
    plan, full, price = planned(sql, catalogue(by_row=False), Random(1))
    for probe in probes(plan, full, price):
        assert session.run(probe.sql).num_rows


def test_keys_of_more_than_64_bits_are_stored(session: DuckDBSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """R26: a private key that an engine gives as a decimal is an integer, and can be written down."""
    monkeypatch.setattr("tacit.query.plans.group_keys.KeyRule.shown", lambda rule, weights, bits: weights > 0)
    _, full, price = planned("SELECT w * 3, COUNT(*) FROM t GROUP BY 1", catalogue(by_row=False), Random(1))
    table = NoisyTable.from_bytes(run(full, price, session, Seeded(1)).to_bytes())
    assert table.keys == ((3 * (2**63 - 1),),)


def test_the_total_of_nothing_is_missing(session: DuckDBSession) -> None:
    """R16: a person without any value had a total of −2^62, because least and greatest pass over NULL."""
    sql = "SELECT SUM(a), MEDIAN(a) FROM (SELECT pid, LEAST(SUM(x), 500) AS a, COUNT(*) AS n FROM t GROUP BY pid) AS s"
    plan, full, price = planned(sql, catalogue(by_row=False), Random(1))
    columns = 'NULL::INTEGER AS x, NULL::DOUBLE AS f, NULL::DOUBLE AS wild, NULL::BIGINT AS w, NULL::INTEGER AS "b.c"'
    session.connection.execute(f"CREATE SCHEMA empty; CREATE TABLE empty.t AS SELECT 1 AS pid, {columns}; USE empty")
    for probe in probes(plan, full, price):
        for reading in probe.read(session.run(probe.sql).to_pylist()):
            assert reading.is_within(replace(reading, vector={}), 1)
    session.connection.execute("USE main")
