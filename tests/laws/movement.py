"""The exact distance of a plan's integers between two worlds, compared with the distance allowed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

import duckdb
from tests.laws.databases import Worlds

from tacit.loss.families.approx import Pure
from tacit.loss.families.loss import Relation
from tacit.mechanisms.statistics.rank_tree import FAN
from tacit.query.aggregates.aggregate import Measure, Part, Ranks
from tacit.query.aggregates.rank_grid import STRETCHES, Edges, ranks_of
from tacit.query.bounding.histogram_sql import FindingBlock, finding_sql
from tacit.query.bounding.limit_choice import make_plan
from tacit.query.bounding.profile import on_even_grids
from tacit.query.execution.profile_release import Subject, numbers_of, subjects_of, value_subjects
from tacit.query.execution.program import finding, program
from tacit.query.lowering.ranks import RanksBlock, squares_sql
from tacit.query.lowering.tally import TallyBlock, people_sql
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import NoiseShare, Price, noise_share, price_of
from tacit.query.plans.question import read_question
from tacit.query.sql.scan import scan
from tacit.schema.catalogue import Catalogue

Vector = Mapping[tuple[Any, ...], int]
Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Reading:
    """A vector of integers that noise is added to, and the norm that one person may move it by."""

    name: str
    vector: Vector
    is_gaussian: bool
    radius: int

    def is_within(self, other: Reading, times: int) -> bool:
        """Whether the two are at most so many radii apart: ℓ₂ for Gaussian noise, ℓ₁ for Laplace."""
        moves = [self.vector.get(key, 0) - other.vector.get(key, 0) for key in {*self.vector, *other.vector}]
        if self.is_gaussian:
            return sum(move * move for move in moves) <= (times * self.radius) ** 2
        return sum(map(abs, moves)) <= times * self.radius


@dataclass(frozen=True)
class Probe:
    """One statement of a plan, and its reading as vectors."""

    sql: str
    read: Callable[[Rows], list[Reading]]


def planned(
    sql: str,
    catalogue: Catalogue,
    random: Random,
    edges: Edges | None = None,
    interval: IntervalKind = IntervalKind.BOUNDED,
) -> tuple[Plan, Plan, Price]:
    """(plan as made, plan with every limit known, price); limits and even grids, which would be found, are drawn.

    Grids that were drawn before are given as `edges`.
    """
    description = catalogue.description
    question = read_question(sql, catalogue)
    epsilon = random.choice(["0.01", "1", "20"])
    price = price_of(description.budget, description.promise, epsilon, None, question.has_private_keys)
    plan = make_plan(question, catalogue, not isinstance(description.budget, Pure), interval)
    if edges is not None and not price.is_pure:
        plan = on_even_grids(plan, edges)
    elif not price.is_pure and random.random() < 0.7:
        ranks = [part for part in plan.unknown if isinstance(part, Ranks) and part.levels > 2]
        tables = min(question.rows.tables, default="")
        plan = on_even_grids(plan, {(tables, str(part.column)): drawn_edges(part, random) for part in ranks})
    return plan, plan.with_limits({part: _norm(part, random) for part in plan.unknown}), price


def drawn_edges(ranks: Ranks, random: Random) -> tuple[int, ...]:
    """Any edges at all: an even grid need not be even, for its claims to hold."""
    inner = random.sample(range(ranks.low + 1, min(ranks.high, ranks.low + random.choice([200, 2**40]))), STRETCHES - 1)
    return (ranks.low, *sorted(inner), ranks.high + 1)


def _norm(part: Part, random: Random) -> Fraction:
    if isinstance(part, Measure) and not part.once:
        return Fraction(random.choice([1, 2, 3, max(1, part.size), 5 * max(1, part.size), 10**14]))
    return Fraction(random.choice([1, Fraction(3, 2), 2, 7, 50]))


def probes(plan: Plan, full: Plan, price: Price) -> Iterator[Probe]:
    """Every statement that a run of the plan may send for integers, with its claim."""
    block = finding(plan, price)
    if block is not None:
        yield _finding_probe(plan, block)
    blocks = program(full, price)
    if blocks.tally is not None:
        yield _tally_probe(blocks.tally)
    for ranks in blocks.ranks:
        yield _ranks_probe(ranks, None)
        if ranks.ranks.edges:
            yield _ranks_probe(ranks, f'({squares_sql(ranks.rows, ranks.keys, ranks.ranks)}) AS "__norms"')
    for distinct in blocks.distincts:
        unit, noise = distinct.unit, distinct.noise
        keys = len(distinct.keys)
        yield Probe(
            distinct.sql(),
            lambda rows, keys=keys, unit=unit, noise=noise: [
                _reading("distinct", {(*key, 0): unit * row["y0"] for key, row in _by_key(rows, keys)}, noise)
            ],
        )


def _finding_probe(plan: Plan, block: FindingBlock) -> Probe:
    kept = f'({people_sql(plan.question.rows, plan.question.keys, plan.measures)}) AS "__kept"'

    def read(rows: Rows) -> list[Reading]:
        vector = {(row["part"], row["bin"]): block.unit * row["y0"] for row in rows}
        return [_reading("finding", vector, block.noise)]

    norms = {ranks: f'({sql}) AS "__norms"' for ranks, sql in block.norms.items()}
    return Probe(block.sql(plan.measures, kept if plan.measures else "", norms), read)


def profile_probes(catalogue: Catalogue, random: Random) -> Iterator[Probe]:
    """The statements of a profile; centres and edges, which the first of them would find, are drawn at random."""
    description = catalogue.description
    price = price_of(description.budget, description.promise, 1, None, False)
    values = value_subjects(catalogue, not price.is_pure)
    columns = [(each.table, each.name.removeprefix("value ")) for each in values if each.name.startswith("value ")]
    centres = {column: random.randrange(-50, 50) for column in columns}
    edges = {}
    for table, name in columns if not price.is_pure else ():
        steps = numbers_of(scan(description.tables[table], table, catalogue))[name]
        ranks = ranks_of(steps.sql, steps, name)
        edges |= {(table, name): drawn_edges(ranks, random)} if ranks.levels > 2 else {}
    for subjects in (values, subjects_of(catalogue, not price.is_pure, centres, edges)):
        noise = noise_share(price, Fraction(1, 2), description.unit.relation)
        if subjects:
            yield _histogram_probe(subjects, noise)


def _histogram_probe(subjects: Sequence[Subject], noise: NoiseShare) -> Probe:
    unit = noise.split(len(subjects))

    def read(rows: Rows) -> list[Reading]:
        return [_reading("profile", {(row["part"], row["bin"]): unit * row["y0"] for row in rows}, noise)]

    return Probe(finding_sql([(subject.people, subject.amount) for subject in subjects]), read)


def _tally_probe(block: TallyBlock) -> Probe:
    def read(rows: Rows) -> list[Reading]:
        found = list(_by_key(rows, len(block.keys)))
        names = [f"y{place}" for place in range(len(block.measures))]
        readings = [_reading("tally", {(*key, name): row[name] for key, row in found for name in names}, block.noise)]
        if block.rule is not None:
            readings.append(_reading("keys", {key: row["w"] for key, row in found}, block.rule.noise))
        return readings

    return Probe(block.sql(), read)


def _ranks_probe(block: RanksBlock, norms: str | None) -> Probe:
    levels = block.ranks.levels

    def read(rows: Rows) -> list[Reading]:
        tree: Counter[tuple[Any, ...]] = Counter()
        for key, row in _by_key(rows, len(block.keys)):
            if not 0 <= row["cell"] < FAN**levels:
                raise AssertionError("a cell outside the grid")
            for level in range(levels):
                tree[(level, *key, row["cell"] // FAN**level)] += row["y0"]
        return [_reading("ranks", tree, block.noise)]

    return Probe(block.sql(norms), read)


def _by_key(rows: Rows, keys: int) -> Iterator[tuple[tuple[Any, ...], Mapping[str, Any]]]:
    for row in rows:
        yield tuple(row[f"k{place}"] for place in range(keys)), row


def _reading(name: str, vector: Vector, noise: NoiseShare) -> Reading:
    return Reading(name, vector, noise.is_gaussian, noise.radius)


def movements(
    world: Worlds, sql: str, random: Random, interval: IntervalKind = IntervalKind.BOUNDED
) -> Iterator[str | None]:
    """One comparison after another: None where the claim holds, else what moved too far or changed its shape."""
    plan, full, price = planned(sql, world.catalogue, random, interval=interval)
    if not spent(plan, full, price) <= price.strength:
        yield f"{sql}: its noise costs more than the price"
    for probe in probes(plan, full, price):
        try:
            types, rows = world.answer(world.base, probe.sql)
            base = probe.read(rows)
            for other in (*world.removed, *world.replaced):
                times = 2 if other in world.replaced else 1
                own, moved = world.answer(other, probe.sql)
                if own != types:
                    yield f"{sql}: the types of its answer depend on the data"
                for one, two in zip(base, probe.read(moved), strict=True):
                    yield None if one.is_within(two, times) else f"{sql}: {one.name} moved too far\n{probe.sql}"
        except duckdb.Error as error:
            yield f"{sql}: {error}\n{probe.sql}"


def spent(plan: Plan, full: Plan, price: Price) -> Fraction:
    """The cost of all noise of a plan, by its laws and radii: μ² of Gaussian noise, ε of Laplace."""
    blocks, block = program(full, price), finding(plan, price)
    shares = [block.noise] if block is not None else []
    if blocks.tally is not None:
        shares += [blocks.tally.noise] if blocks.tally.measures else []
        shares += [blocks.tally.rule.noise] if blocks.tally.rule is not None else []
    shares += [each.noise for each in (*blocks.ranks, *blocks.distincts)]
    worlds = 2 if plan.relation is Relation.REPLACE else 1
    return sum((_cost(share, worlds) for share in shares), Fraction(0))


def _cost(share: NoiseShare, worlds: int) -> Fraction:
    reach = worlds * share.radius
    if hasattr(share.law, "variance"):
        return Fraction(reach**2) / share.law.variance
    return Fraction(reach) / share.law.scale
