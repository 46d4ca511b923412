"""A target error: the least price that guarantees it, and the kind of interval that it can be guaranteed for.

Before a query is paid for, the noise is known but the clipping bias is not. So a target is guaranteed for bounded
intervals, which cover the noise only, and for intervals whose limits cut nothing, by construction or by at_most.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import numpy as np

from tacit.curator.expected_error import Expected
from tacit.curator.planner import Planner
from tacit.curator.query_job import find_earlier
from tacit.curator.terms import at_least
from tacit.errors import Refused
from tacit.exact import Number, positive
from tacit.frozen import frozen
from tacit.query.aggregates.moments import Mean, Total
from tacit.query.execution.noisy_table import answered
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price, price_of_strength
from tacit.query.plans.question import Question
from tacit.query.post_noise.estimates import Estimates, Groups

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
