"""The column for publication: whole numbers, none negative, that add up to the noisy total at every level.

It is made from the noisy finest table alone, so it is free; it is biased, and has no interval. Cutting each cell at 0
would increase the total: instead the table is projected to the nearest one with non-negative cells and the noisy total.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def published(cells: Floats, blocks: Sequence[Integers] = ()) -> Integers:
    """Non-negative whole cells whose sum is that of the cells, rounded, or 0 where that is negative.

    So it is in each of the blocks, sets of cells whose sums are known, and in all other cells together.
    """
    found, rest = np.zeros(cells.size, np.int64), np.ones(cells.size, np.bool_)
    for each in blocks:
        rest[each] = False
    for places in (*blocks, np.flatnonzero(rest)):
        own = cells.ravel()[places]
        whole = max(0, int(np.rint(own.sum())))
        found[places] = _rounded(nearest_non_negative(own, float(whole)), whole)
    return found.reshape(cells.shape)


def nearest_non_negative(cells: Floats, total: float) -> Floats:
    """The nearest table with these totals and no negative cell: every cell minus a common number, cut at 0."""
    if total <= 0 or not cells.size:
        return np.zeros(cells.shape)
    falling = np.sort(cells)[::-1]
    excess = (np.cumsum(falling) - total) / np.arange(1, len(falling) + 1)
    last = int(np.flatnonzero(falling > excess)[-1])
    return np.asarray(np.maximum(cells - excess[last], 0.0))


def _rounded(cells: Floats, total: int) -> Integers:
    """Whole numbers next to the cells that add up to the total: the largest fractions are rounded up."""
    floors = np.floor(cells).astype(np.int64)
    missing = total - int(floors.sum())
    order = np.argsort(floors - cells, kind="stable")
    step = 1 if missing >= 0 else -1
    candidates = order if step > 0 else order[::-1][floors[order[::-1]] > 0]
    floors[candidates[: abs(missing)]] += step
    return floors
