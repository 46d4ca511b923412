"""What a query would do, cost and tell, without spending anything or reading a row."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tacit.curator.expected import Expected
from tacit.curator.notes import limit_notes, withheld
from tacit.mechanisms.answer import percent
from tacit.query.lowering.tally import people_sql
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price
from tacit.query.plans.program import finding
from tacit.release.price import Price as PriceWords


@dataclass(frozen=True, eq=False)
class Explanation:
    """A plan at a price, for people: price, limits, expected errors, and the SQL that the engine would get."""

    plan: Plan
    price: Price
    price_words: PriceWords
    expected: Expected
    confidence: Fraction
    is_stored: bool

    @property
    def statements(self) -> tuple[str, ...]:
        """The SQL sent to the engine, in order; limits that are still to be found stand as they come."""
        rows, keys = self.plan.question.rows, self.plan.question.keys
        block = finding(self.plan, self.price)
        if block is not None:
            kept = [people_sql(rows, keys, self.plan.measures)] if self.plan.measures else []
            return (*kept, block.sql(self.plan.measures, '"__kept_totals"'), "… then sums cut at the limits found.")
        blocks = self.expected.program
        if blocks is None:
            return ()
        tally = [blocks.tally.sql()] if blocks.tally is not None else []
        return (*tally, *(ranks.sql() for ranks in blocks.ranks), *(each.sql() for each in blocks.distincts))

    @property
    def people_withheld(self) -> int | None:
        """About how many people a private key needs."""
        blocks = self.expected.program
        rule = blocks.tally.rule if blocks is not None and blocks.tally is not None else None
        return None if rule is None else rule.people()

    def __str__(self) -> str:
        plan = self.plan
        lines = [str(self.price_words)]
        if self.is_stored:
            lines = ["An earlier release answers this: asking is free."]
        groups = plan.groups
        shape = "Private groups" if groups is None else f"{len(groups):,} groups" if plan.question.keys else "One row"
        lines.append(f"{shape}; hides {plan.unit} ({plan.relation}).")
        lines += limit_notes(plan, {part: plan.limits[part].norm for part in plan.question.parts})
        if plan.unknown:
            lines.append("Limits are found first, with a tenth of the price; no profile or declaration covers them.")
        if self.people_withheld is not None:
            lines.append(withheld(self.people_withheld))
        lines.append(f"Expected error, {percent(self.confidence)}:")
        lines += [f"  {self.expected.words(name, each)}" for name, each in plan.question.aggregates.items()]
        lines.append("SQL sent to the engine:")
        lines += [f"  {statement}" for statement in self.statements]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)
