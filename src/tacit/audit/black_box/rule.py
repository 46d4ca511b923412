"""A rule that guesses: which answers it takes for the first world, which for the second, and on which it abstains."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.audit.black_box.bounds import Counts
from tacit.audit.black_box.matrix import Matrix
from tacit.audit.black_box.score import Labels, Score, Scores
from tacit.frozen import frozen

_CUTS = 96


@frozen
class Claimed:
    """What is claimed at one δ."""

    delta: float
    epsilon: float


@frozen(eq=False)
class Rule:
    """Guess the first world where the score is at least `above`, the second where it is at most `below`."""

    score: Score
    above: float
    below: float
    claimed: Claimed
    excess: float = -math.inf
    """By how much the bound of ε is expected to lie above what is claimed."""

    @property
    def as_first(self) -> bool:
        return self.above < math.inf

    def count(self, rows: Matrix, labels: Labels) -> Counts:
        """How it guesses on labelled rows."""
        scores, first = self.score.of(rows), labels > 0.5
        high, low = scores >= self.above, scores <= self.below
        firsts = int(first.sum())
        as_first, as_second = int((high & first).sum()), int((low & first).sum())
        return Counts(
            as_first, int(high.sum()) - as_first, as_second, int(low.sum()) - as_second, firsts, len(first) - firsts
        )


def best_rule(
    scored: Iterable[tuple[Score, Scores]], labels: Labels, claims: Sequence[Claimed], fresh: float, alarm_rate: float
) -> Rule:
    """The rule whose bound on `fresh` times as many new answers promises to exceed its claim by most.

    What is seen here is taken one standard error worse than it looks, for it was chosen for looking well.
    """
    return max(
        (
            _best_cuts(score, scores, labels, claimed, fresh, NormalDist().inv_cdf(1 - alarm_rate))
            for score, scores in scored
            for claimed in claims
        ),
        key=lambda rule: rule.excess,
    )


def _best_cuts(score: Score, scores: Scores, labels: Labels, claimed: Claimed, fresh: float, strict: float) -> Rule:
    cuts = np.unique(scores)
    if len(cuts) > _CUTS:
        shares = np.concatenate([np.geomspace(1e-5, 0.5, _CUTS // 2), 1 - np.geomspace(1e-5, 0.5, _CUTS // 2)])
        cuts = np.unique(np.quantile(scores, shares, method="nearest"))
    code = np.searchsorted(cuts, scores, side="right")  # how many cuts are at most the score
    ends = np.searchsorted(cuts, scores, side="left")  # how many are below it
    first, second = labels, 1 - labels
    up = [np.cumsum(np.bincount(code, part, len(cuts) + 1)[::-1])[::-1][1:] for part in (first, second)]
    down = [np.cumsum(np.bincount(ends, part, len(cuts) + 1))[: len(cuts)] for part in (second, first)]
    trials = first.sum(), second.sum()
    if claimed.delta > 0:
        return max(
            _one_sided(score, cuts, up, trials, claimed, fresh, strict, True),
            _one_sided(score, cuts, down, trials[::-1], claimed, fresh, strict, False),
            key=lambda rule: rule.excess,
        )
    none = np.zeros(1)
    right = np.concatenate([up[0], none])[:, None] + np.concatenate([none, down[0]])[None, :]
    wrong = np.concatenate([up[1], none])[:, None] + np.concatenate([none, down[1]])[None, :]
    apart = np.concatenate([cuts, [np.inf]])[:, None] > np.concatenate([[-np.inf], cuts])[None, :]
    noise = np.sqrt(1 / (right + 0.5) + 1 / (wrong + 0.5))
    bound = np.log((right + 0.5) / (wrong + 0.5)) - (1 + strict / math.sqrt(fresh)) * noise
    bound = np.where(apart & (right + wrong >= 10), bound, -np.inf)
    high, low = np.unravel_index(int(bound.argmax()), bound.shape)
    above = float(cuts[high]) if high < len(cuts) else math.inf
    below = float(cuts[low - 1]) if low else -math.inf
    return Rule(score, above, below, claimed, float(bound[high, low]) - claimed.epsilon)


def _one_sided(
    score: Score,
    cuts: NDArray[np.float64],
    hits: Sequence[NDArray[Any]],
    trials: tuple[float, float],
    claimed: Claimed,
    fresh: float,
    strict: float,
    as_first: bool,
) -> Rule:
    p, q = (hits[0] + 0.5) / (trials[0] + 1), (hits[1] + 0.5) / (trials[1] + 1)
    over = np.maximum(p - claimed.delta, 1e-300)
    noise = np.sqrt(p * (1 - p) / trials[0]) / over, np.sqrt((1 - q) / (q * trials[1]))
    bound = np.log(over / q) - np.hypot(*noise) - (noise[0] + noise[1]) * strict / math.sqrt(fresh)
    bound = np.where((p > claimed.delta) & (hits[0] >= 10), bound, -np.inf)
    at = int(bound.argmax())
    above, below = (float(cuts[at]), -math.inf) if as_first else (math.inf, float(cuts[at]))
    return Rule(score, above, below, claimed, float(bound[at]) - claimed.epsilon)
