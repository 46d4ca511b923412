"""Broken twins of the clamps: one clamp is removed, and the check of wrong bounds detects it (R46)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random

import duckdb
import pytest
from tests.attack.test_wrong_bounds import PEOPLE, prepared, profiled, wrong
from tests.attack.wrong_bounds import lie, wild_worlds
from tests.laws.databases import engine_session

from tacit.query.engines.duckdb.engine import DuckDBSession
from tacit.query.plans.limit import Scaling
from tacit.query.sql import fixed_point as steps
from tacit.query.sql import per_person
from tacit.query.sql.clamp import Cut
from tacit.query.sql.expressions import second_line

Patch = pytest.MonkeyPatch
_SEEDS = range(6)


@pytest.fixture(scope="module")
def session() -> Iterator[DuckDBSession]:
    with engine_session() as opened:
        yield opened


def loose(sql: str, low: int, high: int, neutral: int = 0) -> Cut:
    """Claims a cut without making it."""
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
    assert is_caught(session, monkeypatch, sql, by_row)


def is_caught(session: DuckDBSession, monkeypatch: Patch, sql: str, by_row: bool = False) -> bool:
    """Whether a wild data set is found in which the twin moves too far, fails, or leaves its grid."""
    for seed in _SEEDS:
        lie(monkeypatch, seed)
        with wild_worlds(Random(seed), session, by_row) as world:
            if wrong(world, seed, [sql])[1]:
                return True
    return False


@pytest.mark.parametrize("sql", ["SELECT SUM(x) FROM t", "SELECT area, SUM(x) FROM t GROUP BY area"])
def test_totals_that_are_not_cut(sql: str, session: DuckDBSession, monkeypatch: Patch) -> None:
    """Each row is cut, but not the total of a person's rows."""
    monkeypatch.setattr(Scaling, "near", lambda way, total: loose(total, 0, 0).scaled(way.times, way.over))
    assert is_caught(session, monkeypatch, sql)


def test_values_that_are_kept_as_they_are(session: DuckDBSession, monkeypatch: Patch) -> None:
    """The kept form adds up what no statement may."""
    lie(monkeypatch, 0)
    monkeypatch.setattr(steps, "cut", loose)
    monkeypatch.setattr(steps, "cut_float", loose_float)
    with pytest.raises(duckdb.Error):
        list(prepared(session, 0))


def test_a_profile_of_values_as_they_are(session: DuckDBSession, monkeypatch: Patch) -> None:
    """A profile's histograms are of sums too."""
    lie(monkeypatch, 0)
    monkeypatch.setattr(steps, "cut", loose)
    monkeypatch.setattr(steps, "cut_float", loose_float)
    with pytest.raises(duckdb.Error):
        list(profiled(session, 0))


def test_extremes_that_are_not_cut(session: DuckDBSession, monkeypatch: Patch) -> None:
    """A person's greatest value leaves its bounds, and what is computed from it overflows: the second line is off."""
    monkeypatch.setattr(second_line, "IS_ON", False)
    assert not is_caught(session, monkeypatch, PEOPLE[1])
    monkeypatch.setattr(per_person, "_extreme", lambda value, sql: sql)
    assert is_caught(session, monkeypatch, PEOPLE[1])
