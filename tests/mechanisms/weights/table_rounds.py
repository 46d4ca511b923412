"""The exact law of all that MWEM releases on a domain of two by two cells, summed the plain way; and all neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import exp

import numpy as np
from numpy.typing import NDArray
from tests.divergence import Law

from tacit.loss.families.loss import Relation
from tacit.mechanisms.weights.mwem import Measured, Mwem, TableRound

Histogram = NDArray[np.int64]
SIZES, TABLES = (2, 2), ((0,), (1,))
MOST = 4  # the most people of a histogram


def neighbours(relation: Relation, histograms: list[list[int]]) -> Iterator[tuple[Histogram, Histogram]]:
    """One person is added to any cell; or moves from any cell that has one to any other."""
    for cells in histograms:
        for entered, left in product(range(4), (None,) if relation is Relation.ADD_REMOVE else range(4)):
            other = list(cells)
            other[entered] += 1
            if left is not None:
                other[left] -= 1
            if min(other) >= 0 and other != cells:
                yield np.array(cells).reshape(SIZES), np.array(other).reshape(SIZES)


class RoundLaws:
    """Laws of one mechanism; the hypothesis after the same release is made once for all histograms."""

    def __init__(self, mechanism: Mwem, reach: int, *, rate: float | None = None) -> None:
        self._mechanism, self._reach = mechanism, reach
        self._rate = float(mechanism.selection) / (2 * mechanism.shift) if rate is None else rate
        self._known: dict[object, Measured] = {}

    def law(self, histogram: Histogram) -> Law:
        """Outputs (number of people, then for each round the table and its two cells) and their probabilities."""
        mechanism, seen = self._mechanism, range(-self._reach, MOST + self._reach + 1)
        mass = {noise: float(mechanism.noise.law.mass(noise)) for noise in range(seen[0] - MOST, seen[-1] + 1)}
        found: dict[tuple[int, ...], float] = {(): 1.0}
        if mechanism.people is None:
            found = {(people,): mass[people - int(histogram.sum())] for people in seen}
        for _ in range(mechanism.rounds):
            longer: dict[tuple[int, ...], float] = {}
            for output, chance in found.items():
                for table, share in enumerate(self._choice(histogram, output)):
                    first, second = (int(count) for count in histogram.sum(axis=1 - table))
                    for one, two in product(seen, repeat=2):
                        longer[*output, table, one, two] = chance * share * mass[one - first] * mass[two - second]
            found = longer
        return found

    def _choice(self, histogram: Histogram, output: tuple[int, ...]) -> list[float]:
        """∝ e^(rate·Σ|cell − guess|): the two tables have as many cells, so that what noise adds cancels."""
        guesses = np.rint(self._mechanism.hypothesis(self._measured(output)).tables(TABLES))
        scores = [float(np.abs(histogram.sum(axis=1 - table) - guesses[table]).sum()) for table in (0, 1)]
        weights = [exp(self._rate * (score - max(scores))) for score in scores]
        return [weight / sum(weights) for weight in weights]

    def _measured(self, output: tuple[int, ...]) -> Measured:
        if output not in self._known:
            people, rounds = (output[0], output[1:]) if self._mechanism.people is None else (None, output)
            each = [rounds[start : start + 3] for start in range(0, len(rounds), 3)]
            self._known[output] = Measured(people, tuple(TableRound(one[0], np.array(one[1:])) for one in each))
        return self._known[output]


def output_of(measured: Measured) -> tuple[int, ...]:
    """The same as one tuple."""
    people = () if measured.people is None else (measured.people,)
    return (*people, *(number for each in measured.rounds for number in (each.table, *map(int, each.noisy))))
