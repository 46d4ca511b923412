"""Sums by cell over weighted rows, for models that see the same rows many times.

A factor for each person in each step would need each person's norm in each step. Rows with fixed weights need none.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from tacit.frozen import frozen
from tacit.learn.sums.bounded_sums import SOURCE, KeyedBlock
from tacit.query.sql.clamp import Cut, cut, sums
from tacit.query.sql.rows import UNIT

PARTS = 2**10  # of a row's weight, where a person has several rows


@frozen(eq=False)
class WeightedSums:
    """The sums of blocks times weights, where `row_squared` bounds a row's squared norm without its weight.

    Claim: a person's vector has squared norm at most `limit` = most²·`row_squared`, where their weights add up to
    `most`. Proof: each row adds a vector of norm weight·√`row_squared` at most, and norms of sums are at most sums of
    norms. That a row's values keep to `row_squared` is the claim of who makes the blocks. Weights are ⌊most/k⌋ on each
    of a person's k rows, integers, so that they add up to `most` or less; they depend on the person's own rows alone.
    """

    blocks: tuple[KeyedBlock, ...]
    row_squared: int
    most: int  # what the weights of one person add up to
    source: str = f'SELECT * FROM "{SOURCE}"'

    @property
    def name(self) -> str:
        """What the rows are called."""
        return SOURCE

    @property
    def limit(self) -> int:
        return self.most**2 * self.row_squared

    @property
    def size(self) -> int:
        return sum(block.size for block in self.blocks)

    def factors_sql(self) -> None:
        """None: rows have weights instead."""

    def statements(self) -> Iterator[str]:
        """SELECTs with columns k0, the block, k1, the cell, and y0 …: together all sums."""
        numbered = sorted(enumerate(self.blocks), key=lambda each: len(each[1].values))
        for _, alike in groupby(numbered, key=lambda each: len(each[1].values)):
            parts = [self._one(place, block) for place, block in alike]
            yield f'WITH "__weighted_rows" AS MATERIALIZED ({self.source}) {" UNION ALL ".join(parts)}'

    def _one(self, place: int, block: KeyedBlock) -> str:
        rows = f'SELECT {block.sql(["w"])} FROM "__weighted_rows"'
        weight = Cut("w", 0, min(PARTS, self.most))
        listed = ", ".join(sums([value.times(weight) for value in block.names]))
        return f'SELECT {place} AS k0, k1, {listed} FROM ({rows}) AS "__grouped" GROUP BY k1'


def weighted(rows_sql: str, columns: str, most: int, is_many: bool) -> str:
    """Rows with these columns and a weight w: 1 where a person is one row, else ⌊most/k⌋ for a person's k rows."""
    if not is_many:
        return f'SELECT {UNIT}, {columns}, CAST(1 AS BIGINT) AS w FROM ({rows_sql}) AS "__unweighted"'
    held = f'SELECT {UNIT}, COUNT(*) AS held FROM "__unweighted" GROUP BY {UNIT}'
    weight = cut(f"{most} // held", 0, min(PARTS, most))
    joined = f'"__unweighted" JOIN "__held" USING ({UNIT})'
    named = f'WITH "__unweighted" AS ({rows_sql}), "__held" AS ({held})'
    return f"{named} SELECT {UNIT}, {columns}, {weight} AS w FROM {joined}"
