"""What is counted below the noise: sums of measures, ranks on a grid, and distinct values."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

from tacit.frozen import frozen
from tacit.query.lowering.clamp import Cut
from tacit.query.steps import cut_steps


@frozen
class ColumnSum:
    """What a measure adds up where every row counts: x − centre of a column's values, or 1 for each (centre None).

    Without a column it is 1 for each row.
    """

    column: str | None = None
    centre: int | None = None


@frozen
class Measure:
    """A number a row, in whole steps, added up over each person's rows of a group.

    `value` is cut to the bounds that are priced, in its own SQL. Where `once` is set a person counts once in a group:
    the largest of its 0s and 1s is taken instead of the sum. `subject` names what a profile knows its totals by; `of`
    says it again in terms of a column, where it can be said so.
    """

    value: Cut
    step: Fraction
    once: bool = False
    subject: str | None = None
    of: ColumnSum | None = None

    @property
    def sql(self) -> str:
        return self.value.sql

    @property
    def size(self) -> int:
        """The farthest from zero that one row is."""
        return self.value.size


@frozen
class Ranks:
    """How many rows lie in each cell of a public grid: what quantiles are read from.

    `sql` is a value as it is stored (see `Steps`), or NULL for rows that do not count; cell i holds the values from
    low + i·width on, the first and the last also those beyond: `value` sees to it.
    `column` is the one whose values they are, where every row counts. Where `edges` are given, cells are
    as many between each two of them instead, because about as many rows lie there: see `even_grid`.
    """

    sql: str
    step: Fraction
    low: int
    width: int
    levels: int
    high: int
    column: str | None = None
    edges: tuple[int, ...] = ()
    is_float: bool = False

    def value(self, stored: str) -> Cut:
        """A stored value that is not NULL in steps, within the grid."""
        return cut_steps(stored, self.step, self.low, self.high, self.low, is_float=self.is_float)

    @property
    def counts_in_a_rank(self) -> float:
        """About how many noisy counts, one by one, are as uncertain as the rank of a median read from all of them."""
        return 4 + 2.5 * (self.levels - 1)


@frozen
class Distinct:
    """How many different values a group has; `sql` is a value, NULL for rows that do not count."""

    sql: str


Part: TypeAlias = Measure | Ranks | Distinct
