"""Examples of an objective: each a bounded sum of rows, with scores and sums that are computed exactly.

A row with m features has m ones, and numbers of norm N at most; divided by √(m + N²) it has norm 1 at most.
Coefficients are whole numbers of steps of 2^-36 and numbers of 2^-12, so that a row's score is a whole number of their
products, and its sums of gradients are added as whole numbers too: what the computed gradient is off the exact one is
known beforehand, whatever the order.
"""

from __future__ import annotations

from functools import cached_property
from math import sqrt
from typing import Any, Final

import numpy as np
from scipy import sparse

from tacit.errors import Failed
from tacit.frozen import frozen
from tacit.learn.convex.losses import FARTHEST, RESIDUAL_ERROR, Floats, Integers
from tacit.learn.convex.number_rows import Numbers, column_sums, row_products
from tacit.learn.convex.row_matrix import RowMatrix
from tacit.learn.number_columns import NUMBER_STEPS

FINEST: Final = 36  # coefficients are multiples of 2^-36
MOST_ROWS: Final = 2**26
MOST_NUMBERS: Final = 4_096  # of coefficients: their second derivatives have its square
_HALF: Final = 20  # bits of each half of a gradient
_WEIGHTS: Final = 2**30
_LOW: Final = 28  # bits of the lower half of a score
_NUMBER_BITS: Final = 12  # of a number from 0 to 1


@frozen(eq=False)
class ExampleDesign:
    """Examples x with weights ω, each x the sum of a person's rows times shares that add up to 1 at most.

    Claim: ‖x‖₂ ≤ 1, and the weights of one person's examples add up to `rows_each` at most. What a person's examples
    are depends on that person's rows alone. Proof: rows have norm 1 at most, their numbers being cut to `longest` in
    whole numbers, and x is a convex combination of them, times 1 at most; ω is ⌊2^30·rows_each/held⌋/2^30 for a person
    with `held` examples, 1 at most.
    """

    columns: Integers  # rows × features
    example: Integers  # of each row, ascending
    share: Floats  # of each row in its example
    target: Integers
    weight: Floats
    width: int
    numbers: Numbers | None = None  # rows × columns
    longest: int = 0  # Σx² of a row of them, at most, in steps

    @property
    def features(self) -> int:
        return int(self.columns.shape[1])

    @property
    def norm(self) -> float:
        """√(m + N²), by which rows are divided."""
        return sqrt(self.features + self.longest / NUMBER_STEPS**2)

    def scores(self, steps: Integers) -> Floats:
        """x·w for each example, within a relative 2^-50, then cut to ±`FARTHEST`; w in steps, numbers × K.

        Several scores of an example are given below the largest of them, subtracted as whole numbers: a softmax knows
        differences alone, and cutting each score on its own would change them.
        """
        high, low = self._products(steps)
        if steps.shape[1] > 1:
            largest = (high * 2.0**_LOW + low).argmax(axis=1)[:, None]
            high = high - np.take_along_axis(high, largest, axis=1)
            low = low - np.take_along_axis(low, largest, axis=1)
        if not self._is_plain:
            high, low = (np.add.reduceat(each, self._begins) for each in (high, low))
        found = (high * 2.0**_LOW + low) * (2.0**-FINEST / (NUMBER_STEPS * self.norm))
        if not self._is_plain:
            found *= self.share[self._begins][:, None]
        return np.asarray(np.clip(found, -FARTHEST, FARTHEST))

    def sums(self, gradients: Floats) -> Floats:
        """Σω·g·x over examples, numbers × K, within `error`."""
        found = np.empty((self.width, gradients.shape[1]))
        for place in range(gradients.shape[1]):
            each = (gradients[:, place] * self.weight)[self.example] * self.share
            whole = np.rint(np.ldexp(each, 2 * _HALF)).astype(np.int64)
            high, low = whole >> _HALF, whole & (2**_HALF - 1)
            total = np.zeros(self._levels)
            for numbers, exponent in ((high, -_HALF), (low, -2 * _HALF)):
                added = sum(np.bincount(column, numbers, self._levels) for column in self.columns.T)
                total += np.ldexp(np.asarray(added, np.float64), exponent)
            found[: len(total), place] = total / self.norm
            if self.numbers is not None:
                both = column_sums(self.numbers, np.column_stack([high, low])).astype(np.float64)
                of_numbers = np.ldexp(both[:, 0], -_HALF) + np.ldexp(both[:, 1], -2 * _HALF)
                found[len(total) :, place] = of_numbers / (NUMBER_STEPS * self.norm)
        return found

    @property
    def error(self) -> float:
        """How far `sums` of computed gradients may be off the exact sums, in ℓ₂ norm, for each of K scores.

        A row's number is off by the gradient's error, half a step of 2^-40 and products within 2^-50; it is multiplied
        by a row of norm 1 at most. Sums of whole numbers below 2^26·2^20·64 are exact, and those of numbers, below
        2^58, in 64 bits.
        """
        return len(self.columns) * (RESIDUAL_ERROR + 2.0**-40)

    def products(self, parts: Floats) -> Floats:
        """Σ part·x·xᵀ over examples, for curvatures: no claim rests on it."""
        if self.numbers is None:
            return np.asarray((self.matrix.T @ self.matrix.multiply(parts[:, None]).tocsr()).toarray())
        return np.asarray(self.matrix.T @ (self.matrix * parts[:, None]))

    @cached_property
    def matrix(self) -> Any:
        """x by example: sparse, unless it has numbers."""
        many = self.features
        placed = np.repeat(self.example, many), self.columns.ravel()
        values = np.repeat(self.share, many) / self.norm
        matrix = sparse.csr_matrix((values, placed), (len(self.target), self._levels))
        if self.numbers is None:
            return matrix
        shares = sparse.csr_matrix((self.share, (self.example, np.arange(len(self.example)))))
        return np.hstack([matrix.toarray(), shares @ (self.numbers / (NUMBER_STEPS * self.norm))])

    def _products(self, steps: Integers) -> tuple[Integers, Integers]:
        """Each row's sum of coefficients, undivided, in steps of 2^-48: as two whole numbers, high·2^28 + low."""
        levels = np.stack([column[self.columns].sum(axis=1) for column in steps[: self._levels].T], axis=1)
        rest = _LOW - _NUMBER_BITS
        high, low = levels >> rest, (levels & (2**rest - 1)) << _NUMBER_BITS
        if self.numbers is not None:
            slopes = steps[self._levels :]
            high += row_products(self.numbers, slopes >> _LOW)
            low += row_products(self.numbers, slopes & (2**_LOW - 1))
        return high + (low >> _LOW), low & (2**_LOW - 1)

    @property
    def _levels(self) -> int:
        return self.width if self.numbers is None else self.width - self.numbers.shape[1]

    @cached_property
    def _begins(self) -> Integers:
        return np.asarray(np.flatnonzero(np.diff(self.example, prepend=-1)), np.int64)

    @cached_property
    def _is_plain(self) -> bool:
        return len(self.target) == len(self.columns)


