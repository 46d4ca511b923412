"""How far off tables will be, before they are paid for: known where all limits are declared and all keys are public.

The noise then follows from the plan and the price alone. Elsewhere limits, or which keys are shown, are found first.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from math import sqrt
from statistics import NormalDist

from tacit.frozen import frozen
from tacit.loss.families.loss import Relation
from tacit.query.aggregates.aggregate import Measure
from tacit.query.aggregates.moments import Total
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.price import Price
from tacit.workload.grouping_sets import TableRequest
from tacit.workload.noisy_contrasts import NoisyContrasts, NoisyTables
from tacit.workload.table_estimates import TableLaw
from tacit.workload.table_limits import known_limit
from tacit.workload.tables_plan import TablesPlan
from tacit.workload.tables_run import measure_scale


@frozen(eq=False)
class PlannedTables:
    """The tables of a plan at a price, without their numbers.

    Errors are those of the noise: public totals that a description knows make them smaller.
    """

    plan: TablesPlan
    tables: NoisyTables

    @classmethod
    def of(cls, plan: TablesPlan, price: Price) -> PlannedTables | None:
        """The planned tables; None where their errors depend on the data, and so on a share of the price."""
        keys = [key for key in plan.public_keys() if key is not None]
        if plan.binned or plan.private:
            return None
        measures, kind = {}, IntervalKind.GUARANTEED.value
        for measure, strategy in plan.strategies(keys).items():
            limit = known_limit(plan, measure)
            units = measure_scale(measure, strategy, limit, plan.is_scaled).scale
            variance, norm = plan.law(measure, strategy, price).variance, max(Fraction(1), limit.norm)
            measures[plan.base.identity(measure)] = NoisyContrasts(strategy, {}, variance, units, norm, kind)
        domains = tuple(key.domain for key in keys)
        return cls(plan, NoisyTables(domains, measures, plan.strength(price), plan.tree))

    @cached_property
    def _laws(self) -> Mapping[str, TableLaw]:
        return {name: TableLaw(each.strategy, each.variance, each.scale) for name, each in self.tables.measures.items()}

    def reach(self, request: TableRequest, confidence: Fraction) -> dict[str, float]:
        """The half width of the intervals of each count and sum of a table, by name: that of its least certain cell."""
        times, found = -NormalDist().inv_cdf(float(1 - confidence) / 2), {}
        for name in request.aggregates:
            aggregate = self.plan.base.question.aggregates[name]
            if isinstance(aggregate, Total) and isinstance(aggregate.part, Measure):
                law = self._laws[self.plan.base.identity(aggregate.part)]
                widest = float(law.variances(self.plan.closed(request.attributes)).max())
                found[name] = times * sqrt(widest) * float(aggregate.part.step)
        return found

    @cached_property
    def gain(self) -> float | None:
        """How many times as far off the tables would be one by one, each at an equal part of the price.

        It is not told where people are scaled: one by one they might be scaled less. A table by itself has one noise
        on every cell. Errors are compared as the weighting does, by their root mean square; each measure has an equal
        part of the price both ways, and the least gain among them is told.
        """
        return None if self.plan.is_scaled else min(map(self._gain, self.plan.measures))

    def _gain(self, measure: Measure) -> float:
        identity, worlds = self.plan.base.identity(measure), 2 if self.plan.relation is Relation.REPLACE else 1
        sets = self.plan.measured[measure]
        alone = len(sets) * worlds**2 * max(1, measure.size) ** 2 / float(self.tables.strength)
        ours = theirs = 0.0
        for table in sets:
            variances = self._laws[identity].variances(table)
            weight = float(self.plan.weighting.of(variances.shape))
            ours, theirs = ours + weight * float(variances.sum()), theirs + weight * variances.size * alone
        return sqrt(theirs / ours)
