"""How often each option has a given product with the reported points: by a Fourier transform, or by solving."""

from __future__ import annotations

from cmath import exp, pi
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.local.frequencies.points import Points
from tacit.local.frequencies.walsh import walsh
from tacit.noise.bits import Integers

_CELLS = 1 << 23  # of a transform's table


@frozen
class Decoding:
    """Counts, for every option v, the reported y with ⟨v, y⟩ among the first `targets` elements; v is (1, its digits).

    The high digits are fixed in turn, and folded into the first coordinate. Then either the low digits are all decided
    at once: the number of y with ⟨v, y⟩ = c is the mean over s in the field of χ(−sc)·Σ_y χ(s⟨v, y⟩), χ a character,
    and those sums are the values at s·v of one Fourier transform of the table of reports. Or the lowest digit is solved
    for, report by report: cheaper where the field is large and the reports are few. More than one target needs a field
    of prime order.
    """

    points: Points
    options: int
    targets: int = 1

    @property
    def _order(self) -> int:
        return self.points.field.order

    @cached_property
    def _low(self) -> int:
        """How many low digits a transform decides."""
        low = 1
        while low + 1 < self.points.coordinates and self._order ** (low + 2) <= _CELLS:
            low += 1
        return low

    def _turns(self, low: int) -> int:
        """How many values the digits above so many low ones have."""
        turns: int = -(-self.options // self._order**low)
        return turns

    def steps(self, reports: int) -> int:
        """About how many elementary steps it takes to decode so many different reports."""
        return min(self._transform_steps(reports), self._solve_steps(reports))

    def _transform_steps(self, reports: int) -> int:
        cells: int = self._order ** (self._low + 1)
        return self._turns(self._low) * (4 * reports + 16 * cells)

    def _solve_steps(self, reports: int) -> int:
        return self._turns(1) * 8 * self.targets * reports

    def support(self, vectors: Integers, counts: Integers) -> Integers:
        """For each option, the sum of the counts of the vectors whose product with it is a target."""
        reports = counts.size
        does_transform = self._transform_steps(reports) <= self._solve_steps(reports)
        low = self._low if does_transform else 1
        decide = self._transform if does_transform else self._solve
        parts = [decide(self._folded(vectors, low, turn), counts) for turn in range(self._turns(low))]
        return np.concatenate(parts)[: self.options]

    def _folded(self, vectors: Integers, low: int, turn: int) -> Integers:
        """The first coordinates, the high ones multiplied by the digits of `turn` and added to the first."""
        field, first = self.points.field, vectors[0]
        for place in range(low + 1, self.points.coordinates):
            digit = np.array(turn // self._order ** (place - low - 1) % self._order)
            first = field.add(first, field.multiply(digit, vectors[place]))
        return np.concatenate([first[None], vectors[1 : low + 1]])

    def _transform(self, vectors: Integers, counts: Integers) -> Integers:
        field, size = self.points.field, self._order ** len(vectors)
        code = (vectors * self._order ** np.arange(len(vectors))[:, None]).sum(axis=0)
        sums = self._sums(np.bincount(code, weights=counts, minlength=size).astype(np.int64))
        digits = np.arange(self._order)
        total = np.zeros(size // self._order)
        for factor in range(self._order):
            place = np.array([field.duals[factor]])
            line = field.duals[field.multiply(np.array(factor), digits)]
            for coordinate in range(1, len(vectors)):
                place = (line[:, None] * self._order**coordinate + place).reshape(-1)
            total += (self._weight(factor) * sums[place]).real
        return np.rint(total / self._order).astype(np.int64)

    def _weight(self, factor: int) -> complex:
        """The sum of χ(factor·c) over the targets c; the transform has the opposite sign."""
        return sum(exp(2j * pi * factor * target / self.points.field.prime) for target in range(self.targets))

    def _sums(self, table: Integers) -> Integers | NDArray[np.complex128]:
        """The transform over the digits in base p."""
        field = self.points.field
        if field.prime == 2:
            return walsh(table)
        from scipy.fft import fftn  # heavy

        axes = field.degree * round(np.log(table.size) / np.log(field.order))
        found: NDArray[np.complex128] = fftn(table.reshape((field.prime,) * axes).astype(float)).reshape(-1)
        return found

    def _solve(self, vectors: Integers, counts: Integers) -> Integers:
        """first + digit·second = target: one digit where second ≠ 0; else every digit or none."""
        field, (first, second) = self.points.field, vectors
        solvable, opposite = second != 0, field.negatives[first]
        found = np.full(self._order, counts[~solvable & (first < self.targets)].sum(), np.int64)
        for target in range(self.targets):
            digit = field.multiply(field.add(np.array(target), opposite), field.inverses[second])[solvable]
            found += np.bincount(digit, weights=counts[solvable], minlength=self._order).astype(np.int64)
        return found
