"""Examples of an objective: each a bounded sum of one-hot rows, with scores and sums that are computed exactly.

A row with m features has m ones; divided by √m it has norm 1. Coefficients are whole numbers of steps of 2^-36, so that
a row's score is a whole number of them, and its sums of gradients are added as whole numbers too: what the computed
gradient is off the exact one is known beforehand, whatever the order.
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
from tacit.learn.convex.row_matrix import RowMatrix

FINEST: Final = 36  # coefficients are multiples of 2^-36
MOST_ROWS: Final = 2**26
MOST_NUMBERS: Final = 4_096  # of coefficients: their second derivatives have its square
_HALF: Final = 20  # bits of each half of a gradient
_WEIGHTS: Final = 2**30


@frozen(eq=False)
class ExampleDesign:
    """Examples x with weights ω, each x the sum of a person's rows times shares that add up to 1 at most.

    Claim: ‖x‖₂ ≤ 1, and the weights of one person's examples add up to `rows_each` at most. What a person's examples
    are depends on that person's rows alone. Proof: rows have norm 1 and x is a convex combination of them, times 1 at
    most; ω is ⌊2^30·rows_each/held⌋/2^30 for a person with `held` examples, 1 at most.
    """

    columns: Integers  # rows × features
    example: Integers  # of each row, ascending
    share: Floats  # of each row in its example
    target: Integers
    weight: Floats
    width: int

    @property
    def features(self) -> int:
        return int(self.columns.shape[1])

    def scores(self, steps: Integers) -> Floats:
        """x·w for each example, within a relative 2^-50, then cut to ±`FARTHEST`; w in steps, numbers × K.

        Several scores of an example are given below the largest of them, subtracted as whole numbers: a softmax knows
        differences alone, and cutting each score on its own would change them.
        """
        whole = np.stack([column[self.columns].sum(axis=1) for column in steps.T], axis=1)
        if steps.shape[1] > 1:
            whole -= whole.max(axis=1, keepdims=True)
        high, low = whole >> 30, whole & (2**30 - 1)
        if not self._is_plain:
            high, low = (np.add.reduceat(each, self._begins) for each in (high, low))
        found = (high * 2.0**30 + low) * (2.0**-FINEST / sqrt(self.features))
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
            total = np.zeros(self.width)
            for numbers, exponent in ((high, -_HALF), (low, -2 * _HALF)):
                added = sum(np.bincount(column, numbers, self.width) for column in self.columns.T)
                total += np.ldexp(np.asarray(added, np.float64), exponent)
            found[:, place] = total / sqrt(self.features)
        return found

    @property
    def error(self) -> float:
        """How far `sums` of computed gradients may be off the exact sums, in ℓ₂ norm, for each of K scores.

        A row's number is off by the gradient's error, half a step of 2^-40 and products within 2^-50; it goes to m
        places, divided by √m. Sums of whole numbers below 2^26·2^20·64 are exact.
        """
        return len(self.columns) * (RESIDUAL_ERROR + 2.0**-40)

    @cached_property
    def matrix(self) -> Any:
        """x by row, for curvatures."""
        many = self.features
        placed = np.repeat(self.example, many), self.columns.ravel()
        values = np.repeat(self.share, many) / sqrt(many)
        return sparse.csr_matrix((values, placed), (len(self.target), self.width))

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
    return ExampleDesign(rows.columns, each, share, rows.target, weight[rows.people], sum(rows.levels))


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
    return ExampleDesign(rows.columns[kept], example, share[example], target, np.ones(people), sum(rows.levels))


def _fail_unless_held(rows: RowMatrix) -> None:
    """More rows than the error of sums is known for."""
    if not rows.rows <= MOST_ROWS:
        raise Failed
