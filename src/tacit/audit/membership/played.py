"""The rounds of a membership game as they ended: who was in, and how the attack scored each."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.audit.membership.bound import EpsilonBound, bound_from_rates
from tacit.errors import Refused
from tacit.exact import Number, probability, proper
from tacit.frozen import frozen

Reals: TypeAlias = NDArray[np.float64]
Marks: TypeAlias = NDArray[np.bool_]


@frozen(eq=False)
class Played:
    """A score a round, higher where the attack leans to "in"; and the truth."""

    members: Marks
    scores: Reals

    @classmethod
    def of(cls, members: ArrayLike, scores: ArrayLike) -> Played:
        truth, leanings = np.asarray(members, dtype=np.bool_), np.asarray(scores, dtype=np.float64)
        if not (truth.ndim == 1 and truth.shape == leanings.shape and truth.any() and not truth.all()):
            raise Refused(
                "rounds of a game", "Each needs a truth and a score, and both worlds must occur.", "two lists."
            )
        if np.isnan(leanings).any():
            raise Refused("a score that is no number", "It cannot be compared.", "finite scores, or ±inf.")
        return cls(truth, leanings)

    @property
    def inside(self) -> Reals:
        return self.scores[self.members]

    @property
    def outside(self) -> Reals:
        return self.scores[~self.members]

    def accuracy(self, threshold: float = 0.0) -> float:
        """How often "in above the threshold" is right. Under (ε, δ) and a fair coin: at most (e^ε+δ)/(1+e^ε)."""
        return float(np.mean((self.scores > threshold) == self.members))

    def found(self, false_alarms: Number) -> float:
        """The share of members found by the lowest threshold whose false-alarm rate is at most this."""
        most = float(probability(false_alarms, "false_alarms"))
        alarms, hits = self.curve()
        return float(hits[alarms <= most].max())

    def curve(self) -> tuple[Reals, Reals]:
        """All (false alarms, hits) of thresholds, from (0, 0) to (1, 1)."""
        cuts = np.unique(self.scores)[::-1]
        alarms = 1 - np.searchsorted(np.sort(self.outside), cuts) / self.outside.size
        hits = 1 - np.searchsorted(np.sort(self.inside), cuts) / self.inside.size
        return np.concatenate([[0.0], alarms]), np.concatenate([[0.0], hits])

    def area(self) -> float:
        """The area under the curve: how often a member scores above another (a tie is half); a blind guess has ½."""
        alarms, hits = self.curve()
        return float(np.sum(np.diff(alarms) * (hits[1:] + hits[:-1])) / 2)

    def bound(self, delta: Number = 0, confidence: Number = "0.95") -> EpsilonBound:
        """The ε that the game proves: the threshold is chosen on every other round and judged on the rest.

        It holds for independent rounds, as `Game.play` makes them. The many people of one trained model are not
        independent: use `one_run`.
        """
        chooser, judge = self._part(0), self._part(1)
        if chooser is None or judge is None:
            return bound_from_rates(0, 0, 0, 0, delta, confidence)
        cut = _best_cut(chooser, float(probability(delta, "delta")), float(1 - proper(confidence, "confidence")))
        hits, alarms = int(np.sum(judge.inside >= cut)), int(np.sum(judge.outside >= cut))
        return bound_from_rates(hits, judge.inside.size, alarms, judge.outside.size, delta, confidence)

    def _part(self, start: int) -> Played | None:
        members, scores = self.members[start::2], self.scores[start::2]
        return Played(members, scores) if members.any() and not members.all() else None

    def describe(self) -> str:
        finds = ", ".join(f"{self.found(rate):.1%} at {rate:.1%}" for rate in (0.1, 0.01, 0.001))
        return (
            f"{self.scores.size:,} rounds: area {self.area():.3f} (a blind guess: 0.5). "
            f"Members found, at a rate of false alarms: {finds}."
        )

    def __str__(self) -> str:
        return self.describe()


def _best_cut(rounds: Played, delta: float, miss: float) -> float:
    """The threshold with the highest bound on these rounds."""
    from scipy.stats import beta

    cuts = np.unique(np.quantile(rounds.scores, np.linspace(0, 1, 401), method="nearest"))
    inside, outside = rounds.inside.size, rounds.outside.size
    hits = inside - np.searchsorted(np.sort(rounds.inside), cuts)
    alarms = outside - np.searchsorted(np.sort(rounds.outside), cuts)
    found = np.where(hits > 0, beta.ppf(miss / 2, np.maximum(hits, 1), inside - hits + 1), 0.0)
    alarm = np.where(alarms < outside, beta.ppf(1 - miss / 2, alarms + 1, np.maximum(outside - alarms, 1)), 1.0)
    tiny = np.finfo(np.float64).tiny
    ratios = np.maximum((found - delta) / np.maximum(alarm, tiny), (1 - alarm - delta) / np.maximum(1 - found, tiny))
    return float(cuts[int(np.argmax(ratios))])
