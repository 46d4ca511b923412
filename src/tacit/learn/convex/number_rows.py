"""Rows of numbers in whole steps: cut to a length, and multiplied exactly, in any order of rows.

Products are made in float64 by matrices, where sums of whole numbers below 2^53 are exact in every order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Numbers = NDArray[np.int16]  # rows × columns, ±`NUMBER_STEPS`

_TOGETHER: Final = 2**12  # rows
_LOWER: Final = 1 - 2.0**-40


def shortened(numbers: Numbers, longest: int) -> Numbers:
    """Rows with Σx² ≤ `longest`: longer ones are shortened, in their direction.

    Claim: that holds for each returned row, in whole numbers, and a returned row depends on that row alone. Proof:
    squares of at most 2^24 in 1,024 columns add up in 64 bits; rows are multiplied by a factor below
    √(longest/Σx²) and cut towards 0; and a row that is longer nonetheless is replaced by zeros.
    """
    found = numbers.copy()
    for at in _parts(len(numbers)):
        rows = numbers[at].astype(np.int64)
        squares = (rows * rows).sum(axis=1)
        factors = np.sqrt(longest / np.maximum(squares, 1)) * _LOWER
        cut = np.where((squares > longest)[:, None], np.trunc(rows * factors[:, None]), rows).astype(np.int64)
        cut[(cut * cut).sum(axis=1) > longest] = 0
        found[at] = cut
    return found


def row_products(numbers: Numbers, weights: Integers) -> Integers:
    """Σ_j x_j·w_jk of each row: exact for |w| ≤ 2^30, since 2^10·2^12·2^30 is below 2^53."""
    found = np.empty((len(numbers), weights.shape[1]), np.int64)
    factors = weights.astype(np.float64)
    for at in _parts(len(numbers)):
        found[at] = numbers[at].astype(np.float64) @ factors
    return found


def column_sums(numbers: Numbers, values: Integers) -> Integers:
    """Σ_i x_ij·v_ik over rows: exact for |v| ≤ 2^28, since 2^12 rows of 2^12·2^28 are below 2^53."""
    found = np.zeros((numbers.shape[1], values.shape[1]), np.int64)
    for at in _parts(len(numbers)):
        found += (numbers[at].T.astype(np.float64) @ values[at].astype(np.float64)).astype(np.int64)
    return found


def _parts(rows: int) -> Iterator[slice]:
    return (slice(first, first + _TOGETHER) for first in range(0, rows, _TOGETHER))
