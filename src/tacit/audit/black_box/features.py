"""Features of answers: an answer of any kind as a row of numbers, and features that may distinguish two data sets.

Features are values, ranks, gaps, repeated values, patterns and low bits. Special values are those that many rows
repeat, such as "below" or "stopped".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from tacit.audit.subject import Outputs
from tacit.frozen import frozen

Matrix: TypeAlias = NDArray[np.float64]

_WIDEST = 64


@frozen
class AnswerReader:
    """Reads answers into rows of one width; what is missing is NaN, words become numbers by their checksum."""

    width: int
    has_length: bool
    """Whether the number of values of an answer comes first; answers of one length do not need it."""

    @classmethod
    def of(cls, outputs: Outputs) -> AnswerReader:
        """The reader for answers like these: as wide as the widest of them, up to a limit."""
        return cls(min(_numbers(outputs).shape[1], _WIDEST), _is_ragged(outputs))

    def read(self, outputs: Outputs) -> Matrix:
        """One row per answer. Its treatment of unusual answers is post-processing, so bounds do not depend on it."""
        rows = _listed(outputs) if self.has_length else _numbers(outputs)
        if rows.shape[1] < self.width:
            rows = np.pad(rows, ((0, 0), (0, self.width - rows.shape[1])), constant_values=np.nan)
        return rows[:, : self.width]


def _is_ragged(outputs: Outputs) -> bool:
    """Whether answers have different lengths, or none."""
    return not outputs.size or not (outputs.dtype.names or outputs.dtype.kind in "fiubmM")


def _numbers(outputs: Outputs) -> Matrix:
    if _is_ragged(outputs):
        return _listed(outputs)
    if outputs.dtype.names:
        return np.column_stack([_numbers(outputs[name]) for name in outputs.dtype.names])
    if outputs.dtype.kind in "fiub":
        return outputs.reshape(len(outputs), -1).astype(np.float64, copy=False)
    return outputs.reshape(len(outputs), -1).astype(np.int64).astype(np.float64)


def _listed(outputs: Outputs) -> Matrix:
    flat = [list(_flat(row)) for row in outputs.tolist()]
    width = max(map(len, flat), default=0)
    return np.array([[len(row), *row, *[np.nan] * (width - len(row))] for row in flat], np.float64)


def _flat(value: Any) -> Iterable[float]:
    if value is None:
        yield np.nan
    elif isinstance(value, (bool, int, float, np.number)):
        yield float(value)
    elif isinstance(value, Mapping):
        for key in value:
            yield from _flat(key)
            yield from _flat(value[key])
    elif isinstance(value, (list, tuple, np.ndarray)):
        for part in value:
            yield from _flat(part)
    else:
        yield float(crc32(str(value).encode()))


Column: TypeAlias = NDArray[np.float64]

_NAMED = 3


@frozen(eq=False)
class Special:
    """Special values, commonest first: a continuous answer has none."""

    values: NDArray[np.float64]

    @classmethod
    def of(cls, rows: Matrix, share: float = 0.005) -> Special:
        values, counts = np.unique(rows[:20_000][np.isfinite(rows[:20_000])], return_counts=True)
        often = counts >= max(5.0, share * counts.sum() / rows.shape[1])
        return cls(values[often][np.argsort(-counts[often])][:256])

    @property
    def commonest(self) -> list[float]:
        """The few special values that features are made for."""
        return [float(value) for value in self.values[:_NAMED]]

    def mixed(self, rows: Matrix) -> list[int]:
        """The columns in which some values are special and some are not."""
        shares = self.where(rows[:5_000]).mean(axis=0)
        return [int(at) for at in np.flatnonzero((shares > 0) & (shares < 1))]

    def where(self, rows: Matrix) -> NDArray[np.bool_]:
        if len(self.values) > _NAMED:
            return np.isin(rows, self.values)
        found = np.zeros(rows.shape, bool)
        for value in self.values:
            found |= rows == value
        return found

    def unless(self, else_value: float, at: int, rows: Matrix) -> Column:
        """A column's values where they are not special."""
        return np.where(self.where(rows[:, at]) | ~np.isfinite(rows[:, at]), else_value, rows[:, at])

    def rest(self, rows: Matrix) -> Column:
        """The sum of the values that are not special; of all values where every value is special."""
        special = self.where(rows)
        kept = np.isfinite(rows) & (special.all() | ~special)
        return np.asarray(np.where(kept, rows, 0.0).sum(axis=1))

    def rest_beside(self, value: float, times: int, else_value: float, rows: Matrix) -> Column:
        """The sum of the rest in rows that hold a special value at least so many times, and something else."""
        many = how_often(value, rows)
        return np.where((many >= times) & (many < rows.shape[1]), self.rest(rows), else_value)


def how_often(value: float, rows: Matrix) -> Column:
    return np.asarray((rows == value).sum(axis=1), np.float64)


_LOWEST = -1.7e308  # the value for missing ones: below everything
_BITS = 4  # the most columns whose low bits are examined


@frozen(eq=False)
class Feature:
    """One number per row."""

    name: str
    of: Callable[[Matrix], Column]


def features_of(rows: Matrix) -> list[Feature]:
    """The useful features of rows like these."""
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
    """Features for weighted sums: a special value counts as 0, and a flag marks it."""
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
    """The gaps between sorted neighbours, halved so that none overflows."""
    return np.diff(np.sort(_known(rows) / 2, axis=1), axis=1)


def _contrast(half: NDArray[np.bool_], rows: Matrix) -> Column:
    kept = np.where(np.isfinite(rows), rows, 0.0)
    return np.asarray(kept[:, half].sum(axis=1) - kept[:, ~half].sum(axis=1))
