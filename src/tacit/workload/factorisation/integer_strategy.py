"""A strategy of whole numbers: the measurements of the cells, their price, and the reading of questions from them.

A = T·B, with T square and of whole numbers, and B the questions themselves where they are fewer than the cells, else
the cells. Every question q is c·B, so that q·x = c·T⁻¹·(A x): for any rounding of T the reading is exact and unbiased.
One row in a cell moves A x by that cell's column; its squared norm is an exact integer, and the price.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.workload.factorisation.fixed_point import DualPoint, is_by_question
from tacit.workload.factorisation.floating_bounds import norm_up, product_error_up, residual_up
from tacit.workload.factorisation.question_matrix import QuestionMatrix

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

_HALF = 18  # bits of a half of an entry, whose squares add up in a word
_EXACT = 2**53
_SMALL = 1e-11  # of the largest
_WEIGHED = 1 + 2.0**-50  # more than a rounded root of a weight is off by


@frozen(eq=False)
class IntegerStrategy:
    """The measurements of cells: `transform` times the questions, or times the cells."""

    questions: QuestionMatrix
    transform: Integers

    def __post_init__(self) -> None:
        side = min(self.questions.rows.shape)
        largest = int(np.abs(self.transform).max(initial=0)) * int(np.abs(self.basis).max()) * side
        if not (self.transform.shape == (side, side) and 0 < largest < _EXACT):
            raise Refused("this strategy", "It does not fit its questions.", "whole numbers, a square of their size.")

    @property
    def is_by_question(self) -> bool:
        return is_by_question(self.questions.values)

    @cached_property
    def basis(self) -> Integers:
        """B: the questions, or the cells."""
        return self.questions.rows if self.is_by_question else np.eye(self.questions.cells, dtype=np.int64)

    @cached_property
    def matrix(self) -> Integers:
        """A. Sums of products below 2^53 are exact in double precision."""
        if not self.is_by_question:
            return self.transform
        return np.asarray((self.transform.astype(np.float64) @ self.questions.values).astype(np.int64))

    @cached_property
    def squared_norms(self) -> tuple[int, ...]:
        """The exact squared norm of each cell's column."""
        high = self.matrix >> _HALF
        low = self.matrix - (high << _HALF)
        listed = [(part * other).sum(axis=0).tolist() for part, other in ((high, high), (high, low), (low, low))]
        return tuple((a << 2 * _HALF) + (b << _HALF + 1) + c for a, b, c in zip(*listed, strict=True))

    @property
    def squared_norm(self) -> int:
        """The largest of them: the squared sensitivity to one row."""
        return max(self.squared_norms)

    @cached_property
    def inverse(self) -> Floats:
        """T⁻¹, about."""
        return np.asarray(np.linalg.inv(self.transform.astype(np.float64)))

    @cached_property
    def readings(self) -> Floats:
        """C·T⁻¹, a row a question: its answer is this row times what was measured.

        Claim: answers of questions that depend on each other depend likewise, and none is biased. Proof: C·B is B. By
        question C is ω⁻¹·U·Uᵀ·ω, the columns of U orthonormal and with the span of those of ω·B: so nᵀ·C = 0 for every
        n with nᵀ·B = 0. Being an orthogonal projection of ω·T⁻¹, it makes the weighted error no larger.
        """
        if not self.is_by_question:
            return np.asarray(self.questions.values @ self.inverse)
        span, roots = _span(self.questions.weighted), self.questions.roots[:, None]
        if span.shape[1] == len(span):
            return self.inverse
        return np.asarray(span @ (span.T @ (roots * self.inverse)) / roots)

    def variances(self) -> Floats:
        """The variance of each question's answer, where what is measured has noise of variance 1."""
        return np.asarray((self.readings**2).sum(axis=1))

    @cached_property
    def error_up(self) -> Fraction:
        """Σ weight·variance at a squared norm of 1, rounded up: what is compared with opt(W).

        Proof: with E = I − T·R for the computed R, T⁻¹ = R(I − E)⁻¹ if ‖E‖ < 1, so ‖ω C T⁻¹‖_F ≤ ‖ω C R‖_F/(1 − ‖E‖).
        """
        excess = residual_up(self.transform.astype(np.float64), self.inverse)
        if not excess < 1:
            raise Refused("these questions", "No strategy for them can be certified.", "fewer of them, or less alike.")
        roots = self.questions.roots[:, None]
        if self.is_by_question:
            reach = norm_up(roots * self.inverse)
        else:
            reach = norm_up(roots * self.readings)
            reach += float(roots.max()) * product_error_up(self.questions.values, self.inverse)
        return Fraction(reach * _WEIGHED / (1 - excess) * _WEIGHED) ** 2 * self.squared_norm


def _span(rows: Floats) -> Floats:
    """An orthonormal basis of the columns. Of whole numbers and roots, what is left below `_SMALL` is rounding."""
    from scipy.linalg import qr

    vectors, triangle, _ = qr(rows, mode="economic", pivoting=True)
    sizes = np.abs(np.diag(triangle))
    return np.asarray(vectors[:, sizes > _SMALL * sizes[0]])


def rounded_strategy(questions: QuestionMatrix, point: DualPoint, bits: int) -> IntegerStrategy:
    """The strategy of a dual point, rounded to whole numbers where a cell's column has a norm of about 2^bits."""
    singular, vectors = point.singular, point.vectors
    if is_by_question(questions.values):
        transform = (vectors / np.sqrt(singular)).T * questions.roots
    else:
        transform = (vectors * np.sqrt(singular)).T / np.sqrt(point.diagonal)
    scale = 2.0**bits / float(np.sqrt(point.norms.max()))
    return IntegerStrategy(questions, np.rint(transform * scale).astype(np.int64))
