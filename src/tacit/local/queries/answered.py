"""Statistical queries to whoever gives private answers with intervals: a curator, say."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isfinite
from typing import TypeAlias

from tacit.errors import Failed, Refused
from tacit.exact import Number, exact
from tacit.local.queries.oracle import Oracle, Query

Answering: TypeAlias = Callable[[Query, Fraction], tuple[float, float]]
Expecting: TypeAlias = Callable[[Query, Fraction], float]


class AnsweredOracle(Oracle):
    """STAT(τ) over a function that gives the interval of a query's mean at a confidence, privately.

    Claim: as for any `Oracle`, if each interval holds the population's mean with the confidence it was asked for,
    whatever was answered before; the population is the one that the intervals speak of, such as a curator's data.
    Proof: the middle of an interval no wider than 2τ is within τ of all it holds.
    The loss is that of the intervals, charged by whoever gives them.

    `expected` says how far off the middle will be, without touching data, so that a query that cannot be answered to
    within τ is refused before it is paid for.
    """

    def __init__(
        self, answering: Answering, expected: Expecting, tolerance: Number, queries: int, miss: Number = "0.05"
    ) -> None:
        super().__init__(tolerance, queries, miss)
        self._answering = answering
        self._expected = expected

    def ask(self, query: Query) -> float:
        if not exact(self._expected(query, self.confidence), "expected") <= self.tolerance:
            raise Refused(
                f"a query to within {float(self.tolerance):g}",
                "The answer would be farther off.",
                "a larger tolerance, fewer queries, or more budget for each.",
            )
        return super().ask(query)

    def _answer(self, query: Query) -> float:
        low, high = self._answering(query, self.confidence)
        if not (isfinite(low) and isfinite(high) and exact(high, "high") - exact(low, "low") <= 2 * self.tolerance):
            raise Failed
        return (low + high) / 2
