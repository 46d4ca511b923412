"""How many answers of each world lie beyond the cuts of a score: all that the choice of a rule needs to know."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tacit.audit.black_box.score import Labels, Scores
from tacit.frozen import frozen

_CUTS = 96

Both: TypeAlias = tuple[NDArray[Any], NDArray[Any]]
"""Counts at every cut, of the first world and of the second."""


@frozen(eq=False)
class Tallied:
    """Answers at or beyond each of some cuts of a score, from above and from below."""

    cuts: NDArray[np.float64]
    above: Both
    below: Both
    trials: tuple[int, int]

    @classmethod
    def of(cls, scores: Scores, labels: Labels) -> Tallied:
        """Cut at every score where they are few, otherwise ever more finely towards both ends."""
        cuts = np.unique(scores)
        if len(cuts) > _CUTS:
            shares = np.geomspace(1e-5, 0.5, _CUTS // 2)
            cuts = np.unique(np.quantile(scores, [*shares, *(1 - shares)], method="nearest"))
        return cls(cuts, *_counted(cuts, scores, labels))

    def more(self, scores: Scores, labels: Labels) -> Tallied:
        """With further answers, at the same cuts."""
        above, below, trials = _counted(self.cuts, scores, labels)
        return replace(
            self,
            above=(self.above[0] + above[0], self.above[1] + above[1]),
            below=(self.below[0] + below[0], self.below[1] + below[1]),
            trials=(self.trials[0] + trials[0], self.trials[1] + trials[1]),
        )


def _counted(cuts: NDArray[np.float64], scores: Scores, labels: Labels) -> tuple[Both, Both, tuple[int, int]]:
    size = len(cuts)
    most = np.searchsorted(cuts, scores, side="right")  # how many cuts are at most the score
    less = np.searchsorted(cuts, scores, side="left")  # how many are below it
    parts = labels, 1 - labels
    above = [np.cumsum(np.bincount(most, part, size + 1)[::-1])[::-1][1:] for part in parts]
    below = [np.cumsum(np.bincount(less, part, size + 1))[:size] for part in parts]
    firsts = int(labels.sum())
    return (above[0], above[1]), (below[0], below[1]), (firsts, len(labels) - firsts)
