"""The SQL of ranks: how many rows lie in each cell of a grid, each person's rows shrunk into a ball."""

from __future__ import annotations

from fractions import Fraction
from math import floor, isqrt

from tacit.frozen import frozen
from tacit.query.aggregates.parts import Ranks
from tacit.query.expressions.storage import double_sql
from tacit.query.lowering.clamp import ONE, Cut, cut, word_sum
from tacit.query.lowering.rank_norms import cells_sql, rank_squares_sql
from tacit.query.lowering.tally import group_by
from tacit.query.plans.key_column import KeyColumn
from tacit.query.plans.noise_share import NoiseShare
from tacit.query.relations.rows import UNIT, Ownership, Rows

_SLACK = 1 - 2.0**-44  # more than conversion, root, division and product can add in double precision
_FEW = 16  # rows: most people's norms are needed below it


@frozen
class RanksBlock:
    """Weighted counts of rows by group and cell.

    Claim: between people the counts are additive, and one person's vector, over all levels, groups and nodes of the
    tree made from them, has norm at most `noise.radius`: ℓ₂ for Gaussian noise, ℓ₁ for Laplace. Proof: every row of a
    person adds the same weight to one node of each level, so the vector is that weight times the vector of the
    person's rows. If the norm of the latter (or what `rank_squares_sql` puts above it) is within `limit`, the weight is
    `unit`, at most radius/limit; else it is at most radius/norm, cut to a whole number. For Laplace noise the norm of
    n rows is n·levels. For Gaussian noise it is between √(n·levels), no two in a node, and n·√levels, all in one, so
    whoever has too few rows to exceed the limit needs no closer look.
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
        """The most rows that count fully wherever they lie."""
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
        """The people with so many rows that they may be beyond the limit; not sought where that is half of them."""
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
        """What each row weighs of a person whose norm is within the limit."""
        return ONE.scaled(self.unit, 1)

    def weight(self, squares: str) -> Cut:
        """What each row weighs of a person, from the square of their norm."""
        return self._shrunk(squares).where(self._is_large(squares), self._full)

    def _is_large(self, squares: str) -> str:
        """Whether a norm is beyond the limit."""
        return f"{squares} > {floor(self.limit**2)}"

    def _shrunk(self, squares: str) -> Cut:
        """What each row weighs of a person whose norm is beyond the limit."""
        radius = double_sql(self.noise.radius * _SLACK)
        return self._cut(f"CAST(floor({radius} / sqrt(CAST({squares} AS DOUBLE))) AS BIGINT)")

    def _cut(self, weight: str) -> Cut:
        """A weight that is no larger than the full one."""
        return cut(weight, 0, self.unit)
