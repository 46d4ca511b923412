"""From noisy integers to aggregates with their errors: post-processing, as often as anybody likes."""

from __future__ import annotations

import numpy as np

from tacit.query.above.estimates import Groups, Keys
from tacit.query.aggregates.noisy_parts import NoisyRanks, NoisySum
from tacit.query.aggregates.parts import Part, Ranks
from tacit.query.plans.plan import Plan
from tacit.query.running.noisy_table import NoisyColumn, NoisyTable
from tacit.schema.kind import Key, Kind


def answered(plan: Plan, table: NoisyTable) -> Groups:
    """The groups of a release, every aggregate read from the noisy integers."""
    noisy = {part: _noisy(part, table.columns[plan.identity(part)]) for part in plan.question.parts}
    groups = (plan.groups if table.keys is None else list(table.keys)) or []
    keys = {
        key.name: Keys(
            tuple(_shown(group[place], key.scale) for group in groups),
            Kind.FLOAT if key.kind is Kind.DECIMAL else key.kind,
        )
        for place, key in enumerate(plan.question.keys)
    }
    aggregates = {name: aggregate.read(noisy) for name, aggregate in plan.question.aggregates.items()}
    return Groups(keys, aggregates, len(groups))


def _noisy(part: Part, column: NoisyColumn) -> NoisySum | NoisyRanks:
    if isinstance(part, Ranks):
        return NoisyRanks(column.values, column.law, column.scale, part.levels)
    return NoisySum(column.values.astype(np.float64) / float(column.scale), column.law, column.scale)


def _shown(key: Key | None, scale: int) -> Key | float | None:
    return key / 10**scale if scale and isinstance(key, int) else key
