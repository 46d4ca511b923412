"""No person moves tables by levels of a hierarchy further than their noise was made for, whatever the rows hold.

R16, R18, R22, R26: unbalanced hierarchies of two and three levels, with and without NULL, impossible cells, and rows
that fit neither; every world's measured sums are compared in exact integers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from random import Random

import pytest
from tests.laws.databases import Worlds, engine_session, worlds
from tests.laws.table_movement import moved_too_far

from tacit.errors import Refused
from tacit.loss.families.approx import Pure
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.query.aggregates.aggregate import Measure
from tacit.query.engines.duckdb.engine import DuckDBSession
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.price import Price, price_of
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import Impossible, KeyHierarchy, Table
from tacit.schema.kind import Key
from tacit.workload.grouping_sets import read_tables
from tacit.workload.residual_basis import ResidualStrategy, Weighting
from tacit.workload.scaled_rows import ScaledRows
from tacit.workload.tables_plan import TablesPlan, plan_tables

_WARDS, _CODES = ("a", "b", "c", "ab", "north", "1"), (0, 1, 3, 17, 64)
_BY = (
    "ROLLUP(region, ward)",
    "ROLLUP(region, ward), smoker",
    "GROUPING SETS ((region, smoker), (region, ward), ())",
    "GROUPING SETS ((region, ward, code), (region, smoker), (region, ward))",
    "ROLLUP(region, ward, code)",
    "CUBE(smoker, (region, ward))",
)


@pytest.fixture(scope="module")
def session() -> Iterator[DuckDBSession]:
    with engine_session() as opened:
        yield opened


def structured(random: Random, world: Worlds) -> Worlds:
    """The same rows with a hierarchy and impossible cells that they do not keep."""
    visits = world.description.tables["visits"]
    columns = dict(visits.columns)
    columns["ward"] = replace(columns["ward"], keys=_WARDS)
    columns["code"] = replace(columns["code"], keys=_CODES)
    wards, codes = random.sample(_WARDS, len(_WARDS)), list(_CODES)
    above: dict[Key, Key] = {ward: random.choice(["north", "south", "east"]) for ward in wards}
    above |= dict(zip(wards[:3], ("north", "south", "east"), strict=True))
    paths = tuple((above[ward], ward) for ward in wards)
    found = [KeyHierarchy("place", ("region", "ward"), paths)]
    if random.random() < 0.4:
        found = [
            KeyHierarchy("place", ("region", "ward", "code"), tuple((*random.choice(paths), code) for code in codes))
        ]
    impossible = (Impossible({"smoker": (True,), "ward": ("a", "b")}),) if random.random() < 0.5 else ()
    columns["smoker"] = replace(columns["smoker"], keys=(False, True))
    table: Table = replace(visits, columns=columns, hierarchies=tuple(found), impossible=impossible)
    description = replace(world.description, tables={**world.description.tables, "visits": table})
    return replace(world, description=description, catalogue=Catalogue(description, world.catalogue.physical))


def compared(seed: int, session: DuckDBSession) -> tuple[int, Counter[str], list[str]]:
    """(comparisons, accepted texts by their way, what moved too far) for one random data set."""
    random = Random(seed)
    count, accepted, wrong = 0, Counter[str](), []
    with worlds(random, session) as unstructured:
        if isinstance(unstructured.description.budget, Pure):
            return 0, accepted, []
        for by in random.sample(_BY, 3):
            world = structured(random, unstructured)
            sql = f"SELECT COUNT(*){random.choice(['', ', SUM(dose)', ', AVG(cost)'])} FROM visits GROUP BY {by}"
            try:
                asked = read_tables(sql, world.catalogue)
                interval = random.choice([IntervalKind.BOUNDED, IntervalKind.USUAL])
                plan = plan_tables(asked, world.catalogue, interval, random.choice([*Weighting]))
            except Refused:
                continue
            accepted["scaled" if plan.is_scaled else "rows"] += bool(plan.tree.places)
            accepted["cut"] += bool(plan.structure.impossible)
            price = price_of(world.description.budget, world.description.promise, 1, None, bool(plan.private))
            for found in moved_too_far(world, plan, price, random):
                count += 1
                wrong += [f"{sql}: {found}"] if found else []
    return count, accepted, wrong


def test_no_person_moves_levels_further_than_their_noise(session: DuckDBSession) -> None:
    count, accepted, wrong = 0, Counter[str](), []
    for seed in range(6):
        made, read, found = compared(seed, session)
        count, accepted, wrong = count + made, accepted + read, wrong + found
    assert not wrong, wrong[0]
    assert count >= 100
    assert min(accepted["scaled"], accepted["rows"], accepted["cut"]) >= 1, accepted


@pytest.mark.long
@pytest.mark.parametrize("block", range(6, 54, 8))
def test_no_person_moves_any_of_many_levels_further(block: int, session: DuckDBSession) -> None:
    for seed in range(block, block + 8):
        _, _, wrong = compared(seed, session)
        assert not wrong, wrong[0]


def is_caught(session: DuckDBSession) -> bool:
    return any(compared(seed, session)[2] for seed in range(8))


def test_a_person_bounded_at_each_level_by_itself_is_caught(
    session: DuckDBSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A factor from the finest level alone counts a person again at every level above."""
    form = ResidualStrategy.form

    def finest(self: ResidualStrategy) -> Mapping[tuple[int, ...], int]:
        whole = form(self)
        return {max(whole, key=len): sum(whole.values())}

    monkeypatch.setattr(ResidualStrategy, "form", finest)
    assert is_caught(session)


def test_a_price_of_one_level_is_caught(session: DuckDBSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise for the deepest level alone, though all are measured."""
    law = TablesPlan.law

    def shallow(self: TablesPlan, measure: Measure, strategy: ResidualStrategy, price: Price) -> RoundedGaussian:
        deepest = max(map(strategy.tree.depth, strategy.scales))
        scales = {each: scale for each, scale in strategy.scales.items() if strategy.tree.depth(each) == deepest}
        return law(self, measure, replace(strategy, scales=scales), price)

    monkeypatch.setattr(TablesPlan, "law", shallow)
    assert is_caught(session)


def test_a_person_who_is_not_scaled_is_caught(session: DuckDBSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ScaledRows, "_factor", lambda self: "1e0")
    assert is_caught(session)
