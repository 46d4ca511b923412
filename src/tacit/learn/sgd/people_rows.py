"""The rows that a network is trained on, person by person, as tensors."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tacit.frozen import frozen
from tacit.learn.convex.row_matrix import TARGET_STEPS, RowMatrix
from tacit.learn.number_columns import NUMBER_STEPS
from tacit.learn.sgd.clipped_sums import PeopleBatch
from tacit.learn.sgd.places import NOBODY, Places


@frozen(eq=False)
class PeopleRows:
    """Rows of people, and behind them one person without rows, who stands for nobody.

    `rows` is (people + 1, rows each, …), `targets` and `present` (people + 1, rows each). Where `columns` is given,
    rows are numbers of columns that are 1, all others being 0. `numbers` (people + 1, rows each, columns of numbers),
    in steps of 1/`NUMBER_STEPS`, come before these.
    """

    rows: Tensor
    targets: Tensor
    present: Tensor
    columns: int | None = None
    numbers: Tensor | None = None

    @classmethod
    def of(cls, matrix: RowMatrix, rows_each: int, *, is_number: bool, are_columns: bool) -> PeopleRows:
        """The rows of a matrix in which nobody has more than `rows_each`; the first feature, of one level, is left out.

        With `are_columns` a model is given 0 or 1 for each level of each feature, else the number of each level, over
        all features, as an embedding reads it.
        """
        held = len(matrix.held) if matrix.rows else 0
        at = np.arange(matrix.rows) - (matrix.begins[matrix.people] if matrix.rows else 0)
        codes = matrix.columns[:, 1:] - matrix.levels[0]
        rows = np.zeros((held + 1, rows_each, codes.shape[1]), np.int64)
        targets = np.zeros((held + 1, rows_each), np.float32 if is_number else np.int64)
        present = np.zeros((held + 1, rows_each), np.float32)
        rows[matrix.people, at], present[matrix.people, at] = codes, 1
        targets[matrix.people, at] = matrix.target / TARGET_STEPS if is_number else matrix.target
        columns = sum(matrix.levels[1:]) if are_columns else None
        numbers = None
        if matrix.numbers is not None:
            placed = np.zeros((held + 1, rows_each, matrix.numbers.shape[1]), np.int16)
            placed[matrix.people, at] = matrix.numbers
            numbers = torch.from_numpy(placed)
        return cls(torch.from_numpy(rows), torch.from_numpy(targets), torch.from_numpy(present), columns, numbers)

    @property
    def people(self) -> int:
        return len(self.rows) - 1

    def batch(self, who: Places) -> PeopleBatch:
        """The rows of these people; `NOBODY` has none."""
        at = torch.from_numpy(np.where(who == NOBODY, self.people, who))
        rows = self.rows[at]
        given = rows if self.columns is None else one_hot(rows, self.columns)
        if self.numbers is not None:
            given = torch.cat([as_numbers(self.numbers[at]), given], dim=-1)
        return PeopleBatch(given, self.targets[at], self.present[at])


def as_numbers(steps: Tensor) -> Tensor:
    """Numbers from whole steps."""
    return steps.float() / NUMBER_STEPS


def one_hot(codes: Tensor, columns: int) -> Tensor:
    """1 in the columns that are listed in the last dimension, else 0."""
    return torch.zeros(*codes.shape[:-1], columns).scatter_(-1, codes, 1.0)


def listed_codes(codes: list[NDArray[np.int64]], levels: list[int]) -> Tensor:
    """The levels of each feature as numbers over all features, row by row."""
    begins = np.cumsum([0, *levels[:-1]])
    return torch.from_numpy(np.column_stack(codes) + begins)
