"""A guess rule: which answers it takes for the first data set, which for the second, and on which it abstains.

The choice of a rule needs only the number of answers about each data set beyond the cuts of a score.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from statistics import NormalDist
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tacit.audit.black_box.epsilon_bounds import GuessCounts
from tacit.audit.black_box.features import Matrix
from tacit.audit.black_box.scores import Labels, Score, Scores
from tacit.frozen import frozen

_CUTS = 96

Both: TypeAlias = tuple[NDArray[Any], NDArray[Any]]
"""Counts at every cut, of the first world and of the second."""


@frozen(eq=False)
class Tallied:
    """The numbers of answers at or beyond each cut of a score, from above and from below."""

    cuts: NDArray[np.float64]
    above: Both
    below: Both
    trials: tuple[int, int]

    @classmethod
    def of(cls, scores: Scores, labels: Labels) -> Tallied:
        """The tally with cuts at every score where there are few, otherwise more densely towards both ends."""
        cuts = np.unique(scores)
        if len(cuts) > _CUTS:
            shares = np.geomspace(1e-5, 0.5, _CUTS // 2)
            cuts = np.unique(np.quantile(scores, [*shares, *(1 - shares)], method="nearest"))
        return cls(cuts, *_counted(cuts, scores, labels))

    def more(self, scores: Scores, labels: Labels) -> Tallied:
        """The tally with further answers, at the same cuts."""
        above, below, trials = _counted(self.cuts, scores, labels)
        return replace(
            self,
            above=(self.above[0] + above[0], self.above[1] + above[1]),
            below=(self.below[0] + below[0], self.below[1] + below[1]),
            trials=(self.trials[0] + trials[0], self.trials[1] + trials[1]),
        )


def _counted(cuts: NDArray[np.float64], scores: Scores, labels: Labels) -> tuple[Both, Both, tuple[int, int]]:
    size = len(cuts)
    most = np.searchsorted(cuts, scores, side="right")  # the number of cuts that are at most the score
    less = np.searchsorted(cuts, scores, side="left")  # the number of cuts below it
    parts = labels, 1 - labels
    above = [np.cumsum(np.bincount(most, part, size + 1)[::-1])[::-1][1:] for part in parts]
    below = [np.cumsum(np.bincount(less, part, size + 1))[:size] for part in parts]
    firsts = int(labels.sum())
    return (above[0], above[1]), (below[0], below[1]), (firsts, len(labels) - firsts)


_FEWEST = 20  # the least number of answers that a rule guesses on


@frozen
class Claimed:
    """The claimed ε at one δ."""

    delta: float
    epsilon: float


@frozen
class Aim:
    """The aim of a rule: to contradict one of the claims with this many fresh answers, at this error probability."""

    claims: tuple[Claimed, ...]
    fresh: int
    alarm_rate: float

    def margin(self, tallied: Tallied) -> float:
        """The distance of a bound from the fresh answers below its estimate, in standard errors of the tally."""
        return NormalDist().inv_cdf(1 - self.alarm_rate) * math.sqrt(sum(tallied.trials) / self.fresh)


@frozen(eq=False)
class Rule:
    """Guess the first world where the score is at least `above`, the second where it is at most `below`."""

    score: Score
    above: float
    below: float
    claimed: Claimed
    excess: float = -math.inf
    """The expected excess of the bound of ε over the claim."""

    @property
    def as_first(self) -> bool:
        return self.above < math.inf

    def count(self, rows: Matrix, labels: Labels) -> GuessCounts:
        """The counts of its guesses on labelled rows."""
        scores, first = self.score.of(rows), labels > 0.5
        high, low = scores >= self.above, scores <= self.below
        firsts = int(first.sum())
        as_first, as_second = int((high & first).sum()), int((low & first).sum())
        return GuessCounts(
            as_first, int(high.sum()) - as_first, as_second, int(low.sum()) - as_second, firsts, len(first) - firsts
        )


def rules(score: Score, tallied: Tallied, aim: Aim, doubt: float) -> Iterator[Rule]:
    """The best cuts of a score for each claim.

    The best of many cuts is partly lucky: each cut is valued `doubt` standard errors worse than its estimate.
    """
    margin = aim.margin(tallied)
    for claimed in aim.claims:
        if claimed.delta > 0:
            yield _one_sided(score, tallied, claimed, doubt, margin, True)
            yield _one_sided(score, tallied, claimed, doubt, margin, False)
        else:
            yield _two_sided(score, tallied, claimed, doubt + margin)


def _two_sided(score: Score, tallied: Tallied, claimed: Claimed, errors: float) -> Rule:
    """Both sides of the score at once: every pair of cuts that do not cross."""
    cuts, none = tallied.cuts, np.zeros(1)
    (up_right, up_wrong), (down_wrong, down_right) = tallied.above, tallied.below
    right = np.concatenate([up_right, none])[:, None] + np.concatenate([none, down_right])[None, :] + 0.5
    wrong = np.concatenate([up_wrong, none])[:, None] + np.concatenate([none, down_wrong])[None, :] + 0.5
    apart = np.concatenate([cuts, [np.inf]])[:, None] > np.concatenate([[-np.inf], cuts])[None, :]
    bound = np.log(right / wrong) - errors * np.sqrt(1 / right + 1 / wrong)
    bound = np.where(apart & (right + wrong >= _FEWEST), bound, -np.inf)
    high, low = np.unravel_index(int(bound.argmax()), bound.shape)
    above = float(cuts[high]) if high < len(cuts) else math.inf
    below = float(cuts[low - 1]) if low else -math.inf
    return Rule(score, above, below, claimed, float(bound[high, low]) - claimed.epsilon)


def _one_sided(score: Score, tallied: Tallied, claimed: Claimed, doubt: float, margin: float, as_first: bool) -> Rule:
    """One set of answers, for a claim with a δ."""
    (hits, strays), (trials, others) = (
        (tallied.above, tallied.trials) if as_first else (tallied.below[::-1], tallied.trials[::-1])
    )
    bound = _one_bound(hits, strays, trials, others, claimed.delta, doubt, margin)
    at = int(bound.argmax())
    above, below = (float(tallied.cuts[at]), -math.inf) if as_first else (math.inf, float(tallied.cuts[at]))
    return Rule(score, above, below, claimed, float(bound[at]) - claimed.epsilon)


def _one_bound(
    hits: NDArray[Any], strays: NDArray[Any], trials: int, others: int, delta: float, doubt: float, margin: float
) -> NDArray[np.float64]:
    """ln((p − δ)/q) less so many standard errors; those of p and q add up, as their ends do."""
    p, q = (hits + 0.5) / (trials + 1), (strays + 0.5) / (others + 1)
    over = np.maximum(p - delta, 1e-300)
    noise = np.sqrt(p * (1 - p) / trials) / over, np.sqrt((1 - q) / (q * others))
    bound = np.log(over / q) - doubt * np.hypot(*noise) - margin * (noise[0] + noise[1])
    return np.where((p > delta) & (hits >= _FEWEST), bound, -np.inf)
