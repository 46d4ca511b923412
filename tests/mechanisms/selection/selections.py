"""All small score vectors and all their neighbours, for the tests of every selection."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

import numpy as np
from tests.divergence import Law

from tacit.mechanisms.selection.candidates import Selection

Scores = tuple[int, ...]


def neighbours(size: int, heights: int, monotonic: bool) -> Iterator[tuple[Scores, Scores]]:
    """Each score moves by at most 1; all in one direction if monotonic (the check looks at both orders of a pair)."""
    for scores in product(range(heights), repeat=size):
        for move in product((0, 1) if monotonic else (-1, 0, 1), repeat=size):
            yield scores, tuple(score + step for score, step in zip(scores, move, strict=True))


def law_pairs(mechanism: Selection, heights: int = 3) -> Iterator[tuple[Law, Law]]:
    """The exact laws of all neighbours."""

    @cache
    def law(scores: Scores) -> Law:
        return {index: float(mass) for index, mass in enumerate(mechanism.probabilities(np.array(scores)))}

    for one, other in neighbours(mechanism.size, heights, mechanism.monotonic):
        yield law(one), law(other)


def largest_loss(mechanism: Selection) -> float:
    """The largest log-ratio over all neighbours, both ways round."""
    return max(abs(np.log(p[output] / q[output])) for p, q in law_pairs(mechanism) for output in p)


def worst_lag_probability(mechanism: Selection, lag: int, heights: int) -> float:
    """The largest probability, over all score vectors below `heights`, of a choice `lag` or more behind the best."""
    worst = 0.0
    for scores in product(range(heights), repeat=mechanism.size):
        masses = mechanism.probabilities(np.array(scores))
        behind = sum(float(mass) for mass, score in zip(masses, scores, strict=True) if max(scores) - score >= lag)
        worst = max(worst, behind)
    return worst
