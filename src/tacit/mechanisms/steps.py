"""Private numbers in whole steps: integers as they are, real numbers by rounding to a public grid."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.errors import Refused
from tacit.noise.bits import Integers
from tacit.noise.grid import Grid, saturated

FARTHEST: Final = (1 << 62) - 1  # the difference of two such integers fits 64 bits
EXACT: Final = 1 << 53  # up to here a float holds every integer


def farthest(grid: Grid | None) -> float:
    """The largest value that is held for certain, as steps of 64 bits and on a grid as a float."""
    return float(FARTHEST) if grid is None else min(float(FARTHEST * grid.step), float(EXACT))


def in_steps(values: ArrayLike, grid: Grid | None) -> Integers:
    """The values in steps of the grid, or as the integers they are where there is none.

    Total on numbers of any size, in lists or arrays; NaN counts as zero. Values of 2^62 steps and more (on a grid:
    integers beyond ±2^53) count as the nearest within. Cutting and rounding keep the order and move no two values
    apart by more than the grid's own ⌈distance/step⌉, so a sensitivity stated in steps holds.
    """
    if type(values) is int and -FARTHEST <= values <= FARTHEST and grid is None:  # the common case, at once
        return np.array(values, np.int64)
    if isinstance(values, np.ma.MaskedArray):
        raise Refused("a masked array", "What the mask hides would be read as well.", "an array without a mask.")
    array = values if isinstance(values, np.ndarray) else _listed(values)
    if array.dtype.kind == "f" and array.dtype.itemsize <= 8 and grid is not None:
        return _cut(grid.round(array), FARTHEST)
    if not (array.dtype.kind in "iu" or (array.dtype == object and all(map(_is_integer, array.ravel())))):
        raise Refused(
            f"values of type {array.dtype if array is values else type(values).__name__}",
            "They are not all integers." if grid is None else "They are not all numbers.",
            "integers; or a grid when the mechanism is made, for floats." if grid is None else "integers or floats.",
        )
    if grid is None:
        return _cut(array, FARTHEST)
    return _cut(grid.round(_cut(array, EXACT).astype(np.float64)), FARTHEST)


def _listed(values: ArrayLike) -> NDArray[Any]:
    """A list, read number by number: left to itself NumPy makes floats of integers that are large and mixed in sign."""
    if type(values) is float:
        return np.array(values)
    array = np.array(values, object)
    cells = array.ravel()
    if not all(_is_integer(cell) for cell in cells) and all(_is_number(cell) for cell in cells):
        numbers = [float(max(-EXACT, min(cell, EXACT))) if _is_integer(cell) else float(cell) for cell in cells]
        return np.array(numbers, np.float64).reshape(array.shape)
    return array


def _cut(array: NDArray[Any], limit: int) -> Integers:
    cells = array.ravel()
    fitting = saturated(cells.astype(object)) if cells.dtype == np.uint64 or cells.dtype == object else cells
    return np.clip(fitting.astype(np.int64), -limit, limit).reshape(array.shape)


def _is_integer(cell: object) -> bool:
    return isinstance(cell, (int, np.integer)) and not isinstance(cell, (bool, np.timedelta64))


def _is_number(cell: object) -> bool:
    return _is_integer(cell) or isinstance(cell, (float, np.float16, np.float32))
