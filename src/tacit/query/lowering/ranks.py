"""The SQL of ranks: the number of rows in each cell of a grid, each person's rows scaled into a ball.

A limit of ranks cuts a person's norm over the levels of a tree of counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import floor, isqrt

from tacit.frozen import frozen
from tacit.mechanisms.statistics.rank_tree import FAN
from tacit.query.aggregates.aggregate import Ranks
from tacit.query.aggregates.rank_grid import STRETCHES, cell_sql
from tacit.query.lowering.tally import group_by
from tacit.query.plans.group_keys import KeyColumn
from tacit.query.plans.price import NoiseShare
from tacit.query.sql.clamp import ONE, Cut, count_named, cut, total, word_sum
from tacit.query.sql.rows import UNIT, Ownership, Rows
from tacit.query.sql.values.storage import double_sql

_SLACK = 1 - 2.0**-44  # more than the rounding errors of conversion, root, division and product in double precision
_FEW = 16  # number of rows; below it most people's norms are needed


@frozen
class RanksBlock:
    """Weighted counts of rows by group and cell.

    Claim: between people the counts are additive, and one person's vector, over all levels, groups and nodes of the
    tree made from them, has norm at most `noise.radius`: ℓ₂ for Gaussian noise, ℓ₁ for Laplace. Proof: every row of a
    person adds the same weight to one node of each level, so the vector is that weight times the vector of the person's
    rows. If the norm of the latter (or what `rank_squares_sql` puts above it) is within `limit`, the weight is `unit`,
    at most radius/limit; else it is at most radius/norm, cut to a whole number. For Laplace noise the norm of n rows is
    n·levels. For Gaussian noise it is between √(n·levels), no two in a node, and n·√levels, all in one, so people with
    too few rows to exceed the limit need no norm.
    """

    rows: Rows
    keys: tuple[KeyColumn, ...]
    ranks: Ranks
    limit: Fraction
    noise: NoiseShare

    @property
    def unit(self) -> int:
        """Units of the law for a row that counts fully."""
        return floor(self.noise.radius / self.limit)

    @property
    def few(self) -> int:
        """The most rows that count fully in any cells."""
        if self.noise.is_gaussian:
            return isqrt(floor(self.limit**2) // self.ranks.levels)
        return floor(self.limit / self.ranks.levels)

    def sql(self, norms: str | None = None) -> str:
        """One SELECT with columns k0 …, cell, y0; cells without rows are absent. `norms` holds people's if kept."""
        counted, groups = cells_sql(self.rows, self.keys, self.ranks), [f"k{place}" for place in range(len(self.keys))]
        listed, grouped = ", ".join([*groups, "cell"]), group_by([*groups, "cell"])
        if self.rows.ownership is not Ownership.MANY:
            return f'SELECT {listed}, {word_sum(self._full)} AS y0 FROM ({counted}) AS "__counted"{grouped}'
        weight = word_sum(self._full.where("weight IS NULL", self._shrunk("squares").named("weight")))
        tables = [
            f'"__counted" AS MATERIALIZED ({counted})',
            *([] if norms else self._many()),
            f'"__large" AS ({self._large(groups, norms)})',
        ]
        return (
            f"WITH {', '.join(tables)} "
            f'SELECT {listed}, {weight} AS y0 FROM "__counted" LEFT JOIN "__large" USING ({UNIT}){grouped}'
        )

    def _many(self) -> list[str]:
        """The people with so many rows that they may be beyond the limit; None where that is half of all people."""
        if self._is_by_norm and self.few < _FEW:
            return []
        many = f'SELECT {UNIT}, COUNT(*) AS many FROM "__counted" GROUP BY {UNIT} HAVING COUNT(*) > {self.few}'
        return [f'"__many" AS ({many})']

    def _large(self, groups: list[str], norms: str | None) -> str:
        """The people beyond the limit, each with the weight of their rows."""
        radius, levels = self.noise.radius, self.ranks.levels
        if not self.noise.is_gaussian:
            weight = self._cut(f"{radius} // (many * {levels})")
            return f'SELECT {UNIT}, {weight} AS weight FROM "__many"'
        squares = norms or f'({self._squares(groups)}) AS "__norms"'
        return f"SELECT {UNIT}, {self._shrunk('squares')} AS weight FROM {squares} WHERE {self._is_large('squares')}"

    def _squares(self, groups: list[str]) -> str:
        """The squared norms of those who may be beyond the limit."""
        if not self._is_by_norm:
            return f'SELECT {UNIT}, {self.ranks.levels} * CAST(many AS HUGEINT) * many AS squares FROM "__many"'
        theirs = '"__counted"'
        if self._many():
            theirs = f'(SELECT * FROM "__counted" WHERE {UNIT} IN (SELECT {UNIT} FROM "__many")) AS "__theirs"'
        return rank_squares_sql(theirs, groups, self.ranks.levels, is_even=True)

    @property
    def _is_by_norm(self) -> bool:
        """Whether the norm is more than a number of rows."""
        return self.noise.is_gaussian and bool(self.ranks.edges)

    @property
    def _full(self) -> Cut:
        """The weight of each row of a person whose norm is within the limit."""
        return ONE.scaled(self.unit, 1)

    def weight(self, squares: str) -> Cut:
        """The weight of each row of a person, from the square of their norm."""
        return self._shrunk(squares).where(self._is_large(squares), self._full)

    def _is_large(self, squares: str) -> str:
        """Whether a norm is beyond the limit."""
        return f"{squares} > {floor(self.limit**2)}"

    def _shrunk(self, squares: str) -> Cut:
        """The weight of each row of a person whose norm is beyond the limit."""
        radius = double_sql(self.noise.radius * _SLACK)
        return self._cut(f"CAST(floor({radius} / sqrt(CAST({squares} AS DOUBLE))) AS BIGINT)")

    def _cut(self, weight: str) -> Cut:
        """A weight cut to the full one."""
        return cut(weight, 0, self.unit)