def by_row(rows: RowMatrix, rows_each: int) -> ExampleDesign:
    """Every row is an example; those of one person weigh as much as `rows_each` at most."""
    _fail_unless_held(rows)
    weight = np.minimum(_WEIGHTS, _WEIGHTS * rows_each // rows.held) / _WEIGHTS
    each = np.arange(rows.rows, dtype=np.int64)
    share = np.ones(rows.rows)
    return _design(rows, rows.columns, each, share, rows.target, weight[rows.people], rows.numbers)


def by_person(rows: RowMatrix, classes: int) -> ExampleDesign:
    """Every person is one example of weight 1: the mean of the rows of their most frequent class, the first of equals.

    A person's gradient then has one direction whatever the coefficients are.
    """
    _fail_unless_held(rows)
    people = len(rows.held)
    votes = np.bincount(rows.people * classes + rows.target, minlength=people * classes).reshape(people, classes)
    target = votes.argmax(axis=1).astype(np.int64)
    kept = rows.target == target[rows.people]
    example = rows.people[kept]
    held = np.bincount(example, minlength=people)
    share = np.nextafter(1 / held, 0)  # so that they add up to 1 at most
    share[held == 1] = 1
    numbers = None if rows.numbers is None else rows.numbers[kept]
    return _design(rows, rows.columns[kept], example, share[example], target, np.ones(people), numbers)


def _design(
    rows: RowMatrix,
    columns: Integers,
    example: Integers,
    share: Floats,
    target: Integers,
    weight: Floats,
    numbers: Numbers | None,
) -> ExampleDesign:
    width = sum(rows.levels) + (0 if numbers is None else numbers.shape[1])
    return ExampleDesign(columns, example, share, target, weight, width, numbers, rows.longest)


def _fail_unless_held(rows: RowMatrix) -> None:
    """More rows than the error of sums is known for."""
    if not rows.rows <= MOST_ROWS:
        raise Failed
