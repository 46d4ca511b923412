"""The SQL that finds limits: how many people have how much, in bins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tacit.query.aggregates.parts import Distinct, Measure, Part, Ranks
from tacit.query.limits.bins import Bins
from tacit.query.plans.key_column import KeyColumn
from tacit.query.plans.noise_share import NoiseShare
from tacit.query.relations.rows import UNIT, Rows

BINS = Bins(2**45)


@dataclass(frozen=True)
class FindingBlock:
    """For each part without a limit, the number of people in each bin of the amount they add to it.

    The amount is the norm, over groups, of a person's totals: the very thing that the limit will cut. Claim: one person
    is in one bin of each part, so their vector of counts has norm at most `noise.radius` if each counts `unit`.
    """

    rows: Rows
    keys: tuple[KeyColumn, ...]
    parts: tuple[Part, ...]
    noise: NoiseShare

    @property
    def unit(self) -> int:
        """Units of the law for one person."""
        return self.noise.split(len(self.parts))

    def sql(self, measures: Sequence[Measure], table: str) -> str:
        """One SELECT with columns part, bin, y0; `table` holds the people's totals of all `measures`."""
        return finding_sql(
            [
                f"SELECT {self._amount(part, measures)} AS amount FROM {self._source(part, table)} GROUP BY {UNIT}"
                for part in self.parts
            ]
        )

    def _amount(self, part: Part, measures: Sequence[Measure]) -> str:
        if not isinstance(part, Measure) or part.once:
            return "COUNT(*)"
        value = f"least(abs(v{list(measures).index(part)}), {BINS.most})"
        return norm_sql(value, is_squared=self.noise.is_gaussian and bool(self.keys))

    def _source(self, part: Part, table: str) -> str:
        if isinstance(part, Measure):
            return table
        listed = ", ".join([UNIT, *(f"{key.sql} AS k{place}" for place, key in enumerate(self.keys))])
        many = "DISTINCT " if isinstance(part, Distinct) else ""
        rows = f'(SELECT {listed}, {part.sql} AS value FROM ({self.rows.sql}) AS "__rows") AS "__valued"'
        return f'(SELECT {many}* FROM {rows} WHERE value IS NOT NULL) AS "__counted"'


def norm_sql(value: str, is_squared: bool) -> str:
    """The norm of a person's totals over groups, a whole number: ℓ₂ rounded down, or ℓ₁."""
    if not is_squared:
        return f"SUM({value})"
    return f"CAST(floor(sqrt(CAST(SUM(CAST({value} AS HUGEINT) * CAST({value} AS HUGEINT)) AS DOUBLE))) AS HUGEINT)"


def finding_sql(amounts: Sequence[str]) -> str:
    """How many people there are in each bin of each of several amounts."""
    parts = [
        f'SELECT {place} AS part, {BINS.index_sql("amount")} AS bin FROM ({sql}) AS "__amounts"'
        for place, sql in enumerate(amounts)
    ]
    return f'SELECT part, bin, COUNT(*) AS y0 FROM ({" UNION ALL ".join(parts)}) AS "__binned" GROUP BY part, bin'


def is_rows(part: Part) -> bool:
    """Whether a part's amount is a number of rows."""
    return isinstance(part, Ranks) or (isinstance(part, Measure) and part.subject == "rows")
