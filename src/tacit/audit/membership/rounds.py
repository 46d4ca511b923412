"""The rounds of a membership game: the truth, the scores of the attack, and the bounds that its success proves.

A success proves a lower bound of ε, at a δ, with a stated confidence. The picture of an attack has logarithmic axes:
members found with certainty matter most.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import cycle
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.errors import Refused
from tacit.exact import Number, nonnegative, probability, proper, whole
from tacit.frozen import frozen


@frozen
class EpsilonBound:
    """With this confidence the mechanism is not (ε′, δ)-private for any ε′ below `epsilon`."""

    epsilon: float
    delta: float
    confidence: float
    how: str
    """The evidence, in words."""

    def contradicts(self, epsilon: float) -> bool:
        """Whether it refutes a claim of ε at this δ."""
        return self.epsilon > epsilon

    def describe(self) -> str:
        at = f" at δ = {self.delta:g}" if self.delta else ""
        return f"ε ≥ {self.epsilon:.3g}{at} with {self.confidence:.4g} confidence ({self.how})."

    def __str__(self) -> str:
        return self.describe()


def bound_from_rates(
    hits: int, members: int, alarms: int, others: int, delta: Number = 0, confidence: Number = "0.95"
) -> EpsilonBound:
    """From a test fixed beforehand: so many hits among members, so many false alarms among others.

    Claim: for independent rounds against an (ε, δ)-private mechanism the bound is above ε with probability at most
    1 − confidence. Proof: TPR ≤ e^ε·FPR + δ and TNR ≤ e^ε·FNR + δ. Both need TPR from below and FPR from above, for
    TNR and FNR are what is left of one; each of these two ends is wrong with at most half of the chance
    (Clopper and Pearson).
    """
    level, slack = proper(confidence, "confidence"), float(probability(delta, "delta"))
    counts = [(whole(hits, "hits"), whole(members, "members")), (whole(alarms, "alarms"), whole(others, "others"))]
    if not all(0 <= count <= total for count, total in counts):
        raise Refused("more hits than rounds", "A rate is at most one.", "hits ≤ members and alarms ≤ others.")
    words = f"{hits:,} of {members:,} members found, {alarms:,} of {others:,} others taken for members"
    if not (members and others):
        return EpsilonBound(0.0, slack, float(level), words)
    miss = float(1 - level) / 2
    found = rate_at_least(hits, members, miss)
    alarm = 1 - rate_at_least(others - alarms, others, miss)
    ratios = ((found - slack, alarm), (1 - alarm - slack, 1 - found))
    best = max((math.log(top / bottom) for top, bottom in ratios if top > 0 and bottom > 0), default=0.0)
    return EpsilonBound(max(0.0, best), slack, float(level), words)


def rate_at_least(count: int, trials: int, miss: float) -> float:
    """The end of Clopper and Pearson from below: the true rate is less with probability at most `miss`.

    By SciPy's inverse of the beta law, moved outward by far more than its error; `clopper_pearson` certifies each end,
    at a hundred times the time, and a test holds this one against it.
    """
    from scipy.special import betaincinv

    return max(0.0, float(betaincinv(count, trials - count + 1, miss)) - 1e-9) if count else 0.0


Reals: TypeAlias = NDArray[np.float64]
Marks: TypeAlias = NDArray[np.bool_]


@frozen(eq=False)
class Played:
    """A score per round, higher where the attack believes "in"; and the truth."""

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
        """The share of rounds in which "in above the threshold" is right.

        Under (ε, δ) and a fair coin: at most (e^ε+δ)/(1+e^ε).
        """
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
        """The area under the curve: the probability that a member scores above a non-member (a tie is half).

        A blind guess has ½.
        """
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


_COLOURS = ("#31688e", "#d1495b", "#35b779", "#440154", "#b5a20b")
_ALARMS = 0.01


def draw_curves(
    path: Path, games: Mapping[str, Played], epsilon: Number | None = None, delta: Number = 0, least: float = 1e-4
) -> None:
    """Members found against false alarms; the region that no attack on an (ε, δ)-private release reaches is shaded.

    The title says how many of 100 members each game exposes where one of 100 others is taken for a member.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 5.2), layout="constrained")
    axes = figure.subplots()
    rates = np.logspace(np.log10(least), 0, 400)
    for colour, (name, played) in zip(cycle(_COLOURS), games.items(), strict=False):
        alarms, hits = played.curve()
        reached = hits[np.searchsorted(alarms, rates, side="right") - 1]
        axes.plot(rates, np.maximum(reached, least), color=colour, linewidth=2, label=name)
    axes.plot(rates, rates, color="grey", linestyle=":", linewidth=1, label="a blind guess")
    if epsilon is not None:
        level, slack = float(nonnegative(epsilon, "epsilon")), float(probability(delta, "delta"))
        most = np.minimum(np.exp(level) * rates + slack, 1 - np.exp(-level) * (1 - slack - rates))
        axes.fill_between(rates, np.clip(most, least, 1), 1, color="#d9d9d9", label=f"out of reach at ε = {level:g}")
    axes.set(xscale="log", yscale="log", xlim=(least, 1), ylim=(least, 1))
    axes.set(xlabel="others taken for members", ylabel="members found", aspect="equal")
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=9, loc="lower right")
    axes.set_title(_conclusion(games), fontsize=12)
    figure.savefig(path, dpi=150)


def _conclusion(games: Mapping[str, Played]) -> str:
    (first, bare), *others = games.items()
    rest = "".join(f",\n{round(100 * played.found(_ALARMS))} by {name}" for name, played in others)
    head = f"{round(100 * bare.found(_ALARMS))} of 100 members exposed by {first}"
    return f"{head}{rest}\n(1 of 100 others wrongly taken for one)"
