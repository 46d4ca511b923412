"""Noisy gradient descent: each step releases the sums of whole residuals by level, over all rows in memory.

A residual is what pulls a row's scores to its class. It is computed from whole scores by public tables of whole
numbers, and so is a function of the row and of what was released, the same in every order of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import sqrt
from typing import Final

import numpy as np

from tacit.frozen import frozen
from tacit.learn.coded_rows import RESIDUAL, SCORE
from tacit.learn.convex.losses import Floats, Integers, LossKind
from tacit.learn.convex.number_rows import column_sums, row_products
from tacit.learn.convex.row_matrix import RowMatrix
from tacit.learn.number_columns import NUMBER_STEPS

PARTS: Final = 2**10  # of a row
_FINE: Final = 2**10  # steps of a score of 1 in the tables
_FARTHEST: Final = 32 * _FINE
_RAISED: Final = 2**20  # of an exponential of 1
_CURVATURE: Final = 0.15  # of the loss in one row's score, about
_DAMPING: Final = 2.0  # deviations of noise that are added to a curvature
_FARTHEST_SCORE: Final = 8.0  # of one level
_STEEPEST: Final = 64.0  # of a coefficient of a number
_MOMENTUM: Final = 0.9  # where columns count as numbers: they move together


@frozen(eq=False)
class GradientSums:
    """Sums over rows, by level: of weights, and of residuals in steps of 1/1,024 times weights.

    Claim: one person moves the sums of weights by √m·`most` at most in ℓ₂ norm, and those of residuals by `most` times
    the root of m·`residual_squared`, for m features. Proof: a row has one level of each feature, so it adds a vector of
    norm √m·W or √m·W·‖r‖; weights W = min(1,024, ⌊1,024·rows_each/held⌋) of a person with `held` rows add up to `most`
    or less. With two classes ‖r‖ = |r| ≤ clip. With more, r_y = R − p_y and r_k = −p_k for shares p of R that are
    rounded down, so Σ_{k≠y} p_k ≤ R, and each is cut to the clip C: Σr² ≤ C² + Σ_{k≠y} C·min(p_k, C), at most
    C² + C·min(R, (K − 1)·C).

    Numbers. Where a row has numbers x too, whole steps of 1/4,096 of which `RowMatrix.longest` bounds Σx², it adds
    W·r_k·x_j to the sums of residuals of column j, and 4,096·W·r_k to those of its levels: a vector of norm
    W·‖r‖·√(4,096²·m + Σx²) exactly, since all of these are whole numbers. Weights are those of levels alone.
    """

    loss: LossKind
    classes: int
    clip: int
    rows_each: int

    @property
    def most(self) -> int:
        return PARTS * self.rows_each

    @property
    def residual_squared(self) -> int:
        if self.loss is not LossKind.SOFTMAX:
            return self.clip**2
        return self.clip**2 + self.clip * min(RESIDUAL, (self.classes - 1) * self.clip)

    def weights(self, rows: RowMatrix) -> Integers:
        """The weight of each row."""
        return np.asarray(np.minimum(PARTS, self.most // rows.held)[rows.people], np.int64)

    def level_weights(self, rows: RowMatrix) -> Integers:
        """Σ W by level."""
        return _by_level(rows, self.weights(rows))

    def level_residuals(self, rows: RowMatrix, scores: Integers) -> Integers:
        """Σ r·W by level and score, for whole scores by level in steps of 1/65,536; then Σ r·W·x by column of numbers.

        Scores and sums of columns of numbers are behind those of levels.
        """
        weighted = self.residuals(rows, scores) * self.weights(rows)[:, None]
        by_level = np.column_stack([_by_level(rows, column) for column in weighted.T])
        if rows.numbers is None:
            return by_level
        return np.concatenate([NUMBER_STEPS * by_level, column_sums(rows.numbers, weighted)])

    def residuals(self, rows: RowMatrix, scores: Integers) -> Integers:
        """The residuals of each row, rows × K."""
        whole = np.stack([column[rows.columns].sum(axis=1) for column in scores.T], axis=1)
        if rows.numbers is not None:
            whole += row_products(rows.numbers, scores[sum(rows.levels) :]) // NUMBER_STEPS
        fine = np.clip(whole // (SCORE // _FINE), -_FARTHEST, _FARTHEST)
        if self.loss is LossKind.SOFTMAX:
            raised = self._exponentials[np.minimum(fine.max(axis=1, keepdims=True) - fine, _FARTHEST)]
            found = -(raised * RESIDUAL // raised.sum(axis=1, keepdims=True))
            found[np.arange(rows.rows), rows.target] += RESIDUAL
            return np.asarray(np.clip(found, -self.clip, self.clip), np.int64)
        sign = np.where(rows.target == 1, 1, -1)[:, None]
        return np.asarray(sign * self._pulls[sign * fine + _FARTHEST], np.int64)

    @cached_property
    def _pulls(self) -> Integers:
        """How strongly a row pulls, by margin from the least to the greatest: 0 to the clip, whatever doubles give."""
        margins = np.arange(-_FARTHEST, _FARTHEST + 1)[:, None] / _FINE
        pulls = -self.loss.gradients(margins, np.ones(len(margins), np.int64))[:, 0]
        return np.asarray(np.clip(np.rint(pulls * RESIDUAL), 0, self.clip), np.int64)

    @cached_property
    def _exponentials(self) -> Integers:
        return np.asarray(np.rint(_RAISED * np.exp(-np.arange(_FARTHEST + 1) / _FINE)), np.int64)


def _by_level(rows: RowMatrix, values: Integers) -> Integers:
    """Sums by level: exact in doubles, since |values| < 2^31 and rows are below 2^26."""
    width = sum(rows.levels)
    found = np.zeros(width)
    for column in rows.columns.T:
        found += np.bincount(column, values, width)
    return found.astype(np.int64)


@frozen
class DescentSizes:
    """Public sizes of a path: how many features have levels, the squared length that numbers have, and the ridge."""

    features: int
    length_squared: float  # of a row's numbers; 0 where there are none
    ridge: float


def descended(weights: Integers, steps: Sequence[Integers], sizes: DescentSizes, noise: float) -> list[Floats]:
    """The path of the scores from what was released: post-processing. `noise` is its deviation in rows.

    Each level moves by its residuals over its curvature, its number of rows and a multiple of the noise, and by what
    the ridge pulls; all m features move at once, so each takes 1/√m of its own step. Numbers have the curvature of all
    rows at their length; they move on with momentum, until their residuals pull back. Levels have none: where classes
    are of unequal size, it would carry scores far beyond.
    """
    levels, has_numbers = len(weights), sizes.length_squared > 0
    pull = sizes.ridge * (sizes.features + sizes.length_squared)
    path = [np.zeros(steps[0].shape)] if steps else []
    seen, farthest = np.maximum(weights, 0) / PARTS, np.full(levels, _FARTHEST_SCORE)
    if has_numbers and steps:
        columns = len(steps[0]) - levels
        seen = np.concatenate([seen, np.full(columns, seen[0] * sizes.length_squared)])  # first: the level of all rows
        farthest = np.concatenate([farthest, np.full(columns, _STEEPEST)])
    curvature = sqrt(sizes.features) * (seen * _CURVATURE + _DAMPING * noise + pull)[:, None]
    unit = RESIDUAL * PARTS * (NUMBER_STEPS if has_numbers else 1)
    speed = np.zeros(path[0][levels:].shape) if steps else np.zeros(0)
    for residuals in steps:
        wanted = residuals / unit - pull * path[-1]
        moved = wanted / curvature
        if has_numbers:
            goes_on = float((wanted[levels:] * speed).sum()) >= 0
            speed = _MOMENTUM * goes_on * speed + moved[levels:]
            moved[levels:] = speed
        path.append(np.clip(path[-1] + moved, -farthest[:, None], farthest[:, None]))
    return path
