"""Queries that are answered from released counting questions: linear combinations of the measurements.

A release answers as long as its own text still has the plan that it was made with: the same rows, unit, bounds, keys
and limits. So a later change of these in the description disables its releases.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from tacit.curator.counts_answer import counts_interval_words, counts_notes, total_of
from tacit.curator.counts_job import ReleasedCounts, all_counts, counts_plan, readings_from
from tacit.curator.implied_answer import Floats, ImpliedAnswer, PaidRelease
from tacit.curator.planner import Planner
from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.aggregates.aggregate import Part
from tacit.query.aggregates.moments import Mean
from tacit.query.bounding.amounts import amount_of
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price
from tacit.query.plans.question import Question
from tacit.query.post_noise.estimates import Groups, Noisy
from tacit.release.release import IntervalWords
from tacit.workload.cell_share import CellShare
from tacit.workload.linear.asked_counts import AnswerTable
from tacit.workload.linear.counted_query import counted_query
from tacit.workload.linear.counts_plan import CountsPlan

_NEARLY = 1 + 1e-9  # times the requested deviation, for the rounding of doubles


@frozen(eq=False)
class WorkloadAnswer(ImpliedAnswer):
    """A query as counting questions, and how each is read from the measurements of an earlier release."""

    plan: CountsPlan
    found: ReleasedCounts
    readings: Floats
    shares: frozenset[str]

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
        """The readings of each aggregate, one row per group: of a share, those of the rows above."""
        return {name: self.readings[list(next(self._columns(name)))] for name in self.question.aggregates}

    def _columns(self, wanted: str) -> Iterator[tuple[int, ...]]:
        """The questions of an aggregate's columns."""
        columns = iter(self._table.columns.values())
        for name in self.question.aggregates:
            for _ in range(1 + (name in self.shares)):
                own = next(columns)
                if name == wanted:
                    yield own

    def _share(self, name: str) -> CellShare:
        top, rows = (self.readings[list(each)] for each in self._columns(name))
        above, below, both = (self.found.counts.read(each, is_bounded=True) for each in (top, rows, top + rows))
        return CellShare(above, below, both)

    def deviations(self, name: str) -> Floats:
        if name in self.shares:
            return self._share(name).deviations
        return self.found.counts.read(self._rows[name], is_bounded=True).deviations

    def serves(self, interval: IntervalKind) -> bool:
        """What a limit cut off a share is not told."""
        is_told = not self.shares or self.found.counts.bias is None
        return super().serves(interval) and (is_told or interval is IntervalKind.BOUNDED)

    def is_as_accurate(self, plan: Plan, price: Price) -> bool:
        return all(self._is_as_accurate(name, plan, price) for name in self.question.aggregates)

    def _is_as_accurate(self, name: str, plan: Plan, price: Price) -> bool:
        """Of a share two noises are compared with those at the price: its interval's, and that of its rows."""
        own = self.question.aggregates[name]
        first, *others = (self._asked(part, plan, price) * _NEARLY for part in own.parts)
        if not isinstance(own, Mean):
            return float(self.deviations(name).max(initial=0.0)) <= first
        share = self._share(name)
        limit = np.hypot(first, (share.shares - own.centre) * others[0])
        return bool((share.deviations <= limit).all() and (share.rows.deviations <= others[0]).all())

    def _asked(self, part: Part, plan: Plan, price: Price) -> float:
        """The deviation of a sum in a query of its own."""
        noise = amount_of(part, plan.question.keys, not price.is_pure).noise_per_norm(plan, price)
        return noise * self._norm(part, plan, price)

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
        read: dict[str, Noisy] = {name: self._share(name) for name in self.shares}
        for name, rows in self._rows.items():
            read.setdefault(name, total_of(self.plan, self.found, rows, is_bounded=is_bounded))
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
    counted = counted_query(question)
    if counted is None:
        return
    for found in all_counts(planner):
        try:
            plan = counts_plan(planner, counted.sql, None, found.interval)
        except Refused:  # it is not a counting question over public cells
            continue
        readings = readings_from(planner, found, plan)
        if readings is not None:
            yield WorkloadAnswer(question, plan, found, readings, counted.shares)
