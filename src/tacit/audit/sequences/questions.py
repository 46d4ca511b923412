"""Random questions about a described data set: what is counted, of whom, by which public keys."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.frozen import frozen
from tacit.schema.description import Column, Description, Table

_FUNCTIONS = ("SUM", "AVG")  # one for each column: a sum may be worked out of an average that was told


@frozen(eq=False)
class Questions:
    """A source of SQL over one table with public keys and bounded numbers."""

    table: Table

    @classmethod
    def about(cls, description: Description) -> Questions:
        """Those about the table with most to ask of."""
        return cls(max(description.tables.values(), key=lambda table: len(_numbers(table))))

    def any(self, generator: np.random.Generator, hint: float = 0.5) -> str:
        """A question; `hint`, in [0, 1], is what the analyst learned before: it places the filter."""
        numbers, keyed = _numbers(self.table), _keyed(self.table)
        what = ["COUNT(*)"]
        if numbers and generator.random() < 0.6:
            chosen = int(generator.integers(len(numbers)))
            what.append(f'{_FUNCTIONS[chosen % len(_FUNCTIONS)]}("{numbers[chosen].name}")')
        where = ""
        if numbers and generator.random() < 0.6:
            column = numbers[int(generator.integers(len(numbers)))]
            assert column.low is not None
            assert column.high is not None
            place = float(column.low + (column.high - column.low) * round(1000 * hint) / 1000)
            where = f' WHERE "{column.name}" {generator.choice(["<", ">"])} {place:.3f}'
        if keyed and generator.random() < 0.5:
            key = keyed[int(generator.integers(len(keyed)))].name
            return f'SELECT "{key}", {", ".join(what)} FROM "{self.table.name}"{where} GROUP BY "{key}"'
        return f'SELECT {", ".join(what)} FROM "{self.table.name}"{where}'


def _numbers(table: Table) -> Sequence[Column]:
    return [
        column
        for column in table.columns.values()
        if column.kind.is_number and column.low is not None and column.high is not None and not column.keys
    ]


def _keyed(table: Table) -> Sequence[Column]:
    return [column for column in table.columns.values() if column.keys]
