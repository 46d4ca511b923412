"""What may give a world away in a row of numbers: values, ranks, gaps, repeated values, patterns, low bits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tacit.audit.black_box.matrix import Matrix
from tacit.frozen import frozen

Column: TypeAlias = NDArray[np.float64]

_LOWEST = -1.7e308  # where missing values go: below everything
_BITS = 4  # columns whose low bits are looked at
_ATOMS = 3


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
    atoms = common_values(rows)
    found += [
        Feature(f"value {at} unless special", partial(_unless, atoms, -_LOWEST, at)) for at in _mixed(rows, atoms)
    ]
    found += [Feature(f"how often {atom:g}", partial(_often, atom)) for atom in atoms[:_ATOMS]]
    found.append(Feature("sum of the rest", partial(_rest, atoms)))
    half = np.arange(width) < width // 2
    found.append(Feature("first half against second", partial(_contrast, half)))
    return found


def linear_features_of(rows: Matrix) -> list[Feature]:
    """Features for weighted sums: a value that is at times a special one counts as 0 then, and a flag says so."""
    atoms = common_values(rows)
    mixed = _mixed(rows, atoms)
    plain = [at for at in range(rows.shape[1]) if at not in mixed]
    found = [Feature(f"value {at}", partial(_value, at)) for at in plain]
    found += [Feature(f"value {at} unless special", partial(_unless, atoms, 0.0, at)) for at in mixed]
    found += [Feature(f"value {at} is {atom:g}", partial(_is, atom, at)) for at in mixed for atom in atoms[:_ATOMS]]
    if rows.shape[1] > 1:
        found += [Feature(f"how often {atom:g}", partial(_often, atom)) for atom in atoms[:_ATOMS]]
        found.append(Feature("largest", lambda rows: _known(rows).max(axis=1)))
    return found


def _mixed(rows: Matrix, atoms: NDArray[np.float64]) -> list[int]:
    """The columns in which some values are special and some are not."""
    shares = _special(rows[:5_000], atoms).mean(axis=0)
    return [int(at) for at in np.flatnonzero((shares > 0) & (shares < 1))]


def _special(rows: Matrix, atoms: NDArray[np.float64]) -> NDArray[np.bool_]:
    if len(atoms) > _ATOMS:
        return np.isin(rows, atoms)
    found = np.zeros(rows.shape, bool)
    for atom in atoms:
        found |= rows == atom
    return found


def _unless(atoms: NDArray[np.float64], else_value: float, at: int, rows: Matrix) -> Column:
    return np.where(_special(rows[:, at], atoms) | ~np.isfinite(rows[:, at]), else_value, rows[:, at])


def _is(atom: float, at: int, rows: Matrix) -> Column:
    return np.asarray(rows[:, at] == atom, np.float64)


def common_values(rows: Matrix, share: float = 0.005) -> NDArray[np.float64]:
    """The values that many rows repeat, commonest first: a continuous answer has none."""
    values, counts = np.unique(rows[:20_000][np.isfinite(rows[:20_000])], return_counts=True)
    often = counts >= max(5.0, share * counts.sum() / rows.shape[1])
    found: NDArray[np.float64] = values[often][np.argsort(-counts[often])][:256]
    return found


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


def _often(atom: float, rows: Matrix) -> Column:
    return np.asarray((rows == atom).sum(axis=1), np.float64)


def _rest(atoms: NDArray[np.float64], rows: Matrix) -> Column:
    """The sum of the values that are nothing special; of all of them where every value is."""
    special = _special(rows, atoms)
    kept = np.isfinite(rows) & (special.all() | ~special)
    return np.asarray(np.where(kept, rows, 0.0).sum(axis=1))


def _contrast(half: NDArray[np.bool_], rows: Matrix) -> Column:
    kept = np.where(np.isfinite(rows), rows, 0.0)
    return np.asarray(kept[:, half].sum(axis=1) - kept[:, ~half].sum(axis=1))
