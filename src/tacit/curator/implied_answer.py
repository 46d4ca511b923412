"""Queries that are answered from released tables: free, with intervals from the joint law of the tables' noise."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import inf
from statistics import NormalDist

import numpy as np

from tacit.curator.certifier import Certifier
from tacit.curator.notes import CHOSEN
from tacit.curator.planner import Planner
from tacit.curator.tables_job import ReleasedTables, all_tables, tables_plan
from tacit.curator.tables_words import tables_interval_words, tables_notes
from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.mechanisms.answer import percent
from tacit.query.aggregates.aggregate import Measure, Part
from tacit.query.aggregates.moments import Mean, Total
from tacit.query.bounding.amounts import amount_of
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price
from tacit.query.plans.question import Question
from tacit.release.price import price_words
from tacit.release.release import Release
from tacit.words import number
from tacit.workload.implied import ImpliedGroups, implied_groups
from tacit.workload.implied_reading import ImpliedReading
from tacit.workload.implied_ways import ImpliedWays
from tacit.workload.known_cells import known_cells
from tacit.workload.table_reading import TableReader, kinds_of
from tacit.workload.tables_plan import TablesPlan

_NEARLY = 1 + 1e-9  # times what is asked: the rounding of doubles
_SURE = Fraction(19, 20)  # the confidence at which releases are compared


@frozen(eq=False)
class ImpliedAnswer:
    """A query's groups as sums of cells of a release, and the sums read from it."""

    question: Question
    plan: TablesPlan
    found: ReleasedTables
    groups: ImpliedGroups

    @cached_property
    def reading(self) -> ImpliedReading:
        """The groups as they are read."""
        tables = self.found.tables
        return ImpliedReading(
            TableReader(tables, known_cells(self.plan, tables)), tables, self.plan.base.identity, self.groups
        )

    @property
    def parts(self) -> set[Measure]:
        """The measures that it is read from."""
        return {part for way in self.groups.ways.values() for part in way.measures}

    def widest(self, interval: IntervalKind) -> float:
        """How wide the widest interval is, of the kind asked for: a low limit has little noise and much cut off."""
        read = self.reading.groups(is_bounded=interval is IntervalKind.BOUNDED).aggregates
        found = [read[name].at(_SURE) for name in self.question.aggregates]
        return max(float(np.nan_to_num(each.high - each.low, nan=inf).max(initial=0.0)) for each in found)

    def words(self, confidence: Fraction) -> str:
        """Which release answers, and how far off its noise puts each count and sum."""
        times, reach = -NormalDist().inv_cdf(float(1 - confidence) / 2), {}
        for name, aggregate in self.question.aggregates.items():
            if isinstance(aggregate, Total):
                widest = float(self.reading.deviations(name).max(initial=0.0))
                reach[name] = times * widest * float(aggregate.part.step)
        known = ", ".join(f"{name} ± {number(half, half)}" for name, half in reach.items())
        noise = f" The noise alone, {percent(confidence)}, at most: {known}." if known else ""
        return f"{implied_words(self.found)}{noise}"

    def is_as_accurate(self, plan: Plan, price: Price) -> bool:
        """Whether noise moves no group further than it would at this price, at the same limit of one person.

        Of a mean two things are held against what the price would give: the noise that its interval is made of, at
        the mean that is read, and that of the number of rows, which says whether a mean is told at all.
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
        """The deviation of a sum if it were asked for by itself; none is accepted where its limit is not known."""
        stored = self.found.tables.measures.get(self.plan.base.identity(part)) if part in self.parts else None
        norm = plan.limits[part].norm if stored is None else stored.norm
        noise = amount_of(part, plan.question.keys, not price.is_pure).noise_per_norm(plan, price)
        return -inf if norm is None else noise * float(norm)


def find_implied(
    planner: Planner, question: Question, interval: IntervalKind, plan: Plan | None = None, price: Price | None = None
) -> ImpliedAnswer | None:
    """The most accurate release of tables that answers a question; with a price, one as accurate as that."""
    additive = all(isinstance(each, (Total, Mean)) for each in question.aggregates.values())
    if not additive or not question.measures or question.distincts:
        return None
    best: ImpliedAnswer | None = None
    width, query = inf, ImpliedWays(question, planner.question)
    for found in all_tables(planner):
        answer = _implied(planner, query, found)
        if answer is None or not _serves(answer, interval):
            continue
        if plan is not None and price is not None and not answer.is_as_accurate(plan, price):
            continue
        own = answer.widest(interval)
        if best is None or own < width:
            best, width = answer, own
    return best


def _implied(planner: Planner, query: ImpliedWays, found: ReleasedTables) -> ImpliedAnswer | None:
    try:
        plan = tables_plan(planner, found.asked, found.interval, found.weighting)
    except Refused:  # the description was changed since
        return None
    if plan.digest != found.grounds.plan:  # other rows, keys or cells would be counted now
        return None
    groups = implied_groups(query, plan.asked, found.tables)
    return None if groups is None else ImpliedAnswer(query.question, plan, found, groups)


def _serves(answer: ImpliedAnswer, interval: IntervalKind) -> bool:
    """Whether a release has intervals of the kind that is asked for; bounded ones can be read from any."""
    kinds = kinds_of(answer.found.tables)
    if interval is IntervalKind.BOUNDED:
        return True
    if not answer.reading.tells_cuts:
        return False
    return kinds <= {IntervalKind.GUARANTEED} or (interval is IntervalKind.USUAL and IntervalKind.BOUNDED not in kinds)


def show_implied(planner: Planner, sql: str, answer: ImpliedAnswer, interval: IntervalKind, level: Fraction) -> Release:
    """The answer of a query that tables imply, as it is shown."""
    opened, found = planner.opened, answer.found
    is_bounded = interval is IntervalKind.BOUNDED
    is_usual = not is_bounded and IntervalKind.USUAL in kinds_of(found.tables)
    beside = answer.reading.groups(is_bounded=True) if is_usual else None
    rendered = answer.question.above.render(answer.reading.groups(is_bounded=is_bounded), level, beside)
    chosen = (CHOSEN,) if answer.question.above.chooses_by_noise else ()
    notes = (implied_words(found), *tables_notes(answer.plan, found.tables, answer.question, answer.parts), *chosen)
    price = price_words(opened.filter, found.grounds.price, found.share, True, found.charge)
    words = tables_interval_words(answer.plan, found.tables, is_bounded=is_bounded)
    return Release(rendered, level, notes, price, Certifier.of(opened, found.grounds, found.entry, sql), words)


def implied_words(found: ReleasedTables) -> str:
    """From which release an answer is, and what its intervals are made of."""
    return (
        f"Added up from cells of the tables released together as entry {found.entry:,} of the ledger; each interval is "
        "from the covariance of their noise."
    )
