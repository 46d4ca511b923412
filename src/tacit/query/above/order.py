"""Sorting groups by what is public or already noisy, with NULLs where they were asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.query.above.estimates import Estimates, Keys
from tacit.query.above.expression import Column, Expression


@dataclass(frozen=True)
class Ordering:
    """One item of ORDER BY."""

    expression: Expression
    descending: bool = False
    nulls_first: bool = False


def values(column: Column) -> list[Any]:
    """The column's points as values that compare, None for NULL."""
    if isinstance(column, Keys):
        return list(column.values)
    if isinstance(column, Estimates):
        return [None if np.isnan(value) else float(value) for value in column.value]
    return [None if not (yes or no) else bool(yes) for yes, no in zip(column.true, column.false, strict=True)]


def arranged(rows: Sequence[int], column: Sequence[Any], descending: bool, nulls_first: bool) -> list[int]:
    """The rows in the column's order; those that are equal in it keep their order."""
    nulls = [row for row in rows if column[row] is None]
    rest = sorted((row for row in rows if column[row] is not None), key=column.__getitem__, reverse=descending)
    return nulls + rest if nulls_first else rest + nulls
