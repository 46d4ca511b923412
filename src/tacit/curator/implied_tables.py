"""Queries that are answered from released tables: their groups are sums of cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from tacit.curator.implied_answer import Floats, ImpliedAnswer, PaidRelease
from tacit.curator.planner import Planner
from tacit.curator.tables_job import ReleasedTables, all_tables, tables_plan
from tacit.curator.tables_words import tables_interval_words, tables_notes
from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.aggregates.aggregate import Part
from tacit.query.aggregates.moments import Mean, Total
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price
from tacit.query.plans.question import Question
from tacit.query.post_noise.estimates import Groups, Noisy
from tacit.release.release import IntervalWords
from tacit.workload.implied import ImpliedGroups, implied_groups
from tacit.workload.known_cells import known_cells
from tacit.workload.table_reading import ReadSum, TableReader, kinds_of, read_aggregate
from tacit.workload.tables_plan import TablesPlan

_ADDITIVE = (Total, Mean)


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

    @cached_property
    def deviations(self) -> Mapping[Part, Floats]:
        return {part: each.deviations for part, each in self._sums(is_bounded=True).items()}

    def norm(self, part: Part, plan: Plan, price: Price) -> float:
        return float(self.found.tables.measures[self._identity(part)].norm)

    def read(self, *, is_bounded: bool) -> Groups:
        sums = self._sums(is_bounded=is_bounded)
        read = {name: read_aggregate(each, sums) for name, each in self.question.aggregates.items()}
        return Groups(self.groups.keys, read, self.groups.size)

    def totals(self, *, is_bounded: bool) -> list[Noisy]:
        sums = self._sums(is_bounded=is_bounded)
        return [read_aggregate(Total(part), sums) for part in self.question.measures]

    def interval_words(self, *, is_bounded: bool) -> IntervalWords:
        return tables_interval_words(self.plan, self.found.tables, is_bounded=is_bounded)

    def notes(self) -> tuple[str, ...]:
        return tables_notes(self.plan, self.found.tables, self.question)

    @cached_property
    def _reader(self) -> TableReader:
        return TableReader(self.found.tables, known_cells(self.plan, self.found.tables))

    def _sums(self, *, is_bounded: bool) -> dict[Part, ReadSum]:
        """Each measure by the query's groups."""
        reader, groups = self._reader, self.groups
        return {
            part: reader.questions(self._identity(part), groups.attributes, groups.cells, is_bounded=is_bounded)
            for part in self.question.measures
        }

    def _identity(self, part: Part) -> str:
        return self.plan.base.identity(part)


def answers_from_tables(planner: Planner, question: Question) -> Iterator[ImpliedAnswer]:
    """The answer from each release of tables that holds one."""
    if not all(isinstance(each, _ADDITIVE) for each in question.aggregates.values()) or not question.measures:
        return
    for found in all_tables(planner):
        try:
            plan = tables_plan(planner, found.asked, found.interval, found.weighting)
        except Refused:  # the description was changed since
            continue
        if plan.digest != found.grounds.plan:  # other rows, keys or cells would be counted now
            continue
        groups = implied_groups(question, plan.asked, found.tables)
        if groups is not None:
            yield TablesAnswer(question, plan, found, groups)
