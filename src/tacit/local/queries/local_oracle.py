"""Statistical queries to people who trust nobody: each reports once, on one query (003, 7.35)."""

from __future__ import annotations

from tacit.errors import Refused
from tacit.exact import Number, positive, proper, whole
from tacit.local.means.mean import people_needed
from tacit.local.means.optimal import best_mean
from tacit.local.queries.oracle import Oracle, Query
from tacit.local.queries.panel import Panel
from tacit.loss.families.approx import Pure


class LocalOracle(Oracle):
    """STAT(τ) over local reports: each query is put to people who were not asked before.

    Claim, for the replacement of one person's value: all that is ever sent is ε-private. Proof: each person sends one
    ε-private report, on a query that depends on other people's reports only.

    Claim: as for any `Oracle`, for people drawn independently from the population. Proof: a batch of people is
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
        """What the whole costs each person."""
        return self.response.loss

    def _answer(self, query: Query) -> float:
        start = (self.asked - 1) * self.batch
        reports = self._panel.reports(range(start, start + self.batch), query, self.response)
        return max(-1.0, min(1.0, self.response.estimate(reports).value))


def people_for(epsilon: Number, tolerance: Number, queries: int, miss: Number = "0.05") -> int:
    """How many people a local oracle needs: T times the people whose mean is within τ with confidence 1 − β/T.

    At most T·⌈(2v/τ² + 2b/3τ)·ln(2T/β)⌉ by Bernstein's bound, with v the largest mean square of a report and b its
    reach + 1; for τ ≤ 1 and ε ≤ 8 that is at most T·⌈13·ln(2T/β)/(min(1, ε)²τ²)⌉. (003 leaves the logarithm out.)
    """
    times, sure = whole(queries, "queries", 1), 1 - proper(miss, "miss") / whole(queries, "queries", 1)
    return times * people_needed(best_mean(epsilon), positive(tolerance, "tolerance"), sure)
