"""How far the integers of a prepared plan move between neighbours: the law of whole plans, read from kept forms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.laws.movement import Reading, planned
from tests.query.prepared.kept_worlds import KeptWorlds

from tacit.mechanisms.statistics.rank_tree import FAN
from tacit.query.aggregates.rank_grid import Edges
from tacit.query.bounding.histogram_sql import FindingBlock
from tacit.query.execution.program import finding, program
from tacit.query.lowering.ranks import RanksBlock
from tacit.query.lowering.tally import TallyBlock
from tacit.query.materialized.statements import TOTALS, Statements
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import NoiseShare, Price

Row = Mapping[str, Any]


@dataclass(frozen=True)
class KeptProbe:
    """One statement on the kept form, and its reading as vectors."""

    sql: str
    read: Callable[[Sequence[Row]], list[Reading]]


def kept_probes(plan: Plan, full: Plan, price: Price, statements: Statements) -> Iterator[KeptProbe]:
    """Every statement that a run of the plan may send to the kept form for integers, with its claim."""
    block = finding(plan, price)
    if block is not None:
        yield _finding_probe(plan, block, statements)
    blocks = program(full, price)
    if blocks.tally is not None:
        yield _tally_probe(blocks.tally, statements)
    for ranks in blocks.ranks:
        yield _ranks_probe(ranks, statements)
    for distinct in blocks.distincts:
        unit, noise, keys = distinct.unit, distinct.noise, len(distinct.keys)
        yield KeptProbe(
            statements.distinct(distinct),
            lambda rows, keys=keys, unit=unit, noise=noise: [
                _reading("distinct", {(*_key(row, keys), 0): unit * row["y0"] for row in rows}, noise)
            ],
        )


def moved_too_far(kept: KeptWorlds, sql: str, seed: int, edges: Edges | None = None) -> Iterator[str | None]:
    """One comparison after another: None where the claim holds, else what moved too far or changed its shape."""
    world = kept.worlds
    plan, full, price = planned(sql, world.catalogue, Random(seed), edges)
    for probe in kept_probes(plan, full, price, kept.statements):
        types, rows = kept.answer(world.base, probe.sql)
        base = probe.read(rows)
        for other in (*world.removed, *world.replaced):
            own, moved = kept.answer(other, probe.sql)
            if own != types:
                yield f"{sql}: the types of its answer depend on the data"
            for one, two in zip(base, probe.read(moved), strict=True):
                times = 2 if other in world.replaced else 1
                yield None if one.is_within(two, times) else f"{sql}: {one.name} moved too far\n{probe.sql}"


def _finding_probe(plan: Plan, block: FindingBlock, statements: Statements) -> KeptProbe:
    norms = {ranks: f"({sql})" for ranks, sql in statements.norms(block).items()}
    sql = statements.bins(plan, block, norms)
    if plan.measures:
        sql = sql.replace(f'"{TOTALS}"', f"({statements.people(plan)})")

    def read(rows: Sequence[Row]) -> list[Reading]:
        vector = {(row["part"], row["bin"]): block.unit * row["y0"] for row in rows}
        return [_reading("finding", vector, block.noise)]

    return KeptProbe(sql, read)


def _tally_probe(block: TallyBlock, statements: Statements) -> KeptProbe:
    names, keys = [f"y{place}" for place in range(len(block.measures))], len(block.keys)

    def read(rows: Sequence[Row]) -> list[Reading]:
        vector = {(*_key(row, keys), name): row[name] for row in rows for name in names}
        weights = {_key(row, keys): row["w"] for row in rows} if block.rule else {}
        chosen = [_reading("keys", weights, block.rule.noise)] if block.rule else []
        return [_reading("tally", vector, block.noise), *chosen]

    return KeptProbe(statements.tally(block), read)


def _ranks_probe(block: RanksBlock, statements: Statements) -> KeptProbe:
    def read(rows: Sequence[Row]) -> list[Reading]:
        tree: Counter[tuple[Any, ...]] = Counter()
        for row in rows:
            for level in range(block.ranks.levels):
                tree[(level, *_key(row, len(block.keys)), row["cell"] // FAN**level)] += row["y0"]
        return [_reading("ranks", tree, block.noise)]

    return KeptProbe(statements.ranks(block), read)


def _key(row: Row, keys: int) -> tuple[Any, ...]:
    return tuple(row[f"k{place}"] for place in range(keys))


def _reading(name: str, vector: Mapping[tuple[Any, ...], int], noise: NoiseShare) -> Reading:
    return Reading(name, vector, noise.is_gaussian, noise.radius)
