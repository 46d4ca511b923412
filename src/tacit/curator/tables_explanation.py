"""The explanation of tables: price and expected errors, without spending anything or reading a row."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from tacit.curator.planner import Planner
from tacit.curator.tables_job import find_tables
from tacit.curator.terms import refuse_below_floor
from tacit.frozen import frozen
from tacit.mechanisms.mechanism import percent
from tacit.printable import printable_lines
from tacit.query.plans.price import Price
from tacit.release.price import PriceWords, price_words
from tacit.words import number
from tacit.workload.planned_tables import PlannedTables
from tacit.workload.table_bound import optimality_words
from tacit.workload.tables_plan import TablesPlan

_LISTED: Final = 12  # tables
_GAIN: Final = 1.005  # from here on a gain is more than none, as it is shown


@frozen(eq=False)
class TablesExplanation:
    """Tables at a price, as text: their number, the price, and their errors where these are known in advance."""

    plan: TablesPlan
    price: Price
    price_words: PriceWords
    confidence: Fraction
    is_stored: bool
    planned: PlannedTables | None

    def brief(self) -> str:
        """The whole explanation; it has no SQL, because that depends on limits and keys."""
        return printable_lines("\n".join([self.price_words.before(self.is_stored), self._shape(), *self._errors()]))

    def __str__(self) -> str:
        return self.brief()

    def __repr__(self) -> str:
        return str(self)

    def _shape(self) -> str:
        count, base = len(self.plan.asked.tables), self.plan.base
        tables = f"{count:,} {'table' if count == 1 else 'tables'} at one price"
        if self.plan.private:
            names = ", ".join(base.question.keys[place].name for place in self.plan.private)
            cells = f"; how many cells is known with the answer, since values of {names} are private"
        else:
            cells = f", {sum(self.plan.cells(each.attributes) for each in self.plan.asked.tables):,} cells"
        return f"{tables}{cells}; their margins agree. Hidden: {base.unit} ({self.plan.relation})."

    def _errors(self) -> Iterator[str]:
        sure = percent(self.confidence)
        if self.planned is None:
            yield f"Expected ±: known with the answer, {self._unknown()}."
            return
        yield f"Expected ± of each cell, {sure}{', at most' if self.is_stored else ''}:"
        tables = self.plan.asked.tables
        for request in tables[:_LISTED]:
            title = ", ".join(request.key_names(self.plan.base.question)) or "total"
            cells = self.plan.cells(request.attributes)
            reach = self.planned.reach(request, self.confidence)
            known = [f"{name} ± {number(half, half)}" for name, half in reach.items()]
            rest = [f"{name} by its number of rows" for name in request.aggregates if name not in reach]
            yield f"  {title} ({cells:,} {'cell' if cells == 1 else 'cells'}): {', '.join([*known, *rest])}"
        if len(tables) > _LISTED:
            yield f"  … and {len(tables) - _LISTED:,} more tables"
        if len(tables) > 1 and (gain := self.planned.gain) is not None:
            times = f"{gain:.2f} times as far off" if gain >= _GAIN else "as far off"
            yield f"One by one, each at an equal part of the same price, they would be {times}, and would not add up."
        yield optimality_words(self.plan, self.planned.tables, self.price.charge)

    def _unknown(self) -> str:
        if not self.plan.binned:
            return "since it depends on how many values of private keys are shown"
        return "since a person may have several rows, and how much of one person counts is found first"


def explain_tables(planner: Planner, plan: TablesPlan, price: Price, confidence: Fraction) -> TablesExplanation:
    """The explanation of a plan of tables at a price; refused below the steward's floor."""
    opened = planner.opened
    stored = find_tables(planner, plan, price.keys_delta, plan.strength(price))
    if stored is None:
        refuse_below_floor(opened, price, bool(plan.private))
    words = price_words(opened.filter, str(price.alone), opened.filter.share(price.charge), False, price.charge)
    return TablesExplanation(plan, price, words, confidence, stored is not None, PlannedTables.of(plan, price))
