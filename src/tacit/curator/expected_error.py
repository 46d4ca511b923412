"""Expected errors before anything is spent. They follow from the plan, the price and public sizes alone."""

from __future__ import annotations

from fractions import Fraction

from tacit.frozen import frozen
from tacit.query.aggregates.aggregate import Aggregate, Part, spread
from tacit.query.aggregates.moments import Mean, Total
from tacit.query.aggregates.quantile import Quantile
from tacit.query.execution.program import Program, program
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price
from tacit.words import number

_EXAMPLE = 10_000


@frozen
class Expected:
    """The expected error of each aggregate; `program` is None while limits are still to be found."""

    plan: Plan
    confidence: Fraction
    program: Program | None

    @classmethod
    def of(cls, plan: Plan, price: Price, confidence: Fraction) -> Expected:
        return cls(plan, confidence, None if plan.unknown else program(plan, price))

    def reach(self, part: Part) -> float | None:
        """The half width of a part's interval, in its own unit; None while it is unknown."""
        blocks = self.program
        if blocks is None:
            return None
        tally = blocks.tally
        if tally is not None and part in tally.measures:
            place = tally.measures.index(part)
            scale = tally.scalings[place].scale
            return float(spread(tally.noise.law, self.confidence) / scale * tally.measures[place].step)
        for block in blocks.distincts:
            if block.distinct == part:
                return spread(block.noise.law, self.confidence) / block.unit
        for ranks in blocks.ranks:
            if ranks.ranks == part:  # the approximate number of noisy counts in a rank
                return float(spread(ranks.noise.law, self.confidence) / ranks.unit * ranks.ranks.counts_in_a_rank**0.5)
        return None

    def total_reach(self, aggregate: Aggregate) -> float | None:
        """The half width of a count or a sum; None for what depends on the size of the group."""
        return self.reach(aggregate.part) if isinstance(aggregate, Total) else None

    def mean_error(self, aggregate: Aggregate, rows: float, *, is_near: bool = False) -> float | None:
        """The half width of a mean of this many rows, for a mean far from the origin of its values or near to it."""
        if not isinstance(aggregate, Mean):
            return None
        top, bottom = self.reach(aggregate.total), self.reach(aggregate.rows)
        if top is None or bottom is None:
            return None
        step = float(aggregate.total.step)
        away = 0.0 if is_near else max(aggregate.high - aggregate.centre, aggregate.centre - aggregate.low) * step
        return float((top**2 + (away * bottom) ** 2) ** 0.5 / rows)

    def words(self, name: str, aggregate: Aggregate, size: Fraction | None = None) -> str:
        """The expected error of one aggregate, in a line; that of a mean is for a public size, or for an example."""
        where = " in each group" if self.plan.question.keys else ""
        total = self.total_reach(aggregate)
        if total is not None:
            return f"{name} ± {number(total, total)}{where}"
        rows = _EXAMPLE if size is None else float(size)
        near, far = self.mean_error(aggregate, rows, is_near=True), self.mean_error(aggregate, rows)
        if isinstance(aggregate, Mean) and near is not None and far is not None:
            centre, end = (_shown(at * aggregate.total.step) for at in (aggregate.centre, _farthest(aggregate)))
            ends = f"± {number(near, near)} if it is near {centre}, up to ± {number(far, far)} if near {end}"
            return f"{name}, at {rows:,.0f} rows{where}: {ends}; twice the rows, half the error"
        if isinstance(aggregate, Quantile):
            rank = self.reach(aggregate.ranks) or 0.0
            return f"{name}: its rank is off by ± {number(rank, rank)} rows{where}"
        return f"{name}: its error falls with the number of rows{where}"


def _farthest(mean: Mean) -> int:
    return max(mean.low, mean.high, key=lambda end: abs(end - mean.centre))


def _shown(value: Fraction) -> str:
    return f"{float(value):,.6g}"
