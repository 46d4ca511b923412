"""Linear questions over cells as a matrix of whole numbers, with the cells that no question distinguishes merged.

Claim: merging equal columns, and leaving out columns of zeros, changes neither the questions nor the best noise for
them. Proof: W x depends on x by the sums over equal columns alone. A strategy A for the merged cells is one for all,
each cell having its class's column: the same price max ‖a_j‖ and the same error; and a strategy for all cells, kept for
one cell of each class, is one for the merged cells that costs no more. A cell of zeros may have a column of zeros. ∎
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.frozen import frozen

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

MOST_CELLS = 4_096
_MOST_SIDE = 2_048  # the smaller number of questions and cells: the time is cubic in it
_MOST_COEFFICIENTS = 2**24
_MOST_COEFFICIENT = 2**20


@frozen(eq=False)
class QuestionMatrix:
    """A row for each question, a column for each cell, no two columns alike and none of them zero; weights of rows.

    `places` says, for each cell as it was given, which column it is; −1 for one that no question touches.
    """

    rows: Integers
    weights: tuple[Fraction, ...]
    places: Integers

    @classmethod
    def of(cls, rows: Integers, weights: tuple[Fraction, ...] | None = None) -> QuestionMatrix:
        """The questions over merged cells; refused where they are too many or too large."""
        given = np.ascontiguousarray(rows, np.int64)
        if not (given.ndim == 2 and given.size and given.any()):
            raise Refused("questions that count nothing", "No cell is in any of them.", "at least one cell in one.")
        weighed = weights or (Fraction(1),) * len(given)
        if not (len(weighed) == len(given) and all(0 < weight <= 10**6 for weight in weighed)):
            raise Refused("these weights", "Each question needs one.", "a number above 0 for each, up to a million.")
        if not int(np.abs(given).max()) <= _MOST_COEFFICIENT:
            raise Refused("such large coefficients", "Exact sums would not fit.", f"at most {_MOST_COEFFICIENT:,}.")
        columns, first, inverse = np.unique(given, axis=1, return_index=True, return_inverse=True)
        order = np.argsort(first)
        touched = order[columns[:, order].any(axis=0)]
        place = np.full(columns.shape[1], -1, np.int64)
        place[touched] = np.arange(len(touched))
        merged = cls(np.ascontiguousarray(columns[:, touched]), weighed, place[inverse.ravel()])
        questions, cells = merged.rows.shape
        if not (
            cells <= MOST_CELLS and min(questions, cells) <= _MOST_SIDE and questions * cells <= _MOST_COEFFICIENTS
        ):
            raise Refused(
                f"{questions:,} questions over {cells:,} cells",
                "They are optimised together.",
                f"{MOST_CELLS:,} cells that some question tells apart, and {_MOST_SIDE:,} questions or fewer.",
            )
        return merged

    @property
    def questions(self) -> int:
        return len(self.rows)

    @property
    def cells(self) -> int:
        return int(self.rows.shape[1])

    @cached_property
    def values(self) -> Floats:
        """The coefficients as doubles, exactly."""
        return np.asarray(self.rows.astype(np.float64))

    @cached_property
    def roots(self) -> Floats:
        """The square roots of the weights, to the nearest double."""
        return np.asarray(np.sqrt(np.array([float(weight) for weight in self.weights])))

    @cached_property
    def weighted(self) -> Floats:
        """Each row times the root of its weight."""
        return np.asarray(self.values * self.roots[:, None])

    def merged(self, cells: Integers) -> Integers:
        """Numbers by cell, as cells were given, added up by column."""
        found = np.zeros(self.cells, np.int64)
        np.add.at(found, self.places[self.places >= 0], cells[self.places >= 0])
        return found
