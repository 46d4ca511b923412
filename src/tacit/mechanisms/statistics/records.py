"""Records as they come, read by functions that cannot fail: one record a person, each read for itself.

What a record is read as never depends on the others: a list is read item by item, because NumPy would choose one type
for all of it after looking at the data. Only what is public may be refused: the container, its type, its shape.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from math import inf, nan
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused

Key: TypeAlias = str | int

_LONGEST = 512  # bits of an integer that is still printed

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
    """One float a record: NaN where it is missing or no number, ±inf where it is too large for a float."""
    found = column(records)
    if isinstance(found, list):
        return np.array([_real(record) for record in found], np.float64)
    if found.dtype.kind not in "biuf":
        raise Refused(f"records of type {found.dtype}", "They are not numbers.", "numbers; NaN where one is missing.")
    with np.errstate(all="ignore"):
        return found.astype(np.float64)


def vectors_of(records: Any, dimension: int) -> NDArray[np.float64]:
    """One row of floats a record, for records that are vectors: zeros where one is no vector of this dimension."""
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
    """How many people hold each key that occurs. Text and whole numbers are keys; all else is missing."""
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
    except Exception:  # a record of a type of its own must not tell that it is there
        return None
    return None


def in_key_order(keys: Iterable[Key]) -> list[Key]:
    """Integers by size, then text by its characters: an order that knows nothing of the data."""
    return sorted(keys, key=lambda key: (isinstance(key, str), key))


def key_text(key: Key) -> str:
    """A key as it can be printed on one line."""
    if isinstance(key, int) and key.bit_length() > _LONGEST:
        return f"(an integer of {key.bit_length():,} bits)"
    text = str(key)
    return text if text.isprintable() and text.strip() == text and text else ascii(text)


def total(integers: NDArray[np.int64]) -> int:
    """The sum, which cannot overflow: both halves of each 64-bit integer are added for themselves."""
    return (int((integers >> 32).sum()) << 32) + int((integers & 0xFFFFFFFF).sum())


def _real(record: Any) -> float:
    is_number = isinstance(record, (bool, int, float, Fraction, Decimal, np.bool_, np.integer, np.floating))
    if not is_number or isinstance(record, np.timedelta64):
        return nan
    try:
        return float(record)
    except OverflowError:
        return inf if record > 0 else -inf
    except Exception:  # a record of a type of its own must not tell that it is there
        return nan


def _vector(record: Any, dimension: int) -> list[float]:
    is_vector = isinstance(record, (list, tuple)) or (isinstance(record, np.ndarray) and record.ndim == 1)
    return [_real(cell) for cell in record] if is_vector and len(record) == dimension else [0.0] * dimension


def _is_present(record: Any) -> bool:
    if record is None or isinstance(record, (bool, np.bool_)):
        return bool(record)
    return not (isinstance(record, (float, np.floating)) and bool(np.isnan(record)))
