"""Broken twins of the lowering, each caught by the very check that the real one passes (R16–R18, R20, R22, R46)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from tests.laws.databases import Worlds, engine_session, worlds
from tests.laws.movement import movements

from tacit.query.aggregates.aggregate import Measure
from tacit.query.bounding import histogram_sql as finding
from tacit.query.engines.duckdb.engine import DuckDBSession
from tacit.query.lowering import tally
from tacit.query.lowering.distinct import DistinctBlock
from tacit.query.lowering.ranks import RanksBlock
from tacit.query.lowering.tally import TallyBlock
from tacit.query.plans.group_keys import FULL, KeyColumn, KeyRule
from tacit.query.plans.limit import Scaling
from tacit.query.sql import bounded_join, from_clause, scan, semi_joins, windows
from tacit.query.sql.clamp import ONE, Cut
from tacit.query.sql.rows import ALL, UNIT, Rows, Select

_SEEDS = 40
_PEOPLE, _ROWS = True, False
Patch = pytest.MonkeyPatch


@pytest.fixture(scope="module")
def session() -> Iterator[DuckDBSession]:
    with engine_session() as opened:
        yield opened


def is_caught(session: DuckDBSession, monkeypatch: Patch, has_people: bool, *queries: str) -> bool:
    """Whether the twin moves too far in one of the random data sets, and the real plans in the same one do not."""
    for seed in range(_SEEDS):
        with worlds(Random(seed), session) as world:
            if world.has_people is has_people and _is_wrong(world, seed, queries):
                monkeypatch.undo()
                return not _is_wrong(world, seed, queries)
    return False


def _is_wrong(world: Worlds, seed: int, queries: Sequence[str]) -> bool:
    may_choose = "Pure" not in type(world.description.budget).__name__
    asked = [sql for sql in queries if may_choose or "ward" not in sql]
    return any(found for sql in asked for found in movements(world, sql, Random(seed)))


def rewriting(method: Callable[..., str], pattern: str, other: str) -> Callable[..., str]:
    """The same SQL with a piece of it replaced; the piece must be there in the statements it is meant for."""

    def rewritten(*args: Any) -> str:
        return re.sub(pattern, other, method(*args))

    return rewritten


def test_a_total_that_is_not_cut(session: DuckDBSession, monkeypatch: Patch) -> None:
    """The clamp of a person's total is dropped."""
    queries = ("SELECT COUNT(*), SUM(cost) FROM visits",)
    monkeypatch.setattr(Scaling, "near", lambda scaling, total: Cut(total, 0, 0).scaled(scaling.times, scaling.over))
    assert is_caught(session, monkeypatch, _PEOPLE, *queries)


def test_a_ball_that_nobody_is_scaled_into(session: DuckDBSession, monkeypatch: Patch) -> None:
    """The factor of people beyond the ball is not applied."""
    queries = ("SELECT region, COUNT(*), SUM(cost) FROM visits GROUP BY region",)
    monkeypatch.setattr(TallyBlock, "sql", rewriting(TallyBlock.sql, "CASE WHEN factor IS NULL", "CASE WHEN TRUE"))
    assert is_caught(session, monkeypatch, _PEOPLE, *queries)


def test_rows_taken_for_people(session: DuckDBSession, monkeypatch: Patch) -> None:
    """Limits cut each row instead of each person's total."""

    def by_row(rows: Rows, keys: Sequence[KeyColumn], measures: Sequence[Measure]) -> str:
        listed = [UNIT, *(f"{key.sql} AS k{place}" for place, key in enumerate(keys))]
        listed += [f"{measure.sql} AS v{place}" for place, measure in enumerate(measures)]
        return f'SELECT {", ".join(listed)} FROM ({rows.sql}) AS "__rows"'

    monkeypatch.setattr(tally, "people_sql", by_row)
    assert is_caught(session, monkeypatch, _PEOPLE, "SELECT COUNT(*), SUM(cost) FROM visits")


def test_a_join_of_different_people(session: DuckDBSession, monkeypatch: Patch) -> None:
    """Private rows are joined by their keys alone: one person's row then multiplies another's."""
    real = bounded_join.join_private

    def loose(*args: Any) -> Rows:
        joined, same = real(*args), '"__left"."__unit" = "__right"."__unit"'
        assert sum(same in part for part in joined.select.origin if isinstance(part, str)) == 1
        parts = [part.replace(same, "TRUE") if isinstance(part, str) else part for part in joined.select.origin]
        return replace(joined, select=replace(joined.select, origin=tuple(parts)))

    queries = ("SELECT COUNT(*), SUM(price) FROM visits AS v JOIN items AS i ON v.visit = i.visit",)
    monkeypatch.setattr(bounded_join, "join_private", loose)
    assert is_caught(session, monkeypatch, _PEOPLE, *queries)


def test_rows_that_match_those_of_anybody(session: DuckDBSession, monkeypatch: Patch) -> None:
    """A sub-query looks at everybody's rows: the lowered SQL does not require the same person."""
    real = semi_joins.existing
    monkeypatch.setattr(
        semi_joins, "existing", lambda rows, others, *more: real(rows, replace(others, tables=frozenset()), *more)
    )
    queries = (
        "SELECT COUNT(*), SUM(cost) FROM visits WHERE visit IN (SELECT visit FROM visits WHERE smoker)",
        "SELECT COUNT(*), SUM(cost) FROM visits WHERE pid NOT IN (SELECT who FROM people WHERE born < 1980)",
    )
    assert is_caught(session, monkeypatch, _PEOPLE, *queries)


