"""Total functions that read private inputs: records one by one, and numbers in whole steps.

Each person has one record. How a record is read never depends on the others: a list is read item by item, because NumPy
would choose one type for all of it from the data. A refusal depends only on public facts: the container, its type, its
shape. Integers are taken as they are, real numbers are rounded to a public grid.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from math import inf, nan
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.errors import Refused
from tacit.noise.bits import Integers
from tacit.noise.grid import Grid, saturated

Key: TypeAlias = str | int

_LONGEST = 512  # size in bits of the largest integer that is printed

_ACCEPTED = "a list, a tuple or a one-dimensional array, with one record for each person."


def column(records: Any) -> list[Any] | NDArray[Any]:
    """The records as a list to be read item by item, or as an array whose type is public."""
    if isinstance(records, (list, tuple)):
        return list(records)
    if isinstance(records, np.ma.MaskedArray) or not hasattr(records, "__array__"):
        raise Refused(f"records of type {type(records).__name__}", "They cannot be read one by one.", _ACCEPTED)
    array = np.asarray(records)
    if array.ndim != 1:
        raise Refused(f"records in {array.ndim} dimensions", "Each record must be one person's.", _ACCEPTED)
    return list(array) if array.dtype == object else array


def reals(records: Any) -> NDArray[np.float64]:
    """One float per record: NaN where it is missing or not a number, ±inf where it is too large for a float."""
    found = column(records)
    if isinstance(found, list):
        return np.array([_real(record) for record in found], np.float64)
    if found.dtype.kind not in "biuf":
        raise Refused(f"records of type {found.dtype}", "They are not numbers.", "numbers; NaN where one is missing.")
    with np.errstate(all="ignore"):
        return found.astype(np.float64)


def vectors_of(records: Any, dimension: int) -> NDArray[np.float64]:
    """One row of floats per record: zeros where the record is not a vector of this dimension."""
    found = records if isinstance(records, (list, tuple)) else np.asarray(records)
    if isinstance(found, (list, tuple)) or (found.dtype == object and found.ndim > 0):
        return np.array([_vector(record, dimension) for record in found], np.float64).reshape(len(found), dimension)
    is_table = found.ndim == 2 and found.shape[1] == dimension and found.dtype.kind in "biuf"
    if isinstance(records, np.ma.MaskedArray) or not is_table:
        raise Refused(
            f"records of type {type(records).__name__}",
            "They are not one vector of the stated dimension for each person.",
            f"a table of numbers with {dimension} columns, or a list of vectors.",
        )
    with np.errstate(all="ignore"):
        return found.astype(np.float64)


def present(records: Any) -> int:
    """How many records there are that are neither missing (None, NaN) nor False."""
    found = column(records)
    if isinstance(found, list):
        return sum(_is_present(record) for record in found)
    if found.dtype.kind == "b":
        return int(np.count_nonzero(found))
    return int(found.size - np.count_nonzero(found != found))


def count_keys(records: Any) -> Counter[Key]:
    """The number of people with each key that occurs. Text and whole numbers are keys; anything else is missing."""
    found = column(records)
    if isinstance(found, list):
        return Counter(key for record in found if (key := read_key(record)) is not None)
    counts: Counter[Key] = Counter()
    if found.dtype.kind in "biufU":
        for item, people in zip(*np.unique(found, return_counts=True), strict=True):
            if (key := read_key(item)) is not None:
                counts[key] += int(people)
        return counts
    raise Refused(f"keys of type {found.dtype}", "They are neither text nor integers.", "text or integers.")


def read_key(record: Any) -> Key | None:
    """The key of one record: text, or an integer (True is 1, 3.0 is 3); None where it is neither."""
    try:
        if isinstance(record, str):
            return str(record)
        if isinstance(record, (bool, int, np.bool_, np.integer)) and not isinstance(record, np.timedelta64):
            return int(record)
        if isinstance(record, (float, np.floating)) and float(record).is_integer():
            return int(record)
    except Exception:  # a record with methods of its own must not reveal its presence
        return None
    return None


def in_key_order(keys: Iterable[Key]) -> list[Key]:
    """Integers by size, then text by its characters: an order that does not depend on the data."""
    return sorted(keys, key=lambda key: (isinstance(key, str), key))


def key_text(key: Key) -> str:
    """A key as it can be printed on one line."""
    if isinstance(key, int) and key.bit_length() > _LONGEST:
        return f"(an integer of {key.bit_length():,} bits)"
    text = str(key)
    return text if text.isprintable() and text.strip() == text and text else ascii(text)


def total(integers: NDArray[np.int64]) -> int:
    """The sum, without overflow: the two halves of the 64-bit integers are added separately."""
    return (int((integers >> 32).sum()) << 32) + int((integers & 0xFFFFFFFF).sum())


def _real(record: Any) -> float:
    is_number = isinstance(record, (bool, int, float, Fraction, Decimal, np.bool_, np.integer, np.floating))
    if not is_number or isinstance(record, np.timedelta64):
        return nan
    try:
        return float(record)
    except OverflowError:
        return inf if record > 0 else -inf
    except Exception:  # a record with methods of its own must not reveal its presence
        return nan


def _vector(record: Any, dimension: int) -> list[float]:
    is_vector = isinstance(record, (list, tuple)) or (isinstance(record, np.ndarray) and record.ndim == 1)
    return [_real(cell) for cell in record] if is_vector and len(record) == dimension else [0.0] * dimension


def _is_present(record: Any) -> bool:
    if record is None or isinstance(record, (bool, np.bool_)):
        return bool(record)
    return not (isinstance(record, (float, np.floating)) and bool(np.isnan(record)))


FARTHEST: Final = (1 << 62) - 1  # the difference of two such integers fits 64 bits
EXACT: Final = 1 << 53  # up to here a float holds every integer


def farthest(grid: Grid | None) -> float:
    """The largest value that certainly fits 64-bit steps and, on a grid, is an exact float."""
    return float(FARTHEST) if grid is None else min(float(FARTHEST * grid.step), float(EXACT))


def in_steps(values: ArrayLike, grid: Grid | None) -> Integers:
    """The values in steps of the grid, or as the integers they are where there is none.

    Total on numbers of any size, in lists or arrays; NaN counts as zero. Values of 2^62 steps and more (on a grid:
    integers beyond ±2^53) count as the nearest within. Cutting and rounding keep the order and move no two values
    apart by more than the grid's own ⌈distance/step⌉, so a sensitivity stated in steps holds.
    """
    if type(values) is int and -FARTHEST <= values <= FARTHEST and grid is None:  # the common case, without a loop
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
    """A list, read number by number: NumPy alone would convert large integers of mixed sign to floats."""
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
