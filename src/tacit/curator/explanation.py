"""The explanation of a query: its SQL, price and expected errors, without spending anything or reading a row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Final

from tacit.curator.expected_error import Expected
from tacit.curator.interval_words import interval_words, planned_kinds
from tacit.curator.notes import finding_words, limit_notes, planned_optimality, withheld
from tacit.curator.open_data import in_words_of
from tacit.curator.planner import Planner
from tacit.curator.query_job import find_stored
from tacit.curator.terms import refuse_below_floor
from tacit.frozen import frozen
from tacit.mechanisms.mechanism import percent
from tacit.printable import printable, printable_lines
from tacit.query.bounding.histogram_sql import BINS
from tacit.query.execution.program import finding
from tacit.query.materialized.statements import STATEMENTS, Statements
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price
from tacit.release.price import PriceWords as PriceWords
from tacit.release.price import price_words

_SEARCH: Final = BINS.index_sql("amount")


@frozen(eq=False)
class Explanation:
    """A plan at a price, as text: price, limits, expected errors, and the SQL that the engine would get."""

    plan: Plan
    price: Price
    price_words: PriceWords
    expected: Expected
    confidence: Fraction
    is_stored: bool
    size: Fraction | None = None  # of the smallest group, if it is public
    sent: Statements = STATEMENTS
    said: Callable[[str], str] = str  # in the engine's dialect
    whence: str | None = None  # the form of the data that answers, if there are several
    promised: str | None = None  # the effect of a target error
    implied: str | None = None  # the released tables that answer it, if any

    @property
    def statements(self) -> tuple[str, ...]:
        """The SQL sent to the engine, in order; limits that are still to be found are left open."""
        block = finding(self.plan, self.price)
        if block is not None:
            return (*self.sent.finding(self.plan, block), "… then sums cut at the limits found.")
        blocks = self.expected.program
        if blocks is None:
            return ()
        tally = [self.sent.tally(blocks.tally)] if blocks.tally is not None else []
        texts = *tally, *map(self.sent.ranks, blocks.ranks), *map(self.sent.distinct, blocks.distincts)
        return tuple(map(self.said, texts))

    @property
    def people_withheld(self) -> int | None:
        """The approximate number of units that a private key needs."""
        blocks = self.expected.program
        rule = blocks.tally.rule if blocks is not None and blocks.tally is not None else None
        return None if rule is None else rule.people()

    def brief(self) -> str:
        """Price, limits and expected errors, without the SQL."""
        lines = [self.price_words.before(self.is_stored), self._shape()]
        if self.implied is not None:
            return printable_lines("\n".join([*lines, self.implied]))
        lines += [*self._limits(), *self._intervals()]
        if self.promised is not None:
            lines.append(self.promised)
        if self.people_withheld is not None:
            lines.append(withheld(self.people_withheld))
        if self.whence is not None:
            lines.append(self.whence)
        return printable_lines("\n".join([*lines, *self._errors()]))

    def __str__(self) -> str:
        if self.is_stored:
            return f"{self.brief()}\nNo SQL is sent to the engine."
        statements = (f"  {printable(each)}" for each in self._shown())
        return "\n".join([self.brief(), *map(printable, self._optimality()), "SQL sent to the engine:", *statements])

    def __repr__(self) -> str:
        return str(self)

    def _shape(self) -> str:
        groups = self.plan.groups
        keys = [key.name for key in self.plan.question.keys]
        many = "private groups" if groups is None else f"{len(groups):,} groups, known beforehand"
        whose = (
            "The released table, from which the answer is computed,"
            if self.plan.question.above.is_outer
            else "The answer"
        )
        return f"{whose} has {many if keys else 'one row'}. Hidden: {self.plan.unit} ({self.plan.relation})."

    def _limits(self) -> list[str]:
        norms = {part: self.plan.limits[part].norm for part in self.plan.question.parts}
        finding = self.plan.share("finding")
        known = limit_notes(self.plan, norms, planned_kinds(self.plan), finding, not self.price.is_pure)
        return [*known, self._found_first] if self.plan.unknown else known

    @property
    def _found_first(self) -> str:
        if self.plan.interval is IntervalKind.USUAL:
            share = finding_words(self.plan.share("finding"))
            return f"How much of one person counts, and what that cuts off, is found first, with {share}."
        return "How much of one person counts is found first, with a tenth of the price: no profile or limit says it."

    def _intervals(self) -> list[str]:
        """What the intervals will cover, where that is more than the noise."""
        words = interval_words(self.plan, planned_kinds(self.plan), frozenset())
        about = f"{percent(self.confidence)} intervals{words.about}."
        at_most = "If at_most is near the limit found, it becomes the limit, and they are guaranteed."
        is_near = self.plan.interval is IntervalKind.USUAL and not self.plan.at_most.keys().isdisjoint(
            self.plan.unknown
        )
        more = [at_most] if is_near else []
        return [" ".join([about, *words.further, *more])] if words.kind not in ("", "bounded") else []

    def _errors(self) -> list[str]:
        aggregates = self.plan.question.aggregates
        if self.plan.unknown:
            return [f"Expected error of {', '.join(aggregates)}: known with the answer, once the limits are found."]
        noise, cut = " of the noise", "; what limits cut off is added when it is known"
        noise, cut = (noise, cut) if self.plan.binned else ("", "")
        lines = [f"  {self.expected.words(name, each, self.size)}" for name, each in aggregates.items()]
        most = ", at most" if self.is_stored else ""  # what is stored may be more accurate than was asked for
        return [f"Expected error{noise}, {percent(self.confidence)}{most}{cut}:", *lines]

    def _optimality(self) -> Sequence[str]:
        """The noise compared with the least possible, or that no bound is known."""
        return planned_optimality(self.plan, self.price, self.expected.program, self.confidence)

    def _shown(self) -> list[str]:
        """The statements for display: a long search through fixed bins is written as a call."""
        return [each.replace(_SEARCH, "bin(amount)") for each in self.statements]


def explain_plan(
    planner: Planner,
    plan: Plan,
    price: Price,
    confidence: Fraction,
    size: Fraction | None,
    implied: str | None,
    promised: str | None,
) -> Explanation:
    """The explanation of a plan at a price; refused below the steward's floor, unless it is free."""
    opened, preparation = planner.opened, planner.preparation
    is_stored = implied is not None or find_stored(planner, plan, price.keys_delta, plan.enough(price)) is not None
    if not is_stored:
        refuse_below_floor(opened, price, plan.is_selecting)
    share = opened.filter.share(price.charge)
    words = price_words(opened.filter, str(price.alone), share, False, price.charge)
    sent = preparation.statements_for(plan)
    said = str if sent.forms else partial(in_words_of, opened.engine, catalogue=opened.catalogue)
    expected, whence = Expected.of(plan, price, confidence), preparation.words(plan)
    return Explanation(plan, price, words, expected, confidence, is_stored, size, sent, said, whence, promised, implied)
