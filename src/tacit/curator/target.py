"""The question put the other way round: the least price that promises an error."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from tacit.curator.expected import Expected
from tacit.errors import Refused
from tacit.exact import Number, positive
from tacit.frozen import frozen
from tacit.query.aggregates.moments import Mean, Total
from tacit.query.post_noise.estimates import Estimates, Groups

_CLOSE = 1 + 1e-9  # numbers that differ by less are the same to a reader


@frozen
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

    def verdict(self, groups: Groups, confidence: Fraction, free: bool) -> str:
        """Whether an answer keeps the target: read off its own intervals, so it tells nothing new."""
        wide = [name for name, each in groups.aggregates.items() if self._is_missed(each.at(confidence))]
        if wide:
            return f"Misses the target {self}: the interval of {' and of '.join(wide)} is wider somewhere."
        return f"Keeps the target {self}." if free else f"The least price that promises {self}."

    def _is_missed(self, numbers: Estimates) -> bool:
        if not len(numbers):
            return False
        half = (numbers.high - numbers.low) / 2
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
