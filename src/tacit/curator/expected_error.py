"""Expected errors before anything is spent, and target errors: the least price that guarantees one.

Errors follow from the plan, the price and public sizes: the noise is known, but the clipping bias is not. So a target
is guaranteed for bounded intervals, which cover the noise only, and where limits cut nothing.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import numpy as np

from tacit.curator.planner import Planner
from tacit.curator.query_job import find_earlier
from tacit.curator.terms import at_least
from tacit.errors import Refused
from tacit.exact import Number, positive
from tacit.frozen import frozen
from tacit.query.aggregates.aggregate import Aggregate, Part, spread
from tacit.query.aggregates.moments import Mean, Total
from tacit.query.aggregates.quantile import Quantile
from tacit.query.execution.noisy_table import answered
from tacit.query.execution.program import Program, program
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price, price_of_strength
from tacit.query.plans.question import Question
from tacit.query.post_noise.estimates import Estimates, Groups
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


PROMISED: Final = "For a target error the limit is at_most, which cuts nobody who keeps to it."

_CLOSE = 1 + 1e-9  # numbers that differ by less are the same to a reader


@frozen
class Target:
    """The largest error allowed in every cell: absolute, or a share of a public expected size of the smallest cell."""

    error: Fraction
    is_relative: bool

    @classmethod
    def read(cls, text: Number) -> Target:
        """50, or 2%."""
        if isinstance(text, str) and text.strip().endswith("%"):
            return cls(positive(text.strip()[:-1], "error") / 100, True)
        return cls(positive(text, "error"), False)

    def ratio(self, expected: Expected, size: Fraction | None) -> Fraction:
        """The largest ratio of an error to the target; 1 just meets it. Errors decrease with the noise."""
        worst = Fraction(0)
        for name, aggregate in expected.plan.question.aggregates.items():
            if isinstance(aggregate, Total):
                reach, allowed = expected.total_reach(aggregate), self._allowed(name, size)
            elif isinstance(aggregate, Mean) and size is not None and not self.is_relative:
                reach, allowed = expected.mean_error(aggregate, float(size)), self.error
            else:
                raise Refused(
                    f"a target error for {name}",
                    "Its error depends on how many rows a group has, which is private.",
                    "--size n, the public size of the smallest group, for AVG; or --epsilon.",
                )
            if reach is None:
                raise Refused(
                    f"a target error for {name}",
                    "How much of one person counts is not known before the query is paid for.",
                    "limits declared for the table, or a profile (`tacit profile`), and no filter; or --epsilon.",
                )
            worst = max(worst, Fraction(reach) / allowed)
        return worst

    def missed(self, groups: Groups, confidence: Fraction, *, is_usual: bool) -> list[str]:
        """The aggregates of an answer whose intervals are wider than the target."""
        return [name for name, each in groups.aggregates.items() if self._is_missed(each.at(confidence), is_usual)]

    def verdict(self, groups: Groups, confidence: Fraction, free: bool, *, is_usual: bool) -> str:
        """Whether an answer keeps the target: computed from its intervals, so it reveals nothing new."""
        wide = self.missed(groups, confidence, is_usual=is_usual)
        if wide:
            return f"Misses the target {self}: the interval of {' and of '.join(wide)} is wider somewhere."
        return f"Keeps the target {self}." if free else f"The least price that promises {self}."

    def _is_missed(self, numbers: Estimates, is_usual: bool) -> bool:
        """Usual intervals are asymmetric: their longer side is compared, for others half the width."""
        if not len(numbers):
            return False
        longer = np.maximum(numbers.high - numbers.value, numbers.value - numbers.low)
        half = longer if is_usual else (numbers.high - numbers.low) / 2
        allowed = float(self.error) * _CLOSE * (np.abs(numbers.value) if self.is_relative else np.ones(len(numbers)))
        return not bool(np.all(half <= (np.ceil(allowed) if numbers.whole else allowed)))

    def __str__(self) -> str:
        shown = float(100 * self.error if self.is_relative else self.error)
        return f"± {shown:,.12g}%" if self.is_relative else f"± {shown:,.12g}"

    def _allowed(self, name: str, size: Fraction | None) -> Fraction:
        if not self.is_relative:
            return self.error
        if size is None:
            raise Refused(
                f"a relative error for {name}",
                "How large the answer is, is private.",
                "--size n, a public expected size of the smallest cell; an earlier answer to the same query; "
                "or an absolute --error.",
            )
        return self.error * size


@frozen(eq=False)
class TargetSearch:
    """The search for the cheapest plan that keeps a target; `size` is a public size of the smallest group."""

    planner: Planner
    question: Question
    target: Target
    size: Fraction | None
    confidence: Fraction

    def earlier(self, interval: IntervalKind) -> tuple[Plan, Price] | None:
        """The price of an earlier release whose own intervals meet the target, whether it was guaranteed or not."""
        known = find_earlier(self.planner, self.question, interval)
        if known is None:
            return None
        plan, table = known[0], known[1].table
        is_usual = interval is IntervalKind.USUAL and bool(plan.binned)
        if self.target.missed(answered(plan, table), self.confidence, is_usual=is_usual):
            return None
        return plan, self._price(table.strength / plan.each)

    def cheapest(self, interval: IntervalKind) -> tuple[Plan, Price]:
        """The plan and its price; limits from a profile depend on the price, so the search runs twice."""
        kind = self._promised(interval)
        size = self.size or (self._earlier_size(interval, kind) if self.target.is_relative else None)
        planner, question = self.planner, self.question
        price = planner.price(question, 1, None)
        for _ in range(4):
            plan = planner.plan(question, price, kind)
            ratio = self.target.ratio(Expected.of(plan, price, self.confidence), size)
            price = self._price(price.strength * (ratio if price.is_pure else ratio**2) * Fraction(1001, 1000))
            price = at_least(planner.opened, price, question.has_private_keys)
            plan = planner.plan(question, price, kind)
            if self.target.ratio(Expected.of(plan, price, self.confidence), size) <= 1:
                break
        return plan, price

    def _price(self, strength: Fraction) -> Price:
        description = self.planner.opened.description
        return price_of_strength(description.budget, description.promise, strength, self.question.has_private_keys)

    def _promised(self, interval: IntervalKind) -> IntervalKind:
        """The kind of interval that an error can be guaranteed for: guaranteed instead of usual, with at_most."""
        plan = self.planner.bare_plan(self.question, interval)
        if interval is not IntervalKind.USUAL or not plan.binned:
            return interval
        cut = set(plan.binned) - set(plan.at_most)
        if not cut:
            return IntervalKind.GUARANTEED
        name = next(name for name, each in self.question.aggregates.items() if not cut.isdisjoint(each.parts))
        raise Refused(
            f"a target error for {name}",
            "What limits cut off is not known before the query is paid for.",
            "--interval bounded, which promises the noise alone; at_most, declared for the table; or --epsilon.",
        )

    def _earlier_size(self, *kinds: IntervalKind) -> Fraction | None:
        """The smallest cell of an earlier answer to the same query, at the lower end of its interval."""
        for kind in dict.fromkeys(kinds):
            known = find_earlier(self.planner, self.question, kind)
            if known is not None:
                groups = answered(known[0], known[1].table)
                ends = [each.at(self.confidence).low.min() for each in groups.aggregates.values() if groups.size]
                least = min(ends, default=0.0)
                return Fraction(float(least)) if least > 0 else None
        return None
