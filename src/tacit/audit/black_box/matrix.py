"""Answers of any kind as rows of numbers: what a learner can look at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from tacit.audit.subject import Outputs
from tacit.frozen import frozen

Matrix: TypeAlias = NDArray[np.float64]

_WIDEST = 64


@frozen
class Reader:
    """Reads answers into rows of one width; what is missing is NaN, words become numbers by their checksum."""

    width: int
    has_length: bool
    """Whether the number of values of an answer comes first: answers of one length have no need of it."""

    @classmethod
    def of(cls, outputs: Outputs) -> Reader:
        """The reader for answers like these: as wide as the widest of them, within reason."""
        return cls(min(_numbers(outputs).shape[1], _WIDEST), _is_ragged(outputs))

    def read(self, outputs: Outputs) -> Matrix:
        """One row an answer. Whatever it does with odd answers is post-processing: no bound rests on it."""
        rows = _listed(outputs) if self.has_length else _numbers(outputs)
        if rows.shape[1] < self.width:
            rows = np.pad(rows, ((0, 0), (0, self.width - rows.shape[1])), constant_values=np.nan)
        return rows[:, : self.width]


def _is_ragged(outputs: Outputs) -> bool:
    """Whether answers have no length in common, or none at all."""
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
