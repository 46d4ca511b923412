"""Queries that are answered from released tables: free, with intervals from the joint law of the tables' noise."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import inf
from statistics import NormalDist

from tacit.curator.certifier import Certifier
from tacit.curator.notes import CHOSEN
from tacit.curator.planner import Planner
from tacit.curator.tables_job import ReleasedTables, all_tables, tables_plan
from tacit.curator.tables_words import tables_interval_words, tables_notes
from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.mechanisms.answer import percent
from tacit.query.aggregates.aggregate import Part
from tacit.query.aggregates.moments import Mean, Total
from tacit.query.bounding.amounts import amount_of
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price
from tacit.query.plans.question import Question
from tacit.query.post_noise.estimates import Groups
from tacit.release.price import price_words
from tacit.release.release import Release
from tacit.words import number
from tacit.workload.implied import ImpliedGroups, implied_groups
from tacit.workload.known_cells import known_cells
from tacit.workload.table_reading import ReadSum, TableReader, kinds_of, read_aggregate
from tacit.workload.tables_plan import TablesPlan

_ADDITIVE = (Total, Mean)
_SURE = Fraction(19, 20)  # the confidence at which releases are compared


@frozen(eq=False)
class ImpliedAnswer:
    """A query's groups as sums of cells of a release, and the sums read from it."""

    question: Question
    plan: TablesPlan
    found: ReleasedTables
    groups: ImpliedGroups

    @cached_property
    def _reader(self) -> TableReader:
        return TableReader(self.found.tables, known_cells(self.plan, self.found.tables))

    def sums(self, *, is_bounded: bool) -> dict[Part, ReadSum]:
        """Each measure by the query's groups."""
        reader, groups = self._reader, self.groups
        return {
            part: reader.questions(
                self.plan.base.identity(part), groups.attributes, groups.cells, is_bounded=is_bounded
            )
            for part in self.question.measures
        }

    def _identity(self, part: Part) -> str:
        return self.plan.base.identity(part)

    def widest(self, interval: IntervalKind) -> float:
        """How wide the widest interval of any sum is, of the kind asked for: a low limit has little noise and much cut
        off."""
        sums = self.sums(is_bounded=interval is IntervalKind.BOUNDED)
        read = [read_aggregate(Total(part), sums).at(_SURE) for part in self.question.measures]
        return max(float((each.high - each.low).max(initial=0.0)) for each in read)

    def read(self, *, is_bounded: bool) -> Groups:
        """The query's groups, every aggregate read."""
        sums = self.sums(is_bounded=is_bounded)
        read = {name: read_aggregate(each, sums) for name, each in self.question.aggregates.items()}
        return Groups(self.groups.keys, read, self.groups.size)

    def words(self, confidence: Fraction) -> str:
        """Which release answers, and how far off its noise puts each count and sum."""
        times = -NormalDist().inv_cdf(float(1 - confidence) / 2)
        sums, reach = self.sums(is_bounded=True), {}
        for name, aggregate in self.question.aggregates.items():
            if isinstance(aggregate, Total):
                widest = float(sums[aggregate.part].deviations.max(initial=0.0))
                reach[name] = times * widest * float(aggregate.part.step)
        known = ", ".join(f"{name} ± {number(half, half)}" for name, half in reach.items())
        noise = f" The noise alone, {percent(confidence)}, at most: {known}." if known else ""
        return f"{implied_words(self.found)}{noise}"

    def is_as_accurate(self, plan: Plan, price: Price) -> bool:
        """Whether noise moves no group further than it would at this price, at the same limit of one person."""
        for part, read in self.sums(is_bounded=True).items():
            norm = float(self.found.tables.measures[self._identity(part)].norm)
            asked = amount_of(part, plan.question.keys, not price.is_pure).noise_per_norm(plan, price)
            if not float(read.deviations.max(initial=0.0)) <= asked * norm * (1 + 1e-9):
                return False
        return True


def find_implied(
    planner: Planner, question: Question, interval: IntervalKind, plan: Plan | None = None, price: Price | None = None
) -> ImpliedAnswer | None:
    """The most accurate release of tables that answers a question; with a price, one as accurate as that."""
    if not all(isinstance(each, _ADDITIVE) for each in question.aggregates.values()) or not question.measures:
        return None
    best: ImpliedAnswer | None = None
    width = inf
    for found in all_tables(planner):
        answer = _implied(planner, question, found)
        if answer is None or not _serves(found, interval):
            continue
        if plan is not None and price is not None and not answer.is_as_accurate(plan, price):
            continue
        own = answer.widest(interval)
        if best is None or own < width:
            best, width = answer, own
    return best


def _implied(planner: Planner, question: Question, found: ReleasedTables) -> ImpliedAnswer | None:
    try:
        plan = tables_plan(planner, found.asked, found.interval, found.weighting)
    except Refused:  # the description was changed since
        return None
    if plan.digest != found.grounds.plan:  # other rows, keys or cells would be counted now
        return None
    groups = implied_groups(question, plan.asked, found.tables)
    return None if groups is None else ImpliedAnswer(question, plan, found, groups)


def _serves(found: ReleasedTables, interval: IntervalKind) -> bool:
    """Whether a release has intervals of the kind that is asked for; bounded ones can be read from any."""
    kinds = kinds_of(found.tables)
    if interval is IntervalKind.BOUNDED:
        return True
    return kinds <= {IntervalKind.GUARANTEED} or (interval is IntervalKind.USUAL and IntervalKind.BOUNDED not in kinds)


def show_implied(planner: Planner, sql: str, answer: ImpliedAnswer, interval: IntervalKind, level: Fraction) -> Release:
    """The answer of a query that tables imply, as it is shown."""
    opened, found = planner.opened, answer.found
    is_bounded = interval is IntervalKind.BOUNDED
    is_usual = not is_bounded and IntervalKind.USUAL in kinds_of(found.tables)
    beside = answer.read(is_bounded=True) if is_usual else None
    rendered = answer.question.above.render(answer.read(is_bounded=is_bounded), level, beside)
    chosen = (CHOSEN,) if answer.question.above.chooses_by_noise else ()
    notes = (implied_words(found), *tables_notes(answer.plan, found.tables, answer.question), *chosen)
    price = price_words(opened.filter, found.grounds.price, found.share, True, found.charge)
    words = tables_interval_words(answer.plan, found.tables, is_bounded=is_bounded)
    return Release(rendered, level, notes, price, Certifier.of(opened, found.grounds, found.entry, sql), words)


def implied_words(found: ReleasedTables) -> str:
    """From which release an answer is, and what its intervals are made of."""
    return (
        f"Added up from cells of the tables released together as entry {found.entry:,} of the ledger; each interval is "
        "from the covariance of their noise."
    )
