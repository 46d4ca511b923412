"""Broken twins of the clamps: one is taken away, all else stays, and the check of wrong bounds sees it (R46)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

import duckdb
import pytest
from tests.attack.test_wrong_bounds import wrong
from tests.attack.wrong_bounds import lie, wild_worlds
from tests.laws.databases import engine_session
from tests.laws.movement import profile_probes
from tests.query.prepared.kept_worlds import kept_worlds

from tacit import query
from tacit.query import steps
from tacit.query.aggregates import parts
from tacit.query.engines.duckdb_engine import DuckDBSession
from tacit.query.expressions import second_line
from tacit.query.lowering import clamp, ranks
from tacit.query.lowering.clamp import Cut
from tacit.query.plans.limit import Scaling
from tacit.query.relations import per_person

Patch = pytest.MonkeyPatch
_SEEDS = range(6)


@pytest.fixture(scope="module")
def session() -> Iterator[DuckDBSession]:
    with engine_session() as opened:
        yield opened


def is_caught(session: DuckDBSession, seed: int, sql: str, by_row: bool = False) -> bool:
    with wild_worlds(Random(seed), session, by_row) as world:
        return any(found for found in wrong(world, seed, [sql])[1])


def loose(sql: str, low: int, high: int, neutral: int = 0) -> Cut:
    """Says that it is cut."""
    return Cut(f"coalesce({sql}, {neutral})", low, high)


def loose_float(sql: str, step: Fraction, low: int, high: int, neutral: int = 0) -> Cut:
    return loose(f"CAST(floor(({sql}) * {float(1 / step)!r} + 0.5) AS BIGINT)", low, high, neutral)


@pytest.mark.parametrize(
    ("sql", "by_row"),
    [
        ("SELECT SUM(x) FROM t", True),
        ("SELECT SUM(f) FROM t", True),
        ("SELECT area, AVG(x) FROM t GROUP BY area", True),
        ("SELECT VAR_POP(x) FROM t", True),
        ("SELECT SUM(x) FILTER (WHERE f > 0) FROM t", True),
        ("SELECT SUM(s) FROM (SELECT pid, MAX(x) AS s FROM t GROUP BY pid) AS q", False),
        ("SELECT SUM(h) FROM t", False),
        ("SELECT area, SUM(h) FROM t GROUP BY area", False),
        ("SELECT SUM(s) FROM (SELECT pid, SUM(h) AS s FROM t GROUP BY pid) AS q", False),
        ("SELECT MEDIAN(x) FROM t", True),
        ("SELECT MEDIAN(h) FROM t", False),
        ("SELECT QUANTILE_CONT(f, 0.9) FROM t", False),
    ],
)
def test_rows_that_are_not_cut(sql: str, by_row: bool, session: DuckDBSession, monkeypatch: Patch) -> None:
    """A value is added, or looked for in its grid, as far out as it is."""
    monkeypatch.setattr(steps, "cut", loose)
    monkeypatch.setattr(steps, "cut_float", loose_float)
    assert any(_lied_and_caught(session, monkeypatch, seed, sql, by_row) for seed in _SEEDS)


def _lied_and_caught(session: DuckDBSession, monkeypatch: Patch, seed: int, sql: str, by_row: bool) -> bool:
    lie(monkeypatch, seed)
    return is_caught(session, seed, sql, by_row)