def cells_sql(rows: Rows, keys: Sequence[KeyColumn], ranks: Ranks) -> str:
    """The rows that count, each with its group and its cell: columns "__unit" (if rows have one), k0 …, cell."""
    people = [] if rows.ownership is Ownership.EACH else [UNIT]
    groups = [f"k{place}" for place in range(len(keys))]
    named = [f"{key.sql} AS {group}" for key, group in zip(keys, groups, strict=True)]
    read = ", ".join([*people, *named, f"{ranks.sql} AS stored"])
    valued = ", ".join([*people, *groups, f"{ranks.value('stored')} AS value"])
    listed = ", ".join([*people, *groups, f"{cell_sql(ranks, 'value')} AS cell"])
    stored = f'(SELECT {read} FROM ({rows.under(read)}) AS "__rows") AS "__stored"'
    return f'SELECT {listed} FROM (SELECT {valued} FROM {stored} WHERE stored IS NOT NULL) AS "__valued"'


def squares_sql(rows: Rows, keys: Sequence[KeyColumn], ranks: Ranks) -> str:
    """The squared norm of every person over the tree of these rows: columns "__unit", squares."""
    counted = f'({cells_sql(rows, keys, ranks)}) AS "__counted"'
    return rank_squares_sql(counted, [f"k{place}" for place in range(len(keys))], ranks.levels, bool(ranks.edges))


def rank_squares_sql(counted: str, groups: Sequence[str], levels: int, is_even: bool = False) -> str:
    """An upper bound of each person's squared norm: columns "__unit", squares. `counted` has their rows and cells.

    Claim: with c rows of a person in a node (of a group), Σc² over all nodes of all levels is at most `squares`, a
    whole number that no order of rows can change. Proof: where the grid is not even it is levels·n², since on each
    level Σc² ≤ (Σc)² = n². Where it is, the coarsest level is added up as it is. The nodes of a finer level cut the
    stretches of the grid, and Σc² of the parts of a stretch is at most the square of their sum, so that every finer
    level adds at most what the stretches do. Any larger number is valid too.

    A closer bound is not always used: if weights depended on where a person's rows lie, rows in crowded nodes would
    weigh less, which shifts every quantile. So on an even grid, in one group, `squares` is not below what
    `usual_squares` says of n rows: then most people's weights depend on n only, and yet are several times larger than n
    alone permits. Stretches are used because finer nodes mostly hold one row of a person, and grouping by them is
    slowest.
    """
    if not is_even:
        square = f"{levels} * CAST(COUNT(*) AS HUGEINT) * COUNT(*)"
        return f"SELECT {UNIT}, {square} AS squares FROM {counted} GROUP BY {UNIT}"
    within, stretch = ", ".join([UNIT, *groups]), f"cell // {FAN**levels // STRETCHES}"
    held = f"SELECT {within}, {stretch} AS stretch, COUNT(*) AS held FROM {counted} GROUP BY {within}, {stretch}"
    rows, node = count_named("held"), f"stretch // {STRETCHES // FAN}"
    squared = rows.squared()
    nodes = (
        f"SELECT {UNIT}, {total(rows)} AS held, {total(squared)} AS finer "
        f'FROM ({held}) AS "__stretches" GROUP BY {within}, {node}'
    )
    squares = total(squared, squared.named("finer").scaled(levels - 1, 1))
    if not groups:
        squares = f"greatest({squares}, {usual_squares(f'CAST({total(rows)} AS HUGEINT)', levels)})"
    return f'SELECT {UNIT}, {squares} AS squares FROM ({nodes}) AS "__nodes" GROUP BY {UNIT}'


def usual_squares(rows: str, levels: int) -> str:
    """The square of the norm of n rows, a third more than if they fell evenly; of few rows, the largest it can be.

    If two rows share a node of the coarsest level once in 16, and a stretch, which stands for every finer level, once
    in 64, the square is levels·n + (4 + levels − 1)/64·n², give or take.
    """
    even = f"{levels * STRETCHES} * {rows} + {STRETCHES // FAN + levels - 1} * {rows} * {rows}"
    return f"least(4 * ({even}) // {3 * STRETCHES}, {levels} * {rows} * {rows})"
