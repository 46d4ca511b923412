"""The numbered points of a projective space over a finite field, and counts of products with reported points.

For each option, the reported points that have a given product with it are counted by a Fourier transform, or by
solving.
"""

from __future__ import annotations

from cmath import exp, pi
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.local.frequencies.finite_field import Field
from tacit.local.frequencies.hadamard import walsh
from tacit.noise.bits import Integers


@frozen
class Points:
    """Vectors up to a factor: each point has one vector whose last coordinate other than 0 is 1.

    Points whose last such coordinate is the jth come after all with an earlier one, in the order of the number that
    their coordinates before it make in base q. Many points are an array with one line a coordinate.
    """

    field: Field
    coordinates: int

    @property
    def count(self) -> int:
        return int(self._begins[-1])

    @cached_property
    def _begins(self) -> Integers:
        """The number of the first point whose last coordinate other than 0 is the jth, for each j, and of all."""
        q = self.field.order
        return np.array([(q**place - 1) // (q - 1) for place in range(self.coordinates + 1)], np.int64)

    def coordinates_of(self, numbers: Integers) -> Integers:
        """The vectors of these points."""
        last = np.searchsorted(self._begins, numbers, side="right") - 1
        code = numbers - self._begins[last] + self.field.order**last
        return self.digits(code, self.coordinates)

    def digits(self, numbers: Integers, count: int) -> Integers:
        """The lowest digits of each number in base q, the lowest first: one line a digit."""
        digits: Integers = numbers // self.field.order ** np.arange(count)[:, None] % self.field.order
        return digits

    def options(self, answers: Integers) -> Integers:
        """The vectors that stand for options: 1, and the option's digits."""
        return np.concatenate([np.ones((1, answers.size), np.int64), self.digits(answers, self.coordinates - 1)])

    def number_of(self, vectors: Integers) -> Integers:
        """The points of these vectors, none of which is 0."""
        last = self.coordinates - 1 - np.argmax(vectors[::-1] != 0, axis=0)
        inverse = self.field.inverses[np.take_along_axis(vectors, last[None], axis=0)[0]]
        code = np.zeros(vectors.shape[1], np.int64)
        for place in range(self.coordinates):
            code += self.field.multiply(vectors[place], inverse) * self.field.order**place
        numbers: Integers = code - self.field.order**last + self._begins[last]
        return numbers

    def product(self, left: Integers, right: Integers) -> Integers:
        """⟨left, right⟩, vector by vector."""
        total = self.field.multiply(left[0], right[0])
        for one, other in zip(left[1:], right[1:], strict=True):
            total = self.field.add(total, self.field.multiply(one, other))
        return total


def digits_for(options: int, order: int) -> int:
    """The number of digits in this base that distinguishes so many options."""
    digits = 1
    while order**digits < options:
        digits += 1
    return digits


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
        """The number of low digits that a transform decides."""
        low = 1
        while low + 1 < self.points.coordinates and self._order ** (low + 2) <= _CELLS:
            low += 1
        return low

    def _turns(self, low: int) -> int:
        """The number of values of the digits above so many low ones."""
        turns: int = -(-self.options // self._order**low)
        return turns

    def steps(self, reports: int) -> int:
        """The approximate number of elementary steps to decode so many different reports."""
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
