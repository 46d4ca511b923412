"""How far off tables will be, before they are paid for: known where nobody is scaled and all keys are public.

The noise then follows from the plan and the price alone. Elsewhere limits, or which keys are shown, are found first.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import prod, sqrt
from statistics import NormalDist

import numpy as np

from tacit.frozen import frozen
from tacit.loss.families.loss import Relation
from tacit.query.aggregates.aggregate import Measure
from tacit.query.aggregates.moments import Total
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.price import Price
from tacit.workload.grouping_sets import TableRequest
from tacit.workload.noisy_contrasts import NoisyContrasts, NoisyTables
from tacit.workload.table_bound import objective_variance
from tacit.workload.tables_plan import TablesPlan


@frozen(eq=False)
class PlannedTables:
    """Tables as a plan would release them at a price, all but their numbers."""

    plan: TablesPlan
    tables: NoisyTables

    @classmethod
    def of(cls, plan: TablesPlan, price: Price) -> PlannedTables | None:
        """None where it takes the data, and so a share of the price, to know how far off they will be."""
        keys = [key for key in plan.public_keys() if key is not None]
        if plan.is_scaled or plan.private:
            return None
        measures = {}
        for measure, strategy in plan.strategies(keys).items():
            law = plan.law(measure, strategy, price)
            nothing = dict.fromkeys(strategy.scales, np.zeros(0, np.int64))
            kind, norm = IntervalKind.GUARANTEED.value, Fraction(max(1, measure.size))
            measures[plan.base.identity(measure)] = NoisyContrasts(
                strategy, nothing, law.variance, Fraction(1), norm, kind
            )
        return cls(plan, NoisyTables(tuple(key.domain for key in keys), measures, plan.strength(price)))

    def reach(self, request: TableRequest, confidence: Fraction) -> dict[str, float]:
        """The half width of the intervals of each count and sum of a table, by name: that of its least certain cell."""
        times = -NormalDist().inv_cdf(float(1 - confidence) / 2)
        found = {}
        for name in request.aggregates:
            aggregate = self.plan.base.question.aggregates[name]
            if isinstance(aggregate, Total) and isinstance(aggregate.part, Measure):
                contrasts = self.tables.measures[self.plan.base.identity(aggregate.part)]
                widest = sqrt(float(contrasts.variances(request.attributes).max()))
                found[name] = times * widest * float(aggregate.part.step)
        return found

    @cached_property
    def gain(self) -> float:
        """How many times as far off the tables would be one by one, each at an equal part of the price.

        A table by itself has one noise on every cell; errors are compared as the weighting does, by their root mean
        square. The measures of a release have equal parts of the price both ways: the least gain among them is told.
        """
        return min(self._gain(measure) for measure in self.plan.measures)

    def _gain(self, measure: Measure) -> float:
        contrasts = self.tables.measures[self.plan.base.identity(measure)]
        strategy, worlds = contrasts.strategy, 2 if self.plan.relation is Relation.REPLACE else 1
        alone = worlds**2 * max(1, measure.size) ** 2 / float(self.tables.strength) * len(strategy.tables)
        shapes = [strategy.shape(table) for table in strategy.tables]
        cells = sum(float(self.plan.weighting.of(shape)) * prod(shape) for shape in shapes)
        return sqrt(alone * cells / objective_variance(strategy, self.plan.weighting, contrasts.variance))
