"""Sums by cell of several columns at once, in which one person's whole vector has a limited norm.

A block adds up a few values by the cell that a row is in. All values of all blocks together are the statistic of a
model; one factor a person scales them, however many rows the person has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from tacit.frozen import frozen
from tacit.query.sql.clamp import WORD, Cut, cut, sums, total
from tacit.query.sql.rows import UNIT
from tacit.query.sql.values.storage import double_sql

SOURCE: Final = "__model_rows"
"""What a model's rows are called while its sums are computed."""

_SLACK: Final = 1 - 2.0**-44  # more than the rounding errors of conversion, division, root and product of doubles
_FAR: Final = 2**44  # of one total: beyond any limit, and its square fits 128 bits many times
_GROUPED: Final = '"__grouped"'


@frozen
class KeyedBlock:
    """Values of a row that are added up in the row's cell, a number from 0 up to `cells` − 1."""

    cell: str  # over the columns of the kept rows
    cells: int
    values: tuple[Cut, ...]

    @property
    def squared(self) -> int:
        """The most that one row adds to a squared norm."""
        return sum(value.size**2 for value in self.values)

    @property
    def size(self) -> int:
        return self.cells * len(self.values)

    def sql(self, further: Sequence[str] = ()) -> str:
        """The SELECT list of a row: its cell, its values, and further columns."""
        cell = str(cut(self.cell, 0, self.cells - 1))
        named = [f"{value} AS v{place}" for place, value in enumerate(self.values)]
        return ", ".join([f"{cell} AS k1", *named, *further])

    @property
    def names(self) -> list[Cut]:
        return [value.named(f"v{place}") for place, value in enumerate(self.values)]


@frozen(eq=False)
class BoundedSums:
    """The sums of blocks over all rows, each person's vector within √`limit`, as statements on kept rows.

    Claim: the sums are additive over people, and one person's vector over all blocks, cells and values has squared ℓ₂
    norm at most `limit`. Proof: every value is a `Cut`. Where a row is a person, the row is in one cell of each block,
    so that its squared norm is the sum of its squared values, an exact integer. Where people have many rows, a person's
    totals are exact integers first, cut at 2^44, and the squared norm is the sum of their squares over blocks and
    cells. A vector whose squared norm n exceeds the limit is multiplied by √(limit·(1 − 2⁻⁴⁴)/n) in double precision,
    and every number is cut towards zero: rounding errors of the factor and of the product are below 2⁻⁵⁰ of each, so
    that absolute values do not exceed those of the exact vector of squared norm `limit`. The factor is a function of
    the person's own rows alone. Where `limit` is not less than what cuts permit a row, rows need no factor.
    """

    blocks: tuple[KeyedBlock, ...]
    limit: int
    is_many: bool  # whether a person may have several rows
    name: str = SOURCE  # what the rows are called

    @property
    def factors_name(self) -> str:
        """What the factors of people beyond the limit are called."""
        return f"{self.name}_factors"

    @property
    def size(self) -> int:
        return sum(block.size for block in self.blocks)

    def factors_sql(self) -> str | None:
        """The factors of people beyond the limit, to be kept under `factors_name`; None where rows have their own."""
        if not self.is_many:
            return None
        parts, size = [], 0
        for block in self.blocks:
            squares = [each.squared() for each in _far(block)]
            size = max(size, sum(each.size for each in squares))
            parts.append(
                f'SELECT {UNIT}, {" + ".join(map(str, squares))} AS n FROM ({_people(block, self.name)}) AS "__people"'
            )
        norm = total(Cut("n", 0, size))
        norms = f'SELECT {UNIT}, {norm} AS norm FROM ({" UNION ALL ".join(parts)}) AS "__squares" GROUP BY {UNIT}'
        factor = self._factor("norm")
        return f'SELECT {UNIT}, {factor} AS factor FROM ({norms}) AS "__norms" WHERE norm > {self.limit}'

    def statements(self) -> Iterator[str]:
        """SELECTs with columns k0, the block, k1, the cell, and y0 …: together all sums."""
        numbered = sorted(enumerate(self.blocks), key=lambda each: len(each[1].values))
        for _, alike in groupby(numbered, key=lambda each: len(each[1].values)):
            yield self._with_rows(" UNION ALL ".join(self._one(place, block) for place, block in alike))

    def _one(self, place: int, block: KeyedBlock) -> str:
        if self.is_many:
            shrunk = [each.shrunk("factor") for each in _far(block)]
            source = f'({_people(block, self.name)}) AS "__people" LEFT JOIN "{self.factors_name}" USING ({UNIT})'
        elif self.limit < self._row_squared:
            shrunk = [each.shrunk("factor") for each in block.names]
            source = f'(SELECT {block.sql(["factor"])} FROM "__scaled_rows") AS {_GROUPED}'
        else:
            shrunk = block.names
            source = f'(SELECT {block.sql()} FROM "{self.name}") AS {_GROUPED}'
        return f"SELECT {place} AS k0, k1, {', '.join(sums(shrunk))} FROM {source} GROUP BY k1"

    def _with_rows(self, statement: str) -> str:
        """The statement; before it, where rows need factors, the rows with them."""
        if self.is_many or not self.limit < self._row_squared:
            return statement
        if not self._row_squared <= WORD:
            raise OverflowError("a row whose squared norm is no word")
        squares = [str(value.squared()) for block in self.blocks for value in block.values if _varies(value)]
        fixed = sum(value.size**2 for block in self.blocks for value in block.values if not _varies(value))
        norm = " + ".join([*squares, f"CAST({fixed} AS BIGINT)"])
        normed = f'SELECT *, {norm} AS norm FROM "{self.name}"'
        factor = f"CASE WHEN norm > {self.limit} THEN {self._factor('norm')} END"
        scaled = f'SELECT *, {factor} AS factor FROM ({normed}) AS "__normed_rows"'
        return f'WITH "__scaled_rows" AS MATERIALIZED ({scaled}) {statement}'

    @property
    def _row_squared(self) -> int:
        return sum(block.squared for block in self.blocks)

    def _factor(self, norm: str) -> str:
        return f"sqrt({double_sql(self.limit * _SLACK)} / CAST({norm} AS DOUBLE))"


def _far(block: KeyedBlock) -> list[Cut]:
    """A person's totals in one cell."""
    return [cut(name.sql, -_FAR, _FAR).named(name.sql) for name in block.names]


def _people(block: KeyedBlock, source: str) -> str:
    """Each person's totals by cell, cut where no limit is."""
    added = ", ".join(f"{total(value)} AS {value}" for value in block.names)
    rows = f'SELECT {UNIT}, {block.sql()} FROM "{source}"'
    totals = f"SELECT {UNIT}, k1, {added} FROM ({rows}) AS {_GROUPED} GROUP BY {UNIT}, k1"
    cuts = ", ".join(f"{cut(name.sql, -_FAR, _FAR)} AS {name}" for name in block.names)
    return f'SELECT {UNIT}, k1, {cuts} FROM ({totals}) AS "__totals"'


def _varies(value: Cut) -> bool:
    return value.low != value.high
