"""The SQL of ranks: how many rows lie in each cell of a grid, each person's rows sharing a limited weight."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.query.aggregates.parts import Ranks
from tacit.query.lowering.tally import group_by, word_sum
from tacit.query.plans.key_column import KeyColumn
from tacit.query.plans.noise_share import NoiseShare
from tacit.query.relations.rows import UNIT, Ownership, Rows


@dataclass(frozen=True)
class RanksBlock:
    """Weighted counts of rows by group and cell.

    Claim: a row of a person with n counted rows weighs min(unit, ⌊unit·limit/n⌋), so that on each level of the tree
    one person's counts add up to at most unit·limit: ℓ₁, hence ℓ₂. Over all levels the norm is within
    `noise.radius`, since unit·limit is its share for each.
    """

    rows: Rows
    keys: tuple[KeyColumn, ...]
    ranks: Ranks
    limit: int
    noise: NoiseShare

    @property
    def unit(self) -> int:
        """Units of the law for a row that counts fully."""
        return self.noise.split(self.ranks.levels) // self.limit

    def sql(self) -> str:
        """One SELECT with columns k0 …, cell, y0; cells without rows are absent."""
        ranks, unit = self.ranks, self.unit
        cell = f"(value - ({ranks.low})) // {ranks.width}"
        keys = [f"{key.sql} AS k{place}" for place, key in enumerate(self.keys)]
        groups = [f"k{place}" for place in range(len(self.keys))]
        people = [] if self.rows.ownership is Ownership.EACH else [UNIT]
        listed = ", ".join([*people, *keys, f"{ranks.sql} AS value"])
        counted = (
            f'SELECT * FROM (SELECT {listed} FROM ({self.rows.sql}) AS "__rows") AS "__valued" WHERE value IS NOT NULL'
        )
        outer = ", ".join([*groups, f"{cell} AS cell"])
        grouped = group_by([*groups, "cell"])
        if self.rows.ownership is not Ownership.MANY:
            return f'SELECT {outer}, {word_sum(str(unit))} AS y0 FROM ({counted}) AS "__counted"{grouped}'
        weight = word_sum(f"CASE WHEN many IS NULL THEN {unit} ELSE {unit * self.limit} // many END")
        return (
            f'WITH "__counted" AS MATERIALIZED ({counted}), '
            f'"__large" AS (SELECT {UNIT}, COUNT(*) AS many FROM "__counted" GROUP BY {UNIT} '
            f"HAVING COUNT(*) > {self.limit}) "
            f'SELECT {outer}, {weight} AS y0 FROM "__counted" LEFT JOIN "__large" USING ({UNIT}){grouped}'
        )
