"""Every derived bound is wrong on purpose, and the integers that noise is added to still move by at most the radius.

A derived fact may determine a scale, but is never the guard (docs/decisions/0021): R16–R18, R20, R22, R23.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from random import Random

import pytest
from tests.attack.wrong_bounds import lie, wild_worlds
from tests.laws.databases import Worlds, engine_session
from tests.laws.movement import movements, planned, profile_probes
from tests.query.engines.parted_worlds import released
from tests.query.prepared.kept_probes import moved_too_far
from tests.query.prepared.kept_worlds import KeptWorlds, kept_worlds

from tacit.errors import Refused
from tacit.query.engines.duckdb.engine import DuckDBSession
from tacit.query.sql.expressions import second_line

Patch = pytest.MonkeyPatch

BOTH = (
    "SELECT SUM(x), SUM(h), SUM(f) FROM t",
    "SELECT AVG(x), AVG(h), AVG(f), COUNT(*) FROM t",
    "SELECT VAR_POP(x), STDDEV_SAMP(f), VAR_SAMP(h) FROM t",
    "SELECT area, COUNT(*), SUM(x), AVG(f) FROM t GROUP BY area",
    "SELECT area, SUM(h), COUNT(x) FROM t GROUP BY area",
    "SELECT ward, COUNT(*), SUM(h) FROM t GROUP BY ward",
    "SELECT x, COUNT(*), SUM(h) FROM t GROUP BY x",
    "SELECT MEDIAN(x), QUANTILE_CONT(f, 0.9), MAX(h) FROM t",
    "SELECT area, MEDIAN(h) FROM t GROUP BY area",
    "SELECT COUNT(DISTINCT x), COUNT(DISTINCT f) FROM t",
    "SELECT SUM(x) FILTER (WHERE f > 0), AVG(h) FILTER (WHERE x > 1) FROM t",
    "SELECT SUM(x + h), SUM(CASE WHEN f > 1 THEN x ELSE 3 END), AVG(-x), MEDIAN(h * 2) FROM t",
    "SELECT SUM(date_diff('day', DATE '2020-01-01', d)), AVG(year(d)) FROM t",
)
PEOPLE = (
    "SELECT SUM(s), AVG(m), MEDIAN(a), SUM(n), MAX(l) FROM (SELECT pid, SUM(h) AS s, MAX(f) AS m, AVG(x) AS a, "
    "COUNT(*) AS n, MIN(h) AS l FROM t GROUP BY pid) AS q",
    "SELECT SUM(s + l), SUM(m * m) FROM (SELECT pid, SUM(x) AS s, MAX(h) AS l, MIN(f) AS m FROM t GROUP BY pid) AS q",
    "SELECT area, SUM(s) FROM (SELECT pid, area, SUM(x) AS s FROM t GROUP BY pid, area) AS q GROUP BY area",
    "SELECT COUNT(DISTINCT pid), SUM(x) FROM t",
)
PLAIN = (*BOTH[:11], PEOPLE[0], *PEOPLE[2:])  # nothing is computed that TRY would catch
WHOLE = tuple(sql for sql in BOTH if "FILTER" not in sql and "CASE" not in sql and "date" not in sql)


@pytest.fixture(scope="module")
def session() -> Iterator[DuckDBSession]:
    with engine_session() as opened:
        yield opened


def wrong(world: Worlds, seed: int, queries: Sequence[str]) -> tuple[int, list[str]]:
    """(comparisons made, what moved too far, failed or left its grid)."""
    count, found = 0, []
    for place, sql in enumerate(queries):
        try:
            for moved in movements(world, sql, Random(seed * 100 + place)):
                count += 1
                found += [moved] if moved is not None else []
        except Refused:
            continue
        except AssertionError as error:
            found.append(f"{sql}: {error}")
    return count, found


_SOME = [*range(2), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 12))]


@pytest.mark.parametrize("by_row", [False, True])
@pytest.mark.parametrize("seed", _SOME)
def test_no_wrong_bound_moves_a_sum_further(
    seed: int, by_row: bool, session: DuckDBSession, monkeypatch: Patch
) -> None:
    """By row, by person and by ball, joint and apart, ranks on plain and even grids, distinct, keys and finding."""
    lie(monkeypatch, seed)
    with wild_worlds(Random(seed), session, by_row) as world:
        count, found = wrong(world, seed, BOTH if by_row else BOTH + PEOPLE)
    assert not found, found[0]
    assert count >= 50


@pytest.mark.parametrize("seed", _SOME[1:])
def test_the_cut_needs_no_second_line(seed: int, session: DuckDBSession, monkeypatch: Patch) -> None:
    """Where nothing is computed that could fail, sums and grids are safe without TRY around anything."""
    monkeypatch.setattr(second_line, "IS_ON", False)
    lie(monkeypatch, seed)
    with wild_worlds(Random(seed), session) as world:
        count, found = wrong(world, seed, PLAIN)
    assert not found, found[0]
    assert count >= 50


@pytest.mark.parametrize("seed", _SOME[1:])
def test_whole_runs_do_not_fail_and_are_the_same_in_parts(
    seed: int, session: DuckDBSession, monkeypatch: Patch
) -> None:
    """Limits are found on the way, groups and cells are put in their places: people all at once, and in three parts."""
    lie(monkeypatch, seed)
    count = 0
    with wild_worlds(Random(seed), session) as world:
        for place, sql in enumerate(BOTH + PEOPLE):
            with suppress(Refused):
                plan, _, price = planned(sql, world.catalogue, Random(seed * 100 + place))
                assert released(plan, price, world, 1) == released(plan, price, world, 3), sql
                count += 1
    assert count >= 8


def prepared(session: DuckDBSession, seed: int) -> Iterator[tuple[str, str | None]]:
    """Each question about whole tables, and what moved too far; None where nothing did."""
    with wild_worlds(Random(seed), session) as world, all_kept(world) as kept:
        for place, sql in enumerate(WHOLE):
            with suppress(Refused):
                for moved in moved_too_far(kept, sql, seed * 100 + place):
                    yield sql, moved


def all_kept(world: Worlds) -> AbstractContextManager[KeptWorlds]:
    return kept_worlds(world, [world.base, *world.removed, *world.replaced])


@pytest.mark.parametrize("seed", _SOME)
def test_no_wrong_bound_moves_a_prepared_sum_further(seed: int, session: DuckDBSession, monkeypatch: Patch) -> None:
    """The same on the kept form, each world's made anew from rows that leave every bound."""
    lie(monkeypatch, seed)
    count = 0
    for sql, moved in prepared(session, seed):
        assert moved is None, (sql, moved)
        count += 1
    assert count >= 40


@pytest.mark.parametrize("seed", _SOME)
def test_no_wrong_bound_moves_a_profile_further(seed: int, session: DuckDBSession, monkeypatch: Patch) -> None:
    """One person is in one bin of each histogram, whatever their values are."""
    lie(monkeypatch, seed)
    assert all(profiled(session, seed))


def profiled(session: DuckDBSession, seed: int) -> Iterator[bool]:
    """Whether a histogram of people moved by at most its radius, one comparison after another."""
    with wild_worlds(Random(seed), session) as world:
        for probe in profile_probes(world.catalogue, Random(seed)):
            _, rows = world.answer(world.base, probe.sql)
            for other in (*world.removed, *world.replaced):
                times = 2 if other in world.replaced else 1
                _, moved = world.answer(other, probe.sql)
                yield probe.read(rows)[0].is_within(probe.read(moved)[0], times)
