"""Queries that are answered from released counting questions: linear combinations of the measurements.

A release answers as long as its own text still has the plan that it was made with: the same rows, unit, bounds, keys
and limits. So a later change of these in the description disables its releases.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from tacit.curator.counts_answer import counts_interval_words, counts_notes, total_of
from tacit.curator.counts_job import ReleasedCounts, all_counts, counts_plan, readings_from
from tacit.curator.implied_answer import Floats, ImpliedAnswer, PaidRelease
from tacit.curator.planner import Planner
from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.aggregates.aggregate import Part
from tacit.query.bounding.amounts import amount_of
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price
from tacit.query.plans.question import Question
from tacit.query.post_noise.estimates import Groups
from tacit.release.release import IntervalWords
from tacit.workload.linear.asked_counts import AnswerTable
from tacit.workload.linear.counted_query import counted_query
from tacit.workload.linear.counts_plan import CountsPlan


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
