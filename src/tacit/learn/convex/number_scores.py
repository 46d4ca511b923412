"""What a model says of columns that count as numbers: a slope for each, by score. Plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import floor
from typing import Any, Final

import numpy as np

from tacit.frozen import frozen
from tacit.learn.convex.losses import Floats
from tacit.learn.convex.number_rows import row_products, shortened
from tacit.learn.number_columns import NUMBER_STEPS, NumberColumn, listed_numbers

MOST_SCORE: Final = 2**30  # of a level or a slope, in steps


@frozen(eq=False)
class NumberScores:
    """`slopes` has whole steps by column and score, of a number that moves by 1; rows are cut at the length `norm`."""

    columns: tuple[NumberColumn, ...]
    norm: Fraction
    slopes: tuple[tuple[int, ...], ...]

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    def score(self, named: Mapping[str, Sequence[Any]]) -> Floats:
        """What numbers add to the scores of rows, in steps, rows × K: of numbers cut as those of the training were."""
        rows = shortened(listed_numbers(self.columns, named), longest(self.norm))
        return row_products(rows, np.array(self.slopes, np.int64)) / NUMBER_STEPS

    def fields(self) -> dict[str, Any]:
        """The slopes for JSON."""
        pairs = zip(self.columns, self.slopes, strict=True)
        return {
            "norm": str(self.norm),
            "columns": [column.fields() | {"slopes": list(slopes)} for column, slopes in pairs],
        }

    @classmethod
    def from_fields(cls, said: Mapping[str, Any], scores: int) -> NumberScores:
        """The slopes read from JSON fields; a ValueError where they are none."""
        columns = tuple(map(NumberColumn.from_fields, said["columns"]))
        slopes = tuple(tuple(map(int, each["slopes"])) for each in said["columns"])
        norm = Fraction(said["norm"])
        is_sound = all(len(each) == scores and max(map(abs, each)) <= MOST_SCORE for each in slopes)
        if not (columns and is_sound and 0 < norm**2 <= len(columns)):
            raise ValueError
        return cls(columns, norm, slopes)


def longest(norm: Fraction) -> int:
    """Σx² of a row's numbers in whole steps, where its length is at most `norm`."""
    return floor(norm**2 * NUMBER_STEPS**2)
