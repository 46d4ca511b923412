"""People have far more than is declared as the most that one can have, and still move sums by at most the norm.

The declaration determines a scale, and the lowered SQL enforces it: R16–R18, R20, R22, R26 hold even if it is false.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from tests.laws.databases import Worlds, engine_session, worlds
from tests.laws.movement import movements, planned
from tests.laws.queries import random_query

from tacit.errors import Refused
from tacit.loss.families.approx import Pure
from tacit.query.engines.duckdb.engine import DuckDBSession
from tacit.query.plans.limit import IntervalKind, Origin
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import AtMost, Table

ASKED = (
    "SELECT COUNT(*), SUM(cost), AVG(stay) FROM visits",
    "SELECT region, COUNT(*), SUM(dose), SUM(cost) FROM visits GROUP BY region",
    "SELECT region, COUNT(DISTINCT pid), COUNT(DISTINCT age) FROM visits GROUP BY region",
    "SELECT MEDIAN(age), QUANTILE_CONT(cost, 0.9) FROM visits",
    "SELECT COUNT(*), SUM(v.cost), SUM(i.price) FROM visits AS v JOIN items AS i ON v.visit = i.visit",
    "SELECT v.region, COUNT(*), SUM(v.cost) FROM visits AS v JOIN items AS i ON v.visit = i.visit GROUP BY v.region",
    "SELECT COUNT(*), SUM(v.dose) FROM visits AS v LEFT JOIN visits AS w ON v.visit = w.visit",
    "SELECT area, SUM(cost) FROM visits AS v JOIN wards AS w ON v.ward = w.ward GROUP BY area",
    "SELECT region, SUM(cost) FROM (SELECT pid, region, MAX(cost) AS cost FROM visits GROUP BY pid, region) AS q "
    "GROUP BY region",
)


@pytest.fixture(scope="module")
def session() -> Iterator[DuckDBSession]:
    with engine_session() as opened:
        yield opened


def with_at_most(world: Worlds, random: Random) -> Worlds:
    """The same rows, described as if nobody could have more than a row or two."""

    def declared(table: Table) -> Table:
        numbers = [name for name, column in table.columns.items() if column.kind.is_number]
        return replace(
            table, at_most=AtMost(random.choice([1, 2]), {name: Fraction(random.choice([1, 30])) for name in numbers})
        )

    tables = {name: declared(table) for name, table in world.description.tables.items()}
    description = replace(world.description, tables=tables)
    return replace(world, description=description, catalogue=Catalogue(description, world.catalogue.physical))


@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(4, 40))])
def test_whoever_has_more_than_at_most_moves_a_sum_no_further(seed: int, session: DuckDBSession) -> None:
    """Alone, joined, by group and from sub-queries; Gaussian and Laplace noise; limits are those of at_most alone."""
    random, count, wrong, kinds = Random(seed), 0, list[str](), set[Origin]()
    with worlds(random, session) as plain:
        world = with_at_most(plain, random)
        may_choose = not isinstance(world.description.budget, Pure)
        some = [random_query(random, world.has_people, may_choose)[1] for _ in range(4)]
        for place, sql in enumerate((*ASKED, *some)):
            drawn = seed * 1000 + place
            try:
                plan, _, _ = planned(sql, world.catalogue, Random(drawn), interval=IntervalKind.GUARANTEED)
                found = [*movements(world, sql, Random(drawn), IntervalKind.GUARANTEED)]
            except Refused:
                continue
            assert not plan.unknown
            kinds |= {limit.origin for limit in plan.limits.values()}
            count += len(found)
            wrong += [each for each in found if each is not None]
    assert not wrong, wrong[0]
    assert count >= 20
    assert kinds <= {Origin.CONSTRUCTION, Origin.AT_MOST}
    assert not plain.has_people or Origin.AT_MOST in kinds
