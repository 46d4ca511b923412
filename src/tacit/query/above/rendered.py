"""A rendered answer: named columns in the order asked for, sorted and cut."""

from __future__ import annotations

import numpy as np

from tacit.frozen import frozen
from tacit.query.above.estimates import Estimates, Keys


@frozen(eq=False)
class OutputColumn:
    """A named column of the answer: exact values of keys, or noisy numbers with their intervals."""

    name: str
    values: Keys | Estimates

    @property
    def is_key(self) -> bool:
        return isinstance(self.values, Keys)

    @property
    def whole(self) -> bool:
        return isinstance(self.values, Estimates) and self.values.whole


@frozen(eq=False)
class Rendered:
    """The answer's columns."""

    columns: tuple[OutputColumn, ...]

    @property
    def size(self) -> int:
        return len(self.columns[0].values)

    def first(self, most: int | None) -> Rendered:
        """Its first rows, at most so many."""
        rows = np.arange(self.size if most is None else min(most, self.size), dtype=np.int64)
        return Rendered(tuple(OutputColumn(column.name, column.values.take(rows)) for column in self.columns))

    def __getitem__(self, name: str) -> OutputColumn:
        return next(column for column in self.columns if column.name == name)
