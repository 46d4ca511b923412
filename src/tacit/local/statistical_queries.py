"""Statistical queries, STAT(τ): an oracle that answers any average over a population within a tolerance (Kearns 1998).

The answers come from local reports, where each person reports once, on one query; or from any source of private answers
with intervals, such as a curator.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isfinite
from typing import Any, Protocol, TypeAlias

import numpy as np

from tacit.errors import Failed, Refused
from tacit.exact import Number, exact, positive, proper, whole
from tacit.local.means.mean_estimate import people_needed
from tacit.local.means.mean_response import MeanResponse
from tacit.local.means.optimal_mean import best_mean
from tacit.loss.families.approx import Pure
from tacit.noise.bits import Integers, Rehearsal

Query: TypeAlias = Callable[[Any], float]


class QueryOracle(ABC):
    """Answers at most so many queries X → [−1, 1], each by a number within τ of the query's mean over the population.

    Claim, for each subclass: all answers are within τ at once with probability at least 1 − miss, even where each query
    was chosen after seeing the answers before it. The number within τ may be chosen adversarially: a learner that needs
    more does not learn from statistical queries.
    """

    def __init__(self, tolerance: Number, queries: int, miss: Number) -> None:
        self.tolerance = positive(tolerance, "tolerance")
        self.queries = whole(queries, "queries", 1)
        self.miss = proper(miss, "miss")
        self.asked = 0

    @property
    def confidence(self) -> Fraction:
        """The confidence of each single answer: the error probabilities of all add up to at most the total one."""
        return 1 - self.miss / self.queries

    def ask(self, query: Query) -> float:
        """The mean of a query, to within τ; refused when all queries have been asked."""
        if not self.asked < self.queries:
            raise Refused("another query", f"All {self.queries} have been asked.", "an oracle for more queries.")
        self.asked += 1
        return self._answer(query)

    @abstractmethod
    def _answer(self, query: Query) -> float:
        """The answer to the query that was just counted."""


Device: TypeAlias = Callable[[Query, MeanResponse], int]


class Panel(Protocol):
    """A protocol of people who each report on a query by a response."""

    @property
    def people(self) -> int: ...

    def reports(self, places: range, query: Query, response: MeanResponse) -> Integers: ...


class Devices:
    """People by their devices: each evaluates the query on its own value and sends only the report."""

    def __init__(self, devices: Sequence[Device]) -> None:
        self._devices = devices

    @property
    def people(self) -> int:
        return len(self._devices)

    def reports(self, places: range, query: Query, response: MeanResponse) -> Integers:
        return np.array([self._devices[place](query, response) for place in places], np.int64)


class Rehearsed:
    """People by their values, on seeded bits, for tests and simulations: not private. Queries take whole arrays."""

    def __init__(self, values: Any, bits: Rehearsal) -> None:
        if not isinstance(bits, Rehearsal):
            raise Refused(
                f"a rehearsal on {type(bits).__name__}",
                "A rehearsal is repeatable and must not look like a release.",
                "a Rehearsal source such as Seeded(1); or `Devices`.",
            )
        self._values = np.asarray(values)
        self._bits = bits

    @property
    def people(self) -> int:
        return len(self._values)

    def reports(self, places: range, query: Query, response: MeanResponse) -> Integers:
        found = np.broadcast_to(query(self._values[places.start : places.stop]), len(places))
        return response.rehearse(found, self._bits)


def device(value: Any) -> Device:
    """The device of a person with this value."""
    return lambda query, response: response.report(query(value))


class LocalOracle(QueryOracle):
    """STAT(τ) over local reports: each query goes to people who were not asked before.

    Claim, for the replacement of one person's value: everything sent is ε-private. Proof: each person sends one
    ε-private report, on a query that depends on other people's reports only.

    Claim: as for any `QueryOracle`, for people drawn independently from the population. Proof: a batch of people is
    independent of all earlier ones, and so of the query; Bennett's bound gives each batch its size.
    """

    def __init__(self, panel: Panel, epsilon: Number, tolerance: Number, queries: int, miss: Number = "0.05") -> None:
        super().__init__(tolerance, queries, miss)
        self.response = best_mean(epsilon)
        self.batch = people_needed(self.response, self.tolerance, self.confidence)
        self._panel = panel
        if not panel.people >= self.batch * self.queries:
            raise Refused(
                f"{self.queries} queries to within {float(self.tolerance):g} from {panel.people:,} people",
                f"Each query needs {self.batch:,} people who were not asked before.",
                f"{self.batch * self.queries:,} people, a larger tolerance, fewer queries, or a larger ε.",
            )

    @property
    def loss(self) -> Pure:
        """The loss of each person."""
        return self.response.loss

    def _answer(self, query: Query) -> float:
        start = (self.asked - 1) * self.batch
        reports = self._panel.reports(range(start, start + self.batch), query, self.response)
        return max(-1.0, min(1.0, self.response.estimate(reports).value))


def people_for(epsilon: Number, tolerance: Number, queries: int, miss: Number = "0.05") -> int:
    """The number of people for a local oracle: T times the people whose mean is within τ with confidence 1 − β/T.

    At most T·⌈(2v/τ² + 2b/3τ)·ln(2T/β)⌉ by Bernstein's bound, with v the largest mean square of a report and b its
    reach + 1; for τ ≤ 1 and ε ≤ 8 that is at most T·⌈13·ln(2T/β)/(min(1, ε)²τ²)⌉. (003 leaves the logarithm out.)
    """
    times, sure = whole(queries, "queries", 1), 1 - proper(miss, "miss") / whole(queries, "queries", 1)
    return times * people_needed(best_mean(epsilon), positive(tolerance, "tolerance"), sure)


Answering: TypeAlias = Callable[[Query, Fraction], tuple[float, float]]
Expecting: TypeAlias = Callable[[Query, Fraction], float]


class AnsweredOracle(QueryOracle):
    """STAT(τ) over a function that gives the interval of a query's mean at a confidence, privately.

    Claim: as for any `QueryOracle`, if each interval holds the population's mean with the confidence it was asked for,
    for any earlier answers; the population is that of the intervals, such as a curator's data.
    Proof: the middle of an interval no wider than 2τ is within τ of all it holds.
    The loss is that of the intervals, charged by their source.

    `expected` gives the error of the middle without reading data, so that a query that cannot be answered to
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
