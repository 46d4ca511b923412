"""Members that an attack finds at a rate of false alarms, with intervals by Clopper and Pearson."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.audit.membership.rounds import Played, rate_at_least
from tacit.exact import Number, probability, proper
from tacit.frozen import frozen


@frozen
class Rate:
    """A count of independent trials, and the interval of the rate behind it."""

    count: int
    trials: int

    @property
    def value(self) -> float:
        return self.count / self.trials

    def interval(self, confidence: Number = "0.95") -> tuple[float, float]:
        """The exact interval (Clopper and Pearson 1934).

        Claim: for independent trials it misses their rate with probability at most 1 − confidence. Proof: each end is
        the rate at which a count as extreme has half of that probability.
        """
        miss = float(1 - proper(confidence, "confidence")) / 2
        return rate_at_least(self.count, self.trials, miss), 1 - rate_at_least(
            self.trials - self.count, self.trials, miss
        )

    def fields(self, confidence: Number) -> dict[str, Any]:
        low, high = self.interval(confidence)
        return {"count": self.count, "of": self.trials, "rate": self.value, "low": low, "high": high}

    def describe(self, noun: str, confidence: Number = "0.95") -> str:
        low, high = self.interval(confidence)
        return f"{self.count:,} of {self.trials:,} {noun} ({self.value:.1%}; {low:.1%} to {high:.1%})"


@frozen
class MembersFound:
    """Those who score above a threshold: of members, and of others, who are false alarms."""

    most_alarms: float
    hits: Rate
    alarms: Rate

    @property
    def of_a_hundred(self) -> int:
        """How many of 100 members are found."""
        return round(100 * self.hits.value)

    def fields(self, confidence: Number) -> dict[str, Any]:
        members, others = self.hits.fields(confidence), self.alarms.fields(confidence)
        return {"most_false_alarms": self.most_alarms, "members": members, "others": others}

    def describe(self, confidence: Number = "0.95") -> str:
        hits, alarms = self.hits.describe("members", confidence), self.alarms.describe("others", confidence)
        return f"at {100 * self.most_alarms:g}% false alarms {hits}, {alarms}"

    def __str__(self) -> str:
        return self.describe()


def find_members(played: Played, most_alarms: Number) -> MembersFound:
    """Who scores above the lowest threshold at which at most this share of others do.

    Claim: for independent rounds without ties each of the two intervals misses with probability at most 1 − confidence,
    though the threshold comes from these rounds. Proof: with k = ⌊share·m⌋ of m others, the threshold is the (k+1)-th
    highest score of others, so members are independent of it, and their count is binomial. The rate at which others
    score above it has the law Beta(k+1, m−k); the upper end is a quantile of that law, and the lower end one of
    Beta(k, m−k+1), which lies below.
    """
    most = float(probability(most_alarms, "most_alarms"))
    others = np.sort(played.outside)[::-1]
    allowed = int(np.floor(most * others.size + 1e-9))
    cut = others[allowed] if allowed < others.size else -np.inf
    hits, alarms = int(np.sum(played.inside > cut)), int(np.sum(others > cut))
    return MembersFound(most, Rate(hits, played.inside.size), Rate(alarms, others.size))
