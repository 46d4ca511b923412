"""Norms that are kept for the even grids of a profile: the same sums, and no person moves them further.

R16–R18, R20, R22, R46: grids are drawn at random, so they are not even, and nothing may depend on that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import pytest
from tests.laws.databases import Worlds, engine_session, worlds
from tests.laws.movement import drawn_edges, planned
from tests.query.prepared.kept_probes import moved_too_far
from tests.query.prepared.kept_worlds import KeptWorlds, kept_worlds, recorded
from tests.query.prepared.test_kept_neighbours import changed_for_others

from tacit.query.aggregates.rank_grid import Edges
from tacit.query.engines.duckdb.engine import DuckDBSession
from tacit.query.materialized import form as table_form
from tacit.query.materialized.form import forms_of
from tacit.query.materialized.statements import STATEMENTS

Patch = pytest.MonkeyPatch
_ASKED = (
    "SELECT MEDIAN(cost), MAX(dose) FROM visits",
    "SELECT QUANTILE_CONT(stay, 0.9), COUNT(*) FROM visits",
    "SELECT MEDIAN(price), MEDIAN(quantity) FROM items",
    "SELECT region, MEDIAN(cost) FROM visits GROUP BY region",
    "SELECT MEDIAN(cost) FROM visits WHERE dose > 1",
)


@pytest.fixture(scope="module")
def session() -> Iterator[DuckDBSession]:
    with engine_session() as opened:
        yield opened


@dataclass(frozen=True)
class Gridded:
    """Worlds with their kept forms, and the even grids that these have norms on."""

    kept: KeptWorlds
    edges: Edges

    def is_read(self, sql: str) -> bool:
        """Whether a statement reads norms on an even grid."""
        names = [name for each in self.kept.forms.values() for name, grid in each.norms.items() if grid.edges]
        return any(name in sql for name in names)


@contextmanager
def gridded(random: Random, world: Worlds, names: list[str]) -> Iterator[Gridded]:
    """Grids of every number that is wide enough, drawn at random."""
    wide = [
        (table, grid)
        for table, each in forms_of(world.catalogue).items()
        for grid in each.norms.values()
        if grid.levels > 2
    ]
    edges = {(table, str(grid.column)): drawn_edges(grid, random) for table, grid in wide}
    with kept_worlds(world, names, edges) as kept:
        yield Gridded(kept, edges)


def of_people(session: DuckDBSession, seeds: range, has_neighbours: bool) -> Iterator[tuple[int, Gridded]]:
    """Random data sets whose unit is a person."""
    for seed in seeds:
        random = Random(seed)
        with worlds(random, session) as world:
            others = [*world.removed, *world.replaced] if has_neighbours else []
            if world.has_people:
                with gridded(random, world, [world.base, *others]) as found:
                    yield seed, found


def asked_of(found: Gridded) -> list[str]:
    return [sql for sql in _ASKED if "items" not in sql or "items" in found.kept.forms]


def compared(found: Gridded, seed: int) -> Counter[str]:
    """Assert that nothing differs; how many statements read norms on even grids, by value first and not."""
    world, connection = found.kept.worlds, found.kept.worlds.session.connection
    read: Counter[str] = Counter()
    connection.execute(f"USE {world.base}")
    for place, sql in enumerate(asked_of(found)):
        bare, full, price = planned(sql, world.catalogue, Random(seed * 100 + place), found.edges)
        for plan in (bare, full):
            cold, one = recorded(plan, price, connection, STATEMENTS)
            warm, two = recorded(plan, price, connection, found.kept.statements, f'"kept {world.base}"')
            assert one.tables == two.tables, (sql, one.sent, two.sent)
            assert cold == warm, sql
            sent = filter(found.is_read, two.sent)
            read.update("by value" if "GROUP BY value" in text else "by row" for text in sent)
    return read


def test_the_same_sums_on_even_grids(session: DuckDBSession) -> None:
    """With limits that are drawn, and with limits that are found on the way."""
    read = sum((compared(found, seed) for seed, found in of_people(session, range(14), False)), Counter[str]())
    assert read["by value"] > 4, read
    assert read["by row"] > 4, read


@pytest.mark.long
def test_the_same_sums_on_many_even_grids(session: DuckDBSession) -> None:
    for seed, found in of_people(session, range(40, 100), False):
        compared(found, seed)


def wrong(found: Gridded, seed: int) -> list[str]:
    """What moved too far."""
    moves = [
        each
        for place, sql in enumerate(asked_of(found))
        for each in moved_too_far(found.kept, sql, seed * 100 + place, found.edges)
    ]
    return [each for each in moves if each is not None]


def test_no_person_moves_ranks_on_even_grids_further(session: DuckDBSession) -> None:
    tried = 0
    for seed, found in of_people(session, range(3), True):
        assert not wrong(found, seed)
        assert changed_for_others(found.kept) == []
        tried += 1
    assert tried > 1


def test_norms_that_are_too_short_are_caught(session: DuckDBSession, monkeypatch: Patch) -> None:
    """The twin of the tests above: rows of people with many of them weigh more than they may."""
    real = table_form.squares_sql

    def short(*args: Any) -> str:
        return f'SELECT "__unit", squares // 16 AS squares FROM ({real(*args)})'

    monkeypatch.setattr(table_form, "squares_sql", short)
    assert any(wrong(found, seed) for seed, found in of_people(session, range(3), True))


def test_another_grid_is_read_from_rows(session: DuckDBSession) -> None:
    """A profile that came after the form: its norms are not those of the form, and the sums are right."""
    compared_at_all = 0
    for seed, found in of_people(session, range(3), False):
        newer = {column: (cut[0], *(edge + 1 for edge in cut[1:-1]), cut[-1]) for column, cut in found.edges.items()}
        if all(cut[-2] < cut[-1] for cut in newer.values()):
            assert not compared(replace(found, edges=newer), seed)
            compared_at_all += 1
    assert compared_at_all
