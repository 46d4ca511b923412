"""A prepared form changes no sum: every table that an engine gives for a plan is the same with and without it.

R04, R16, R20, R23: random data sets in which nothing holds that was declared, random supported queries, limits that are
declared, drawn at random or found, both noise laws; tables are compared row for row, and noisy integers bit for bit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest
from tests.laws.databases import engine_session, worlds
from tests.laws.movement import planned
from tests.laws.queries import random_query
from tests.query.prepared.kept_worlds import KeptWorlds, kept_worlds, recorded

from tacit.errors import Refused
from tacit.loss.families.approx import Pure
from tacit.query.engines.duckdb.engine import DuckDBSession
from tacit.query.materialized.statements import STATEMENTS

_QUERIES = 12  # for each data set

ASKED = (
    "SELECT COUNT(*), SUM(cost), COUNT(DISTINCT pid) FROM visits",
    "SELECT AVG(dose), COUNT(age), AVG(stay) FROM visits",
    "SELECT region, COUNT(*), SUM(dose), AVG(cost) FROM visits GROUP BY region",
    "SELECT region, SUM(stay), SUM(dose) FROM visits AS v GROUP BY region",
    "SELECT smoker, AVG(age), AVG(dose), COUNT(DISTINCT pid) FROM visits GROUP BY smoker",
    "SELECT ward, COUNT(*), SUM(dose) FROM visits GROUP BY ward",
    "SELECT DISTINCT ward FROM visits",
    "SELECT MEDIAN(cost), MAX(dose) FROM visits",
    "SELECT label, COUNT(*), AVG(price) FROM items GROUP BY label",
    "SELECT SUM(quantity), MEDIAN(price), VAR_POP(quantity) FROM items",
    "SELECT town, COUNT(*) FROM people GROUP BY town",
    "SELECT v.region, COUNT(*), SUM(cost) FROM visits AS v LEFT JOIN wards AS w ON v.ward = w.ward GROUP BY v.region",
    "SELECT w.ward, COUNT(*) FROM visits AS v LEFT JOIN wards AS w ON v.ward = w.ward GROUP BY w.ward",
    "SELECT COUNT(w.floor), COUNT(w.ward) FROM visits AS v LEFT JOIN wards AS w ON v.ward = w.ward",
)
"""What a form answers from totals, from ranks that it keeps, and from rows."""


@pytest.fixture(scope="module")
def session() -> Iterator[DuckDBSession]:
    with engine_session() as opened:
        yield opened


def compared(kept: KeptWorlds, sql: str, seed: int) -> Counter[str]:
    """Assert that nothing differs; how many of the statements read which kept tables."""
    world, connection = kept.worlds, kept.worlds.session.connection
    bare, full, price = planned(sql, world.catalogue, Random(seed))
    read: Counter[str] = Counter()
    connection.execute(f"USE {world.base}")
    for plan in (bare, full) if seed % 3 == 0 and bare.unknown else (full,):
        cold, one = recorded(plan, price, connection, STATEMENTS)
        warm, two = recorded(plan, price, connection, kept.statements, f'"kept {world.base}"')
        assert one.tables == two.tables, (sql, one.sent, two.sent)
        assert cold == warm, sql
        for statement in two.sent:
            read.update(name for name in ("people", "pairs", "rows") if f'"kept {world.base}"."{name} ' in statement)
    return read


def all_compared(seed: int, session: DuckDBSession, asked: tuple[str, ...], queries: int) -> Counter[str]:
    """The same for one data set: the given queries, and so many random ones."""
    random, read = Random(seed), Counter[str]()
    with worlds(random, session) as world:
        if not world.has_people:
            return read
        with kept_worlds(world, [world.base]) as kept:
            may_choose = not isinstance(world.description.budget, Pure)
            drawn = [random_query(random, True, may_choose)[1] for _ in range(queries)]
            for place, sql in enumerate((*asked, *drawn)):
                try:
                    read += compared(kept, sql, seed * 1000 + place)
                except Refused:
                    continue
                read["queries"] += 1
    return read


def test_the_same_sums_from_kept_totals(session: DuckDBSession) -> None:
    """What a form keeps totals, norms and ranks for, in several data sets."""
    read = sum((all_compared(seed, session, ASKED, 0) for seed in range(4)), Counter[str]())
    assert read["people"] >= 6
    assert read["pairs"] > 15
    assert read["rows"] > 8


def test_the_same_sums_of_random_queries(session: DuckDBSession) -> None:
    """Filters, joins, sub-queries, expressions, several keys: most of them are read from kept rows."""
    read = sum((all_compared(seed, session, (), _QUERIES) for seed in range(20, 23)), Counter[str]())
    assert read["queries"] > 10
    assert read["rows"] > 10


@pytest.mark.long
@pytest.mark.parametrize("block", range(40, 112, 6))
def test_the_same_sums_in_many_data_sets(block: int, session: DuckDBSession) -> None:
    """Ten times as many."""
    for seed in range(block, block + 6):
        all_compared(seed, session, ASKED, 15)
