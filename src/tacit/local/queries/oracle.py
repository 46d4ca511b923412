"""STAT(τ): an oracle that answers any average over a population, each to within a tolerance (Kearns 1998)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

from tacit.errors import Refused
from tacit.exact import Number, positive, proper, whole

Query: TypeAlias = Callable[[Any], float]


class Oracle(ABC):
    """Answers at most so many queries X → [−1, 1], each by a number within τ of the query's mean over the population.

    Claim, for each subclass: all answers are within τ at once with probability at least 1 − miss, even where each
    query was chosen after seeing the answers before it. Which number within τ is given may be the worst one: a learner
    that needs more than that does not learn from statistical queries.
    """

    def __init__(self, tolerance: Number, queries: int, miss: Number) -> None:
        self.tolerance = positive(tolerance, "tolerance")
        self.queries = whole(queries, "queries", 1)
        self.miss = proper(miss, "miss")
        self.asked = 0

    @property
    def confidence(self) -> Fraction:
        """That of each single answer: the misses of all add up to at most the whole one."""
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
