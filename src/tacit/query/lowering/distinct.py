"""The SQL of a distinct count: each person contributes a limited number of values."""

from __future__ import annotations

from tacit.frozen import frozen
from tacit.query.aggregates.aggregate import Distinct
from tacit.query.lowering.tally import group_by
from tacit.query.plans.group_keys import KeyColumn
from tacit.query.plans.price import NoiseShare
from tacit.query.sql.rows import UNIT, Ownership, Rows


@frozen
class DistinctBlock:
    """The number of different values by group.

    Claim: each person contributes at most `limit` pairs of group and value: of more pairs, the first by a digest of
    person and pair, so that the choice depends on that person's rows only, is the same on every engine, and differs
    between people. With one person more, each count grows by the pairs that no one else contributes: all together by at
    most `limit`, in ℓ₁ and so in ℓ₂.
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
        listed, grouped = ", ".join([*groups, "COUNT(DISTINCT value) AS y0"]), group_by(groups)
        if self.rows.ownership is not Ownership.MANY:
            return f'SELECT {listed} FROM ({self.pairs_sql()}) AS "__pairs"{grouped}'
        pairs = [*groups, "value"]
        many = f'SELECT {UNIT}, COUNT(*) AS many FROM "__pairs" GROUP BY {UNIT} HAVING COUNT(*) > {self.limit}'
        few = f'SELECT {", ".join(pairs)} FROM "__pairs" LEFT JOIN "__many" USING ({UNIT}) WHERE many IS NULL'
        order = ", ".join([_digest([UNIT, *pairs]), *pairs])
        ranked = (
            f"SELECT {', '.join(pairs)}, row_number() OVER (PARTITION BY {UNIT} ORDER BY {order}) AS place "
            f'FROM "__pairs" JOIN "__many" USING ({UNIT})'
        )
        first = f'SELECT {", ".join(pairs)} FROM ({ranked}) AS "__ranked" WHERE place <= {self.limit}'
        return (
            f'WITH "__pairs" AS MATERIALIZED ({self.pairs_sql()}), "__many" AS ({many}) '
            f'SELECT {listed} FROM ({few} UNION ALL {first}) AS "__brought"{grouped}'
        )

    def pairs_sql(self) -> str:
        """Every pair of group and value that each person has."""
        keys = [f"{key.sql} AS k{place}" for place, key in enumerate(self.keys)]
        people = [] if self.rows.ownership is Ownership.EACH else [UNIT]
        listed = ", ".join([*people, *keys, f"{self.distinct.sql} AS value"])
        return (
            f'SELECT DISTINCT * FROM (SELECT {listed} FROM ({self.rows.under(listed)}) AS "__rows") AS "__valued" '
            "WHERE value IS NOT NULL"
        )


_BEGINNING = 256  # letters; otherwise long texts of many columns would be joined on every row
_BAR = ", '|', "


def _digest(columns: list[str]) -> str:
    """A digest text of a pair, from the text of its values, of which only the beginning for long ones.

    The pairs themselves follow it in the order, so it need not be unique.
    """
    written = (f"substring(CAST({column} AS VARCHAR), 1, {_BEGINNING})" for column in columns)
    return f"md5(concat({_BAR.join(written)}))"
