"""Queries that are answered from released tables or counting questions: sums and combinations of what was released.

A query's groups are sums of cells of tables, and linear combinations of the measurements of counting questions. A
release answers as long as its own text still has the plan that it was made with: the same rows, unit, bounds, keys and
limits. So a later change of these in the description disables its releases.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from math import inf

import numpy as np

from tacit.curator.counts_answer import counts_interval_words, counts_notes, total_of
from tacit.curator.counts_job import ReleasedCounts, all_counts, counts_plan, readings_from
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
from tacit.workload.linear.asked_counts import AnswerTable
from tacit.workload.linear.counted_query import counted_query
from tacit.workload.linear.counts_plan import CountsPlan
from tacit.workload.table_reading import TableReader, kinds_of
from tacit.workload.tables_plan import TablesPlan


@frozen(eq=False)
class WorkloadAnswer(ImpliedAnswer):
    """A query as counting questions, and how each is read from the measurements of an earlier release."""

    plan: CountsPlan
    found: ReleasedCounts
    readings: Floats

    @property
    def charged(self) -> PaidRelease:
        return self.found

    @property
    def whence(self) -> str:
        return "Combined from the counting questions released together"

    @property
    def kinds(self) -> set[IntervalKind]:
        return {self.found.counts.kind}

    @property
    def _table(self) -> AnswerTable:
        (table,) = self.plan.asked.listed
        return table

    @cached_property
    def _rows(self) -> dict[str, Floats]:
        """The readings of each aggregate, one row per group."""
        columns = self._table.columns.values()
        return {name: self.readings[list(each)] for name, each in zip(self.question.aggregates, columns, strict=True)}

    def deviations(self, name: str) -> Floats:
        return self.found.counts.read(self._rows[name], is_bounded=True).deviations

    def is_as_accurate(self, plan: Plan, price: Price) -> bool:
        for name, aggregate in self.question.aggregates.items():
            (part,) = aggregate.parts
            asked = amount_of(part, plan.question.keys, not price.is_pure).noise_per_norm(plan, price)
            if not float(self.deviations(name).max(initial=0.0)) <= asked * self._norm(part, plan, price) * (1 + 1e-9):
                return False
        return True

    def _norm(self, part: Part, plan: Plan, price: Price) -> float:
        """The query's own limit, where it is known.

        A limit that is still to be found is assumed to be that of the workload, which limits a unit's total over all
        cells: over n groups the ℓ₂ norm, for which Gaussian noise is calibrated, is at least 1/√n of it.
        """
        own, limit = plan.limits[part].norm, float(self.found.counts.norm)
        if own is not None:
            return float(own)
        return limit / max(1, self._table.size) ** 0.5 if plan.question.keys and not price.is_pure else limit

    def read(self, *, is_bounded: bool) -> Groups:
        read = {name: total_of(self.plan, self.found, rows, is_bounded=is_bounded) for name, rows in self._rows.items()}
        keys = dict(zip((key.name for key in self.question.keys), self._table.keys.values(), strict=True))
        return Groups(keys, read, self._table.size)

    def interval_words(self, *, is_bounded: bool) -> IntervalWords:
        kind = self.found.counts.kind
        is_read_so = is_bounded and kind is IntervalKind.USUAL
        is_declared = self.plan.measure in self.plan.base.at_most
        return counts_interval_words(IntervalKind.BOUNDED if is_read_so else kind, is_declared=is_declared)

    def notes(self) -> tuple[str, ...]:
        return counts_notes(self.plan, self.found.counts)


def answers_from_workloads(planner: Planner, question: Question) -> Iterator[ImpliedAnswer]:
    """The answer from each release of counting questions that implies one."""
    text = counted_query(question)
    if text is None:
        return
    for found in all_counts(planner):
        try:
            plan = counts_plan(planner, text, None, found.interval)
        except Refused:  # it is not a counting question over public cells
            continue
        readings = readings_from(planner, found, plan)
        if readings is not None:
            yield WorkloadAnswer(question, plan, found, readings)


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
