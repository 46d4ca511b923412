"""No person moves a prepared plan further than its noise was made for, and no kept row is of two people.

R16–R18, R20, R22: the brute force of whole plans, with every neighbour's form made anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from tests.laws.databases import engine_session, worlds
from tests.laws.queries import random_query
from tests.query.prepared.kept_probes import moved_too_far
from tests.query.prepared.kept_worlds import KeptWorlds, kept_worlds

from tacit.errors import Refused
from tacit.query.engines.duckdb.engine import DuckDBSession
from tacit.query.materialized import form as table_form

Patch = pytest.MonkeyPatch
_ASKED = (
    "SELECT region, COUNT(*), SUM(dose), AVG(cost) FROM visits GROUP BY region",
    "SELECT ward, COUNT(*), SUM(dose) FROM visits GROUP BY ward",
    "SELECT smoker, AVG(dose), COUNT(DISTINCT pid) FROM visits GROUP BY smoker",
    "SELECT COUNT(*), SUM(cost), MEDIAN(dose) FROM visits",
)


@pytest.fixture(scope="module")
def session() -> Iterator[DuckDBSession]:
    with engine_session() as opened:
        yield opened


def of_people(session: DuckDBSession, seeds: range) -> Iterator[tuple[int, KeptWorlds]]:
    """Random data sets whose unit is a person, each world with its kept form."""
    for seed in seeds:
        with worlds(Random(seed), session) as world:
            if world.has_people:
                with kept_worlds(world, [world.base, *world.removed, *world.replaced]) as kept:
                    yield seed, kept


def wrong(kept: KeptWorlds, seed: int, queries: tuple[str, ...]) -> list[str]:
    """What moved too far; private keys are not asked for where noise is Laplace's."""
    found: list[str] = []
    for place, sql in enumerate(queries):
        try:
            found += [each for each in moved_too_far(kept, sql, seed * 100 + place) if each is not None]
        except Refused:
            continue
    return found


def test_no_person_moves_a_prepared_plan_further_than_its_radius(session: DuckDBSession) -> None:
    """Every neighbour by removal, and some by replacement, of a few data sets."""
    tried = 0
    for seed, kept in of_people(session, range(2, 4)):
        found = wrong(kept, seed, (*_ASKED, random_query(Random(seed), True, True)[1]))
        assert not found, found[0]
        tried += 1
    assert tried


@pytest.mark.long
@pytest.mark.parametrize("block", range(10, 40, 3))
def test_no_person_moves_any_of_many_prepared_plans_further(block: int, session: DuckDBSession) -> None:
    for seed, kept in of_people(session, range(block, block + 3)):
        random = Random(seed)
        found = wrong(kept, seed, (*_ASKED, *(random_query(random, True, True)[1] for _ in range(6))))
        assert not found, found[0]


def changed_for_others(kept: KeptWorlds) -> list[str]:
    """Kept tables in which a person's leaving changed a row of somebody else."""
    world, found = kept.worlds, []
    base = kept.kept_tables(world.base)
    for other in world.removed:
        for name, rows in kept.kept_tables(other).items():
            gone, new = base[name] - rows, rows - base[name]
            if new or len({_person(row) for row in gone}) > 1:
                found.append(name)
    return found


def _person(row: tuple[object, ...]) -> str:
    return str(row[0]).strip("'").removesuffix(".0")


def test_every_kept_row_is_of_one_person(session: DuckDBSession) -> None:
    """R22: without a person, all other rows of every kept table are what they were."""
    tables: set[str] = set()
    for _, kept in of_people(session, range(2, 4)):
        assert changed_for_others(kept) == []
        tables |= set(kept.kept_tables(kept.worlds.base))
    assert {"rows visits", "people visits", "rows items", "pairs 0 items", "pairs 2 visits"} <= tables


def test_norms_over_everybody_are_caught(session: DuckDBSession, monkeypatch: Patch) -> None:
    """The twin of the test above: norms that are those of the whole table."""
    real = table_form._normed

    def everybody(*args: Any) -> str:
        text = real(*args)
        people = text.split("JOIN (", 1)[1].split(') AS "__norms"', 1)[0]
        whole = people.replace('SELECT "__unit", ', "SELECT ").replace(' GROUP BY "__unit"', "")
        return text.replace(f'JOIN ({people}) AS "__norms" USING ("__unit")', f'CROSS JOIN ({whole}) AS "__norms"')

    monkeypatch.setattr(table_form, "_normed", everybody)
    assert any(changed_for_others(kept) for _, kept in of_people(session, range(1)))
