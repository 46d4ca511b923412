"""Special values: those that many rows repeat, such as "below" or "stopped", and what stands beside them."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tacit.audit.black_box.matrix import Matrix
from tacit.frozen import frozen

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
        """The few that features are made for."""
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
        """A column's values, where they are nothing special."""
        return np.where(self.where(rows[:, at]) | ~np.isfinite(rows[:, at]), else_value, rows[:, at])

    def rest(self, rows: Matrix) -> Column:
        """The sum of the values that are nothing special; of all of them where every value is."""
        special = self.where(rows)
        kept = np.isfinite(rows) & (special.all() | ~special)
        return np.asarray(np.where(kept, rows, 0.0).sum(axis=1))

    def rest_beside(self, value: float, times: int, else_value: float, rows: Matrix) -> Column:
        """The sum of the rest in rows that hold a special value at least so many times, and something else."""
        many = how_often(value, rows)
        return np.where((many >= times) & (many < rows.shape[1]), self.rest(rows), else_value)


def how_often(value: float, rows: Matrix) -> Column:
    return np.asarray((rows == value).sum(axis=1), np.float64)