def test_windows_over_everybody(session: DuckDBSession, monkeypatch: Patch) -> None:
    """A row's number counts other people's rows."""
    numbered = "SELECT cost, ROW_NUMBER() OVER (PARTITION BY pid ORDER BY day) AS nth FROM visits"
    monkeypatch.setattr(windows, "UNIT", "1")
    assert is_caught(session, monkeypatch, _PEOPLE, f"SELECT COUNT(*), SUM(cost) FROM ({numbered}) AS s WHERE nth > 3")


@pytest.mark.parametrize("side", ["", "LEFT "])
def test_a_public_table_with_doubled_keys(session: DuckDBSession, monkeypatch: Patch, side: str) -> None:
    """Every public row of a key is joined, so that one private row becomes several."""
    real = from_clause.join_public

    def doubled(*args: Any) -> Rows:
        joined = real(*args)
        sql, many = re.subn(r"QUALIFY row_number\(\) OVER \(.*?\) = 1", "", joined.sql)
        assert many == 1
        return replace(joined, select=Select((ALL,), (f'({sql}) AS "__joined"',)))

    queries = (f"SELECT COUNT(*), SUM(cost) FROM visits AS v {side}JOIN wards AS w ON v.ward = w.ward",)
    monkeypatch.setattr(from_clause, "join_public", doubled)
    assert is_caught(session, monkeypatch, _ROWS, *queries)


def test_a_child_row_of_several_that_goes_to_one(session: DuckDBSession, monkeypatch: Patch) -> None:
    """A row that points to several people is given to the least of them, so that removing one moves it to another."""
    real = scan.owners

    def least(*args: Any) -> str:
        return f'SELECT "__key", MIN("__unit") AS "__unit" FROM ({real(*args)}) AS "__pairs" GROUP BY "__key"'

    queries = ("SELECT COUNT(*), SUM(quantity) FROM items",)
    monkeypatch.setattr(scan, "owners", least)
    assert is_caught(session, monkeypatch, _PEOPLE, *queries)


def test_full_weight_for_every_key(session: DuckDBSession, monkeypatch: Patch) -> None:
    """A person's weight is not shared among the keys they hold."""
    queries = ("SELECT ward, COUNT(*) FROM visits GROUP BY ward",)
    monkeypatch.setattr(KeyRule, "weight", lambda rule, keys: ONE.scaled(FULL * rule.unit, 1))
    assert is_caught(session, monkeypatch, _PEOPLE, *queries)


def test_ranks_without_a_limit(session: DuckDBSession, monkeypatch: Patch) -> None:
    """Every row of a person weighs fully, however many there are."""
    queries = ("SELECT MEDIAN(cost), MAX(dose) FROM visits",)
    monkeypatch.setattr(RanksBlock, "sql", rewriting(RanksBlock.sql, r"HAVING COUNT\(\*\) > \d+", "HAVING FALSE"))
    assert is_caught(session, monkeypatch, _PEOPLE, *queries)


def test_ranks_with_one_level_limited(session: DuckDBSession, monkeypatch: Patch) -> None:
    """On an even grid the norm must be that of all levels together, not of each on its own."""
    queries = ("SELECT MEDIAN(cost), MAX(dose) FROM visits",)
    each = rewriting(RanksBlock.sql, r" \+ \(finer \* \d+\)", "")
    monkeypatch.setattr(RanksBlock, "sql", each)
    assert is_caught(session, monkeypatch, _PEOPLE, *queries)


def test_values_chosen_by_what_others_hold(session: DuckDBSession, monkeypatch: Patch) -> None:
    """Which of a person's values count depends on how many rows there are in all."""
    queries = (
        "SELECT COUNT(DISTINCT code) FROM visits",
        "SELECT COUNT(DISTINCT stay), COUNT(DISTINCT age) FROM visits",
    )
    salt = "ORDER BY md5(concat((SELECT COUNT(*) FROM visits), "
    salted = rewriting(DistinctBlock.sql, r"ORDER BY md5\(concat\(", salt)
    monkeypatch.setattr(DistinctBlock, "sql", salted)
    assert is_caught(session, monkeypatch, _PEOPLE, *queries)


def test_distinct_values_without_a_limit(session: DuckDBSession, monkeypatch: Patch) -> None:
    """All values of a person count."""
    monkeypatch.setattr(DistinctBlock, "sql", rewriting(DistinctBlock.sql, r"WHERE place <= \d+", ""))
    assert is_caught(session, monkeypatch, _PEOPLE, "SELECT COUNT(DISTINCT code), COUNT(DISTINCT stay) FROM visits")


def test_people_found_several_times(session: DuckDBSession, monkeypatch: Patch) -> None:
    """A person counts more than once in the histogram that limits are found from."""
    real = finding.FindingBlock.sql
    monkeypatch.setattr(finding.FindingBlock, "sql", rewriting(real, r"COUNT\(\*\) AS y0", "2 * COUNT(*) AS y0"))
    assert is_caught(session, monkeypatch, _PEOPLE, "SELECT COUNT(*), SUM(cost) FROM visits")


def test_an_expression_that_is_not_cut(session: DuckDBSession, monkeypatch: Patch) -> None:
    """A row unit rests on the bounds of the expression: doubled below the noise, they no longer hold (R16)."""
    queries = ("SELECT SUM(cost), AVG(dose) FROM visits",)
    real = Scaling.of
    monkeypatch.setattr(Scaling, "of", lambda scaling, value: real(scaling, value).scaled(2, 1))
    assert is_caught(session, monkeypatch, _ROWS, *queries)
