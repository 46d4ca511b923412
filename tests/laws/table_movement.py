"""How far people move the contrasts of tables: every world's contrasts, compared in exact integers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random

import numpy as np
import pyarrow as pa
from tests.laws.databases import Worlds

from tacit.loss.families.loss import Relation
from tacit.query.aggregates.aggregate import Measure
from tacit.query.engines.protocol import Session
from tacit.query.plans.price import Price
from tacit.schema.kind import Key
from tacit.workload.residual_basis import ResidualStrategy
from tacit.workload.scaled_rows import MeasureScale, TableKey
from tacit.workload.table_limits import TableLimit
from tacit.workload.tables_plan import TablesPlan
from tacit.workload.tables_run import TablesRun, measure_scale


@dataclass
class WorldSession:
    """One world as a session: rows that are kept lie in a temporary table."""

    worlds: Worlds
    name: str

    def run(self, sql: str) -> pa.Table:
        self.worlds.session.connection.execute(f"USE {self.name}")
        return self.worlds.session.connection.sql(sql).to_arrow_table()

    def keep(self, name: str, sql: str) -> None:
        self.worlds.session.connection.execute(f"USE {self.name}")
        self.worlds.session.connection.execute(f'CREATE OR REPLACE TEMP TABLE "{name}" AS {sql}')


def drawn_keys(plan: TablesPlan, random: Random, values: Mapping[int, Sequence[Key]]) -> tuple[TableKey, ...]:
    """The keys; of private ones some values of the data and one that is none of them are chosen."""
    found = []
    for place, (key, column) in enumerate(zip(plan.public_keys(), plan.base.question.keys, strict=True)):
        if key is not None:
            found.append(key)
            continue
        known = sorted({value for value in values[place] if value is not None}, key=repr)
        chosen = random.sample(known, random.randint(0, min(4, len(known))))
        found.append(TableKey(column, (*chosen, None), is_chosen=True))
    return tuple(found)


def drawn_limit(plan: TablesPlan, part: Measure, random: Random) -> TableLimit:
    limit = plan.base.limits[part]
    norm = limit.norm or Fraction(random.choice([1, 2, Fraction(7, 2), max(1, part.size), 10**6, 10**14]))
    return TableLimit(norm, None, 1.0)


def vector(
    run: TablesRun,
    session: Session,
    keys: tuple[TableKey, ...],
    scales: tuple[MeasureScale, ...],
    strategies: Mapping[Measure, ResidualStrategy],
) -> list[list[int]]:
    """For each measure, all its measured contrasts in one world, before the noise."""
    sums = run.cell_sums(session, keys, scales)
    found = []
    for place, scale in enumerate(scales):
        strategy = strategies[scale.measure]
        each = [strategy.measured(sums.margin(place, B), B) for B in strategy.scales]
        found.append([int(value) for values in each for value in np.ravel(values)])
    return found


def moved_too_far(world: Worlds, plan: TablesPlan, price: Price, random: Random) -> Iterator[str]:
    rows = plan.base.question.rows
    values = {}
    for place in plan.private:
        column = f"{plan.base.question.keys[place].sql} AS value"
        _, found = world.answer(world.base, f'SELECT DISTINCT {column} FROM ({rows.under(column)}) AS "__rows"')
        values[place] = [row["value"] for row in found]
    keys = drawn_keys(plan, random, values)
    strategies = plan.strategies(keys)
    limits = {part: drawn_limit(plan, part, random) for part in plan.measures}
    scales = tuple(measure_scale(part, strategies[part], limits[part], plan.is_scaled) for part in plan.measures)
    run = TablesRun(plan, price)
    base = vector(run, WorldSession(world, world.base), keys, scales, strategies)
    halves = 2 if plan.relation is Relation.REPLACE else 1
    for other in (*world.removed, *world.replaced):
        moved = vector(run, WorldSession(world, other), keys, scales, strategies)
        times = 2 if other in world.replaced else 1
        for part, before, after in zip(plan.measures, base, moved, strict=True):
            squared = sum((x - y) ** 2 for x, y in zip(before, after, strict=True))
            law = plan.law(part, strategies[part], price)
            spent = Fraction(squared * halves**2) / law.variance
            yield "" if spent <= times**2 * plan.strength(price) else f"{part.sql} in {other}: {float(spent)}"
