"""Integer Helmert contrasts of tables: the content of a table beyond its margins, as orthogonal integer questions.

Along an axis of n values, contrast k (1 ≤ k < n) is (x₀ + … + x_{k−1}) − k·x_k. The n − 1 rows are orthogonal to each
other and to the sum, and row k has the squared norm k·(k + 1). A table's contrasts are those along all of its axes at
once (Kronecker products). All arithmetic is on 64-bit integers and wraps: modulo 2^64 it is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


def contrasts(table: Integers, first: int = 0) -> Integers:
    """The contrasts of a table along its axes from the first: an axis of n values becomes one of n − 1."""
    for axis in range(first, table.ndim):
        along = np.moveaxis(table, axis, 0)
        places = np.arange(1, len(along)).reshape(-1, *[1] * (table.ndim - 1))
        table = np.moveaxis(np.cumsum(along, axis=0)[:-1] - places * along[1:], 0, axis)
    return table


def spread_back(weights: Floats, first: int = 0) -> Floats:
    """The transpose of `contrasts`: the table Σ_r weight_r · r."""
    return _transposed(weights, 1, first)


def spread_squares(weights: Floats, first: int = 0) -> Floats:
    """The table Σ_r weight_r · r², each entry of a contrast squared: variances of `spread_back`."""
    return _transposed(weights, 2, first)


def _transposed(weights: Floats, power: int, first: int) -> Floats:
    for axis in range(first, weights.ndim):
        along = np.moveaxis(weights, axis, 0)
        places = np.arange(1, len(along) + 1, dtype=np.float64).reshape(-1, *[1] * (weights.ndim - 1))
        table = np.zeros((len(along) + 1, *along.shape[1:]))
        table[:-1] = np.cumsum(along[::-1], axis=0)[::-1]
        table[1:] += (-places) ** power * along
        weights = np.moveaxis(table, 0, axis)
    return weights


def float_contrasts(table: Floats, first: int = 0) -> Floats:
    """The same contrasts of real numbers: of the coefficients of a question."""
    for axis in range(first, table.ndim):
        along = np.moveaxis(table, axis, 0)
        places = np.arange(1, len(along), dtype=np.float64).reshape(-1, *[1] * (table.ndim - 1))
        table = np.moveaxis(np.cumsum(along, axis=0)[:-1] - places * along[1:], 0, axis)
    return table


def squared_norms(sizes: Sequence[int]) -> Integers:
    """The squared norm of each contrast of a table of these sizes."""
    norms = np.ones([1] * len(sizes), np.int64)
    for axis, size in enumerate(sizes):
        places = np.arange(1, size, dtype=np.int64)
        shape = [1] * len(sizes)
        shape[axis] = size - 1
        norms = norms * (places * (places + 1)).reshape(shape)
    return norms


def largest_norm(sizes: Sequence[int]) -> int:
    """An integer bound of the norms of contrasts: k·(k + 1) is below n² along an axis."""
    return prod(sizes)
