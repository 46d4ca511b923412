"""How often each option is orthogonal to the reported points: by a Fourier transform, or by solving."""

from __future__ import annotations

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
    """Counts, for every option v, the reported points y with ⟨v, y⟩ = 0. An option's point is (1, its digits).

    Its high digits are fixed in turn, and folded into the first coordinate. Then either the low digits are all decided
    at once: the number of y with ⟨v, y⟩ = 0 is the mean over s in the field of Σ_y χ(s⟨v, y⟩), χ a character, and those
    sums are the values at s·v of one Fourier transform of the table of points. Or the lowest digit is solved for, point
    by point: cheaper where the field is large and the reports are few.
    """

    points: Points
    options: int

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

    def steps(self, points: int) -> int:
        """About how many elementary steps it takes to decode so many different points."""
        return min(self._transform_steps(points), self._solve_steps(points))

    def _transform_steps(self, points: int) -> int:
        cells: int = self._order ** (self._low + 1)
        return self._turns(self._low) * (4 * points + 16 * cells)

    def _solve_steps(self, points: int) -> int:
        return self._turns(1) * 8 * points

    def support(self, numbers: Integers, counts: Integers) -> Integers:
        """For each option, the sum of the counts of the points that are orthogonal to it."""
        vectors = self.points.coordinates_of(numbers)
        does_transform = self._transform_steps(numbers.size) <= self._solve_steps(numbers.size)
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
        total = np.zeros(size // self._order, sums.dtype)
        for factor in range(self._order):
            place = np.array([field.duals[factor]])
            line = field.duals[field.multiply(np.array(factor), digits)]
            for coordinate in range(1, len(vectors)):
                place = (line[:, None] * self._order**coordinate + place).reshape(-1)
            total += sums[place]
        return np.rint(total / self._order).astype(np.int64)

    def _sums(self, table: Integers) -> Integers | NDArray[np.float64]:
        """The transform over the digits in base p; imaginary parts cancel in what it is used for."""
        field = self.points.field
        if field.prime == 2:
            return walsh(table)
        from scipy.fft import fftn  # heavy

        axes = round(np.log(table.size) / np.log(field.prime))
        found: NDArray[np.float64] = fftn(table.reshape((field.prime,) * axes).astype(float)).real.reshape(-1)
        return found

    def _solve(self, vectors: Integers, counts: Integers) -> Integers:
        """first + digit·second = 0: one digit where second ≠ 0; every digit where both are 0; else none."""
        field, (first, second) = self.points.field, vectors
        solvable = second != 0
        digit = field.multiply(field.negatives[first], field.inverses[second])
        found = np.bincount(digit[solvable], weights=counts[solvable], minlength=self._order).astype(np.int64)
        every: Integers = found + counts[~solvable & (first == 0)].sum()
        return every
