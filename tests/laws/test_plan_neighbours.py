"""No plan's integers move further between neighbours than its noise was made for: brute force over whole plans.

R16, R17, R18, R20, R22, R23, R26: random data sets in which nothing holds that was declared, random supported queries,
both relations, both currencies; every statement is run in every neighbouring world and compared in exact integers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest
from tests.laws.databases import engine_session, worlds
from tests.laws.movement import movements, profile_probes
from tests.laws.queries import EACH, MANY, random_query

from tacit.errors import Refused
from tacit.loss.families.approx import Pure
from tacit.query.engines.duckdb.engine import DuckDBSession
from tacit.query.plans.question import read_question
from tacit.schema.catalogue import Catalogue

_QUERIES = 6  # for each data set


@pytest.fixture(scope="module")
def session() -> Iterator[DuckDBSession]:
    with engine_session() as opened:
        yield opened


def compared(seed: int, session: DuckDBSession, queries: int = _QUERIES) -> tuple[int, Counter[str], list[str]]:
    """(comparisons made, accepted queries by shape, what moved too far) for one random data set."""
    random = Random(seed)
    count, shapes, wrong = 0, Counter[str](), []
    with worlds(random, session) as world:
        for place in range(queries):
            may_choose = not isinstance(world.description.budget, Pure)
            shape, sql = random_query(random, world.has_people, may_choose)
            try:
                for found in movements(world, sql, Random(seed * 1000 + place)):
                    count += 1
                    wrong += [found] if found is not None else []
            except Refused:
                continue
            shapes[shape] += 1
    return count, shapes, wrong


@pytest.mark.parametrize("block", range(6))
def test_no_person_moves_a_plan_further_than_its_radius(block: int, session: DuckDBSession) -> None:
    """About 2,000 comparisons in all; a block is a few data sets, and most of its queries must be accepted."""
    count, shapes, wrong = 0, Counter[str](), []
    for seed in range(block * 2, block * 2 + 2):
        made, accepted, found = compared(seed, session)
        count, shapes, wrong = count + made, shapes + accepted, wrong + found
    assert not wrong, wrong[0]
    assert count >= 50
    assert shapes.total() >= _QUERIES


@pytest.mark.long
@pytest.mark.parametrize("block", range(12, 132, 10))
def test_no_person_moves_any_of_many_plans_further(block: int, session: DuckDBSession) -> None:
    """Five times as many."""
    for seed in range(block, block + 5):
        _, _, wrong = compared(seed, session, 8)
        assert not wrong, wrong[0]


@pytest.mark.parametrize("seed", [0, 2])
def test_no_person_moves_a_profile_further_than_its_radius(seed: int, session: DuckDBSession) -> None:
    """R18, R22: one person is in one bin of each histogram of a profile, in every neighbouring world."""
    with worlds(Random(seed), session) as world:
        for probe in profile_probes(world.catalogue, Random(seed)):
            _, rows = world.answer(world.base, probe.sql)
            for other in (*world.removed[-3:], *world.replaced[:1]):
                _, moved = world.answer(other, probe.sql)
                times = 2 if other in world.replaced else 1
                assert probe.read(rows)[0].is_within(probe.read(moved)[0], times)


def test_every_shape_is_asked(session: DuckDBSession) -> None:
    """Each shape of FROM of the generator is accepted, so that each is tested."""
    random = Random(5)
    wanted = {shape.name for shape in (*EACH, *MANY)}
    found: set[str] = set()
    for seed in range(12):
        with worlds(Random(seed), session) as world:
            for _ in range(60):
                shape, sql = random_query(random, world.has_people, not isinstance(world.description.budget, Pure))
                if shape not in found and _is_accepted(world.catalogue, sql):
                    found.add(shape)
    assert found == wanted


def _is_accepted(catalogue: Catalogue, sql: str) -> bool:
    try:
        read_question(sql, catalogue)
    except Refused:
        return False
    return True
