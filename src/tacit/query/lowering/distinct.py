"""The SQL of a distinct count: each person brings a limited number of values."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.query.aggregates.parts import Distinct
from tacit.query.lowering.tally import group_by
from tacit.query.plans.key_column import KeyColumn
from tacit.query.plans.noise_share import NoiseShare
from tacit.query.relations.rows import UNIT, Ownership, Rows


@dataclass(frozen=True)
class DistinctBlock:
    """The number of different values by group.

    Claim: each person brings at most `limit` pairs of group and value, chosen by a hash of the pair, hence from that
    person's rows alone. With one person more, each count grows by the pairs that nobody else brings: all together by
    at most `limit`, in ℓ₁ and so in ℓ₂.
    """

    rows: Rows
    keys: tuple[KeyColumn, ...]
    distinct: Distinct
    limit: int
    noise: NoiseShare

    @property
    def unit(self) -> int:
        """Units of the law for one value."""
        return self.noise.radius // self.limit

    def sql(self) -> str:
        """One SELECT with columns k0 …, y0, a plain count."""
        groups = [f"k{place}" for place in range(len(self.keys))]
        pairs = ", ".join([*groups, "value"])
        brought = self.pairs_sql()
        if self.rows.ownership is Ownership.MANY:
            order = f"hash({pairs}), {pairs}"
            brought = (
                f"SELECT {pairs} FROM (SELECT *, row_number() OVER (PARTITION BY {UNIT} ORDER BY {order}) AS place "
                f'FROM ({brought}) AS "__pairs") AS "__ranked" WHERE place <= {self.limit}'
            )
        listed = ", ".join([*groups, "COUNT(DISTINCT value) AS y0"])
        return f'SELECT {listed} FROM ({brought}) AS "__brought"' + group_by(groups)

    def pairs_sql(self) -> str:
        """Every pair of group and value that each person has."""
        keys = [f"{key.sql} AS k{place}" for place, key in enumerate(self.keys)]
        people = [] if self.rows.ownership is Ownership.EACH else [UNIT]
        listed = ", ".join([*people, *keys, f"{self.distinct.sql} AS value"])
        return (
            f'SELECT DISTINCT * FROM (SELECT {listed} FROM ({self.rows.sql}) AS "__rows") AS "__valued" '
            "WHERE value IS NOT NULL"
        )
