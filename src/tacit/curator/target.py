"""The question put the other way round: the least price that promises an error."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tacit.curator.expected import Expected
from tacit.errors import Refused
from tacit.exact import Number, positive
from tacit.query.aggregates.mean import Mean
from tacit.query.aggregates.total import Total
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price

_CLOSE = Fraction(1, 1000)


@dataclass(frozen=True)
class Target:
    """An error that every cell must keep: absolute, or a share of a public expected size of the smallest cell."""

    error: Fraction
    is_relative: bool

    @classmethod
    def read(cls, text: Number) -> Target:
        """50, or 2%."""
        if isinstance(text, str) and text.strip().endswith("%"):
            return cls(positive(text.strip()[:-1], "error") / 100, True)
        return cls(positive(text, "error"), False)

    def ratio(self, expected: Expected, size: Fraction | None) -> Fraction:
        """By how much the errors exceed the target at most; 1 is just met. Errors fall as the noise does."""
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


def strength_for(target: Target, at_one: Expected, size: Fraction | None, is_pure: bool) -> Fraction:
    """The strength of noise that just meets the target, from the errors at strength 1: they fall with its root."""
    ratio = target.ratio(at_one, size)
    return (ratio if is_pure else ratio**2) * (1 + _CLOSE)


def misses(target: Target, plan: Plan, price: Price, size: Fraction | None, confidence: Fraction) -> bool:
    """Whether the plan at this price breaks its promise."""
    return target.ratio(Expected.of(plan, price, confidence), size) > 1
