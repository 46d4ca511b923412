"""Expected errors, before anything is spent: from the plan, the price and public sizes alone."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tacit.mechanisms.answer import number
from tacit.query.aggregates.aggregate import Aggregate
from tacit.query.aggregates.mean import Mean
from tacit.query.aggregates.noisy_parts import spread
from tacit.query.aggregates.parts import Measure, Part
from tacit.query.aggregates.quantile import Quantile
from tacit.query.aggregates.total import Total
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price
from tacit.query.plans.program import Program, program

_EXAMPLE = 10_000


@dataclass(frozen=True)
class Expected:
    """How far off each aggregate will be; `program` is None while limits are still to be found."""

    plan: Plan
    confidence: Fraction
    program: Program | None

    @classmethod
    def of(cls, plan: Plan, price: Price, confidence: Fraction) -> Expected:
        return cls(plan, confidence, None if plan.unknown else program(plan, price))

    def reach(self, part: Part) -> float | None:
        """The half width of a part's interval, in its own unit; None while it is not known."""
        blocks = self.program
        if blocks is None:
            return None
        if isinstance(part, Measure) and blocks.tally is not None:
            place = blocks.tally.measures.index(part)
            scale = blocks.tally.scalings[place].scale
            return float(spread(blocks.tally.noise.law, self.confidence) / scale * part.step)
        for block in blocks.distincts:
            if block.distinct == part:
                return spread(block.noise.law, self.confidence) / block.unit
        for ranks in blocks.ranks:
            if ranks.ranks == part:  # about so many noisy counts make a rank
                return float(spread(ranks.noise.law, self.confidence) / ranks.unit * (8 * ranks.ranks.levels) ** 0.5)
        return None

    def total_reach(self, aggregate: Aggregate) -> float | None:
        """The half width of a count or a sum; None for what depends on the size of the group."""
        return self.reach(aggregate.part) if isinstance(aggregate, Total) else None

    def mean_error(self, aggregate: Aggregate, rows: float) -> float | None:
        """The half width of a mean of about so many rows, where the mean is far from where values are counted from."""
        if not isinstance(aggregate, Mean):
            return None
        top, bottom = self.reach(aggregate.total), self.reach(aggregate.rows)
        if top is None or bottom is None:
            return None
        step = float(aggregate.total.step)
        away = max(aggregate.high - aggregate.centre, aggregate.centre - aggregate.low) * step
        return float((top**2 + (away * bottom) ** 2) ** 0.5 / rows)

    def words(self, name: str, aggregate: Aggregate) -> str:
        """The expected error of one aggregate, in a line."""
        where = " in each group" if self.plan.question.keys else ""
        if self.program is None:
            return f"{name}: the limits are found first, so its error is known with the answer"
        total = self.total_reach(aggregate)
        if total is not None:
            return f"{name} ± {number(total, total)}{where}"
        mean = self.mean_error(aggregate, 1.0)
        if mean is not None:
            example = mean / _EXAMPLE
            instance = f"± {number(example, example)} at {_EXAMPLE:,} rows"
            return f"{name} ± {number(mean, mean)} / (rows{where}) at most, for instance {instance}"
        if isinstance(aggregate, Quantile):
            rank = self.reach(aggregate.ranks) or 0.0
            return f"{name}: its rank is off by ± {number(rank, rank)} rows{where}"
        return f"{name}: its error falls with the number of rows{where}"
