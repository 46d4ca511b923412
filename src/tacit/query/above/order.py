"""Sorting groups by what is public or already noisy, with NULLs where they were asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tacit.frozen import frozen
from tacit.query.above.estimates import Keys
from tacit.query.above.expression import Column, Expression, as_keys


@frozen
class Ordering:
    """One item of ORDER BY."""

    expression: Expression
    descending: bool = False
    nulls_first: bool = False


def values(column: Column) -> list[Any]:
    """The column's points as values that compare, None for NULL."""
    exact = as_keys(column)
    if isinstance(exact, Keys):
        return list(exact.values)
    return [None if np.isnan(value) else float(value) for value in exact.value]


def arranged(rows: Sequence[int], column: Sequence[Any], descending: bool, nulls_first: bool) -> list[int]:
    """The rows in the column's order; those that are equal in it keep their order."""
    nulls = [row for row in rows if column[row] is None]
    rest = sorted((row for row in rows if column[row] is not None), key=column.__getitem__, reverse=descending)
    return nulls + rest if nulls_first else rest + nulls
