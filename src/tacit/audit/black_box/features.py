"""What may give a world away in a row of numbers: values, ranks, gaps, repeated values, patterns, low bits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tacit.audit.black_box.matrix import Matrix
from tacit.audit.black_box.special import Column, Special, how_often
from tacit.frozen import frozen

_LOWEST = -1.7e308  # where missing values go: below everything
_BITS = 4  # columns whose low bits are looked at


@frozen(eq=False)
class Feature:
    """One number a row."""

    name: str
    of: Callable[[Matrix], Column]


def features_of(rows: Matrix) -> list[Feature]:
    """The features worth looking at in rows like these."""
    width = rows.shape[1]
    found = [Feature(f"value {at}", partial(_value, at)) for at in range(width)]
    found += [
        Feature(f"lowest bit of value {at}", partial(_lowest_bit, at))
        for at in range(min(width, _BITS))
        if not np.all(rows[:, at] == np.round(rows[:, at]))
    ]
    if width == 1:
        return found
    found += [
        Feature("largest", lambda rows: _known(rows).max(axis=1)),
        Feature("smallest", lambda rows: _known(rows).min(axis=1)),
        Feature("where the largest is", lambda rows: _known(rows).argmax(axis=1).astype(np.float64)),
        Feature("where the smallest is", lambda rows: _known(rows).argmin(axis=1).astype(np.float64)),
        Feature("largest gap", lambda rows: _gaps(rows).max(axis=1)),
        Feature("smallest gap", lambda rows: _gaps(rows).min(axis=1)),
        Feature("different values", lambda rows: 1.0 + (_gaps(rows) > 0).sum(axis=1)),
    ]
    special = Special.of(rows)
    mixed = special.mixed(rows)
    found += [Feature(f"value {at} unless special", partial(special.unless, -_LOWEST, at)) for at in mixed]
    found += [Feature(f"how often {value:g}", partial(how_often, value)) for value in special.commonest]
    found.append(Feature("sum of the rest", special.rest))
    found += [
        Feature(f"sum of the rest beside {value:g} {times} times", partial(special.rest_beside, value, times, -_LOWEST))
        for value in (special.commonest if mixed else ())
        for times in sorted({max(1, width // 4), width // 2})
    ]
    half = np.arange(width) < width // 2
    found.append(Feature("first half against second", partial(_contrast, half)))
    return found


def linear_features_of(rows: Matrix) -> list[Feature]:
    """Features for weighted sums: a value that is at times a special one counts as 0 then, and a flag says so."""
    special = Special.of(rows)
    mixed, named = special.mixed(rows), special.commonest
    plain = [at for at in range(rows.shape[1]) if at not in mixed]
    found = [Feature(f"value {at}", partial(_value, at)) for at in plain]
    found += [Feature(f"value {at} unless special", partial(special.unless, 0.0, at)) for at in mixed]
    found += [Feature(f"value {at} is {value:g}", partial(_is, value, at)) for at in mixed for value in named]
    if rows.shape[1] > 1:
        found += [Feature(f"how often {value:g}", partial(how_often, value)) for value in named]
        found.append(Feature("largest", lambda rows: _known(rows).max(axis=1)))
    return found


def _is(value: float, at: int, rows: Matrix) -> Column:
    return np.asarray(rows[:, at] == value, np.float64)


def _known(rows: Matrix) -> Matrix:
    return np.nan_to_num(rows, nan=_LOWEST, posinf=-_LOWEST, neginf=_LOWEST)


def _value(at: int, rows: Matrix) -> Column:
    return np.nan_to_num(rows[:, at], nan=_LOWEST, posinf=-_LOWEST, neginf=_LOWEST)


def _lowest_bit(at: int, rows: Matrix) -> Column:
    """The exponent of the last binary digit: a grid that moves with the data shows here."""
    fraction, exponent = np.frexp(np.nan_to_num(rows[:, at], posinf=0, neginf=0))
    digits = np.abs(fraction * 2.0**53).astype(np.int64)
    lowest = (digits & -digits).astype(np.float64)
    return np.where(digits == 0, 2_000.0, np.log2(np.maximum(lowest, 1)) + exponent - 53)


def _gaps(rows: Matrix) -> Matrix:
    """Between neighbours in order, halved so that no gap overflows."""
    return np.diff(np.sort(_known(rows) / 2, axis=1), axis=1)


def _contrast(half: NDArray[np.bool_], rows: Matrix) -> Column:
    kept = np.where(np.isfinite(rows), rows, 0.0)
    return np.asarray(kept[:, half].sum(axis=1) - kept[:, ~half].sum(axis=1))
