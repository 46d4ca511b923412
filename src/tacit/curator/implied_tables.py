"""Queries that are answered from released tables: their groups are sums of cells."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from math import inf

import numpy as np

from tacit.curator.implied_answer import Floats, ImpliedAnswer, PaidRelease
from tacit.curator.planner import Planner
from tacit.curator.tables_job import ReleasedTables, all_tables, tables_plan
from tacit.curator.tables_words import tables_interval_words, tables_notes
from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.aggregates.aggregate import Measure, Part
from tacit.query.aggregates.moments import Mean, Total
from tacit.query.bounding.amounts import amount_of
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price
from tacit.query.plans.question import Question
from tacit.query.post_noise.estimates import Groups
from tacit.release.release import IntervalWords
from tacit.workload.implied import ImpliedGroups, implied_groups
from tacit.workload.implied_reading import ImpliedReading
from tacit.workload.implied_ways import ImpliedWays
from tacit.workload.known_cells import known_cells, structure_notes
from tacit.workload.table_reading import TableReader, kinds_of
from tacit.workload.tables_plan import TablesPlan

_NEARLY = 1 + 1e-9  # times the requested variance, for the rounding of doubles


@frozen(eq=False)
class TablesAnswer(ImpliedAnswer):
    """A query's groups as sums of cells of a release, and the sums read from it."""

    plan: TablesPlan
    found: ReleasedTables
    groups: ImpliedGroups

    @property
    def charged(self) -> PaidRelease:
        return self.found

    @property
    def whence(self) -> str:
        return "Added up from cells of the tables released together"

    @property
    def kinds(self) -> set[IntervalKind]:
        return kinds_of(self.found.tables)

    @property
    def rests_on_facts(self) -> bool:
        return bool(structure_notes(self.plan, self.found.tables))

    @cached_property
    def reading(self) -> ImpliedReading:
        """The reading of the groups."""
        tables = self.found.tables
        return ImpliedReading(
            TableReader(tables, known_cells(self.plan, tables)), tables, self.plan.base.identity, self.groups
        )

    @property
    def _parts(self) -> set[Measure]:
        """The measures that the answer is read from."""
        return {part for way in self.groups.ways.values() for part in way.measures}

    def deviations(self, name: str) -> Floats:
        return self.reading.deviations(name)

    def is_as_accurate(self, plan: Plan, price: Price) -> bool:
        """Whether no group has more noise than a new release would at this price, with the same limit.

        For a mean two noises are compared with those at the price: that of its interval, at the mean that is read, and
        that of the number of rows, which decides whether a mean is reported.
        """
        return all(self._is_as_accurate(name, plan, price) for name in self.groups.ways)

    def _is_as_accurate(self, name: str, plan: Plan, price: Price) -> bool:
        own, reading = self.question.aggregates[name], self.reading
        first, *others = (self._asked(part, plan, price) for part in own.parts)
        if not isinstance(own, Mean):
            return bool((reading.deviations(name) <= first * _NEARLY).all())
        if not (first > 0 and reading.rows_deviation(name) <= others[0] * _NEARLY):
            return False
        limit = np.hypot(first, (reading.means(name) - own.centre) * others[0])
        return bool((reading.deviations(name) <= limit * _NEARLY).all())

    def _asked(self, part: Part, plan: Plan, price: Price) -> float:
        """The deviation of a sum in a query of its own; nothing is accurate enough where its limit is unknown."""
        stored = self.found.tables.measures.get(self.plan.base.identity(part)) if part in self._parts else None
        norm = plan.limits[part].norm if stored is None else stored.norm
        noise = amount_of(part, plan.question.keys, not price.is_pure).noise_per_norm(plan, price)
        return -inf if norm is None else noise * float(norm)

    def serves(self, interval: IntervalKind) -> bool:
        return super().serves(interval) and (interval is IntervalKind.BOUNDED or self.reading.tells_cuts)

    def read(self, *, is_bounded: bool) -> Groups:
        return self.reading.groups(is_bounded=is_bounded)

    def interval_words(self, *, is_bounded: bool) -> IntervalWords:
        return tables_interval_words(self.plan, self.found.tables, is_bounded=is_bounded)

    def notes(self) -> tuple[str, ...]:
        return tables_notes(self.plan, self.found.tables, self.question, self._parts)


def answers_from_tables(planner: Planner, question: Question) -> Iterator[ImpliedAnswer]:
    """The answer from each release of tables that holds one."""
    additive = all(isinstance(each, (Total, Mean)) for each in question.aggregates.values())
    if not additive or not question.measures or question.distincts:
        return
    query = ImpliedWays(question, planner.question)
    for found in all_tables(planner):
        try:
            plan = tables_plan(planner, found.asked, found.interval, found.weighting)
        except Refused:  # the description has changed since
            continue
        if plan.digest != found.grounds.plan:  # the rows, keys or cells are different now
            continue
        groups = implied_groups(query, plan.asked, found.tables)
        if groups is not None:
            yield TablesAnswer(question, plan, found, groups)
