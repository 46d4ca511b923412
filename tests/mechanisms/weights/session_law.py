"""The exact law of an online session: each way it can go, and how likely that is, for questions chosen on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
from numpy.typing import NDArray
from tests.divergence import Law

from tacit.loss.families.loss import Relation
from tacit.mechanisms.weights.hypothesis import Cells
from tacit.mechanisms.weights.online_weights import OnlineWeights

Histogram = NDArray[np.int64]
Output = tuple[tuple[bool, int], ...]
Adversary = Callable[[Output], Cells]
SIZES = (3,)


def neighbours(relation: Relation, histograms: Sequence[Sequence[int]]) -> Iterator[tuple[Histogram, Histogram]]:
    """One person comes to any cell; or goes from any cell to any other."""
    for cells in histograms:
        for entered, left in product(range(3), (None,) if relation is Relation.ADD_REMOVE else range(3)):
            other = list(cells)
            other[entered] += 1
            if left is not None:
                other[left] -= 1
            if min(other) >= 0 and other != list(cells):
                yield np.array(cells), np.array(other)


def session_law(
    mechanism: OnlineWeights,
    histogram: Histogram,
    adversary: Adversary,
    questions: int,
    numbers: range,
    *,
    is_exact: bool = False,
) -> Law:
    """Outputs (the number of people where it is measured, then whether each answer is a surprise, and what it is).

    `is_exact` is a broken twin: the hypothesis is corrected by the true count.
    """
    mass = mechanism.noise.law.mass
    found: dict[Output, float] = {}

    def ask(output: Output, chance: float, state: object, run: tuple[int, ...], asked: int, left: int) -> None:
        hypothesis = state
        noes = (False,) * len(run)
        if asked == questions:
            found[output] = chance * mechanism.comparison.probability(run, noes)
            return
        cells = adversary(output)
        guess, count = hypothesis.count(cells), int(histogram[cells].sum())
        if not left:
            ask((*output, (False, guess)), chance, hypothesis, (), asked + 1, 0)
            return
        distances = (*run, abs(count - guess))
        ask((*output, (False, guess)), chance, hypothesis, distances, asked + 1, left)
        is_surprise = mechanism.comparison.probability(distances, (*noes, True))
        for number in numbers:
            told = count if is_exact else number
            after = hypothesis.corrected(cells, told, mechanism.alarm / 2, mechanism.slack)
            share = chance * is_surprise * float(mass(number - count))
            ask((*output, (True, number)), share, after, (), asked + 1, left - 1)

    if mechanism.people is not None:
        ask((), 1.0, mechanism.begun(None), (), 0, mechanism.updates)
    else:
        for people in numbers:
            chance = float(mass(people - int(histogram.sum())))
            ask(((True, people),), chance, mechanism.begun(people), (), 0, mechanism.updates)
    return found


def fainter(mechanism: OnlineWeights) -> OnlineWeights:
    """Half the noise in comparisons."""
    return replace(mechanism, surprise=mechanism.surprise * 2)
