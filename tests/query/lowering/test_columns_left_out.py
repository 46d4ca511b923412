"""Unused columns are left out: the integers and the request's digest stay the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from tests.laws.databases import Worlds, engine_session, worlds
from tests.laws.movement import planned, probes, profile_probes
from tests.laws.queries import random_query
from tests.query.engines.parted_worlds import as_set, asked_in_parts, released
from tests.query.fixtures.rendering import FOLDER, Lowered

from tacit.errors import Failed, Refused
from tacit.loss.families.approx import Pure
from tacit.query.engines.duckdb.engine import DuckDBSession
from tacit.query.sql.rows import ALL, Rows, Select, SelectItem

Patch = pytest.MonkeyPatch
_FIXTURES = sorted(path.stem for path in FOLDER.glob("*.sql"))
_PROFILED = 1  # a seed whose data set has people
_DEFINED = re.compile(r'AS ("[^"]+\.[^"]+")')
_TABLE = Select((SelectItem('x AS "a"', '"a"'), SelectItem('y AS "b"', '"b"'), SelectItem('z AS "c"', '"c"')), ("t",))


def lowered(name: str, folder: Path) -> Lowered:
    query = (FOLDER / f"{name}.sql").read_text(encoding="utf-8").split(";")[0]
    return Lowered.of(query, folder, is_pure=name.startswith("pure"))


@pytest.mark.parametrize("name", _FIXTURES)
def test_no_column_is_read_in_vain(name: str, tmp_path: Path) -> None:
    """Whatever a statement reads under a name of its own it names again. Public rows are chosen by all they have."""
    for _, _, sql in lowered(name, tmp_path).statements():
        names = _DEFINED.findall(sql)
        assert all(sql.count(each) > 1 for each in names)


def test_columns_that_nobody_names_tell_requests_apart_no_more_than_before(tmp_path: Path) -> None:
    """A family includes all columns of its rows, so that a release answers queries for a part of it."""
    asked = ("SELECT COUNT(*) FROM visits", "SELECT SUM(cost) FROM visits", "SELECT AVG(age) FROM visits AS visits")
    plans = [Lowered.of(sql, tmp_path, is_pure=False).plan for sql in asked]
    assert len({plan.family for plan in plans}) == 1
    assert len({plan.question.rows.under("") for plan in plans}) == 1
    assert "cost" in plans[0].question.rows.sql


def test_what_is_named_stays() -> None:
    assert _TABLE.sql == 'SELECT x AS "a", y AS "b", z AS "c" FROM t'
    assert _TABLE.under('SUM("b")') == 'SELECT y AS "b" FROM t'
    assert _TABLE.under("COUNT(*)") == 'SELECT 1 AS "__row" FROM t'
    where = Select((ALL,), (_TABLE, ' AS u WHERE "a" > 0'), is_open=True)
    assert where.under('"c"') == 'SELECT * FROM (SELECT x AS "a", z AS "c" FROM t) AS u WHERE "a" > 0'
    grouped = Select((SelectItem('"a" AS k'), SelectItem('SUM("b") AS "s"', '"s"')), (_TABLE, " AS u GROUP BY k"))
    assert grouped.under("COUNT(*)") == 'SELECT "a" AS k FROM (SELECT x AS "a" FROM t) AS u GROUP BY k'


@pytest.fixture(scope="module")
def laws() -> Iterator[DuckDBSession]:
    with engine_session() as session:
        yield session


def _answers(world: Worlds, seed: int, queries: int) -> Iterator[object]:
    """What random plans release under frozen entropy, and what each of their statements gives."""
    random = Random(seed)
    for place in range(queries):
        _, sql = random_query(random, world.has_people, not isinstance(world.description.budget, Pure))
        try:
            plan, full, price = planned(sql, world.catalogue, Random(seed * 1000 + place))
        except Refused:
            continue
        yield plan.digest
        yield released(plan, price, world, 1)
        with asked_in_parts(world, 1) as session:
            yield from [as_set(session.run(probe.sql)) for probe in probes(plan, full, price)]


def _profiles(world: Worlds, seed: int) -> Iterator[object]:
    """What the statements of a profile give."""
    with asked_in_parts(world, 1) as session:
        yield from [as_set(session.run(probe.sql)) for probe in profile_probes(world.catalogue, Random(seed))]


def _both(laws: DuckDBSession, monkeypatch: Patch, seed: int, queries: int) -> tuple[list[object], list[object]]:
    """With few columns, and with all of them."""
    with worlds(Random(seed), laws) as world:
        few = [*_answers(world, seed, queries), *(_profiles(world, seed) if seed == _PROFILED else ())]
        with monkeypatch.context() as whole:
            whole.setattr(Rows, "under", lambda rows, above: rows.sql)
            return few, [*_answers(world, seed, queries), *(_profiles(world, seed) if seed == _PROFILED else ())]


@pytest.mark.parametrize(
    "seed", [seed if seed < 5 else pytest.param(seed, marks=pytest.mark.long) for seed in range(25)]
)
def test_random_plans_have_the_same_integers_with_all_columns(
    laws: DuckDBSession, monkeypatch: Patch, seed: int
) -> None:
    """R16–R23, R26: tables, joins, sub-queries, people's own totals; nothing holds in the data that was declared."""
    few, many = _both(laws, monkeypatch, seed, 4)
    assert few == many
    assert len(few) > 5


def test_names_that_are_not_passed_on_are_caught(laws: DuckDBSession, monkeypatch: Patch) -> None:
    """A filter's own names stay, but not those that are named above it: the engine misses them."""
    real = Select.under
    monkeypatch.setattr(Select, "under", lambda select, above: real(replace(select, is_open=False), above))
    with pytest.raises(Failed):
        [_both(laws, monkeypatch, seed, 4) for seed in range(12)]
