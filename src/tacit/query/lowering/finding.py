"""The SQL that finds limits: how many people have how much, in bins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tacit.query.aggregates.parts import Distinct, Measure, Part
from tacit.query.limits.bins import Bins
from tacit.query.plans.key_column import KeyColumn
from tacit.query.plans.noise_share import NoiseShare
from tacit.query.relations.rows import UNIT, Rows

BINS = Bins(2**45)
NORM_STEPS = 4  # of an ℓ₂ norm, to one step of its measure


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
        sources = [self._source(part, table) for part in self.parts]
        amounts = [self._amount(part, measures) for part in self.parts]
        selects = {
            source: ", ".join(
                f"{amount} AS a{place}" for place, amount in enumerate(amounts) if sources[place] == source
            )
            for source in sources
        }
        return finding_sql(
            [
                (f"SELECT {selects[source]} FROM {source} GROUP BY {UNIT}", f"a{place}")
                for place, source in enumerate(sources)
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
    """The norm of a person's totals over groups: ℓ₁ as a whole number, or ℓ₂ in quarters, rounded down."""
    if not is_squared:
        return f"SUM({value})"
    squares = f"SUM(CAST({value} AS HUGEINT) * CAST({value} AS HUGEINT))"
    return f"CAST(floor({NORM_STEPS}.0 * sqrt(CAST({squares} AS DOUBLE))) AS HUGEINT)"


def finding_sql(amounts: Sequence[tuple[str, str]]) -> str:
    """How many people there are in each bin of each of several amounts: (a SELECT of people, the amount's column)."""
    selects = list(dict.fromkeys(select for select, _ in amounts))
    named = ", ".join(f'"__people{place}" AS ({select})' for place, select in enumerate(selects))
    parts = [
        f'SELECT {place} AS part, {BINS.index_sql(column)} AS bin FROM "__people{selects.index(select)}"'
        for place, (select, column) in enumerate(amounts)
    ]
    binned = f'({" UNION ALL ".join(parts)}) AS "__binned"'
    return f"WITH {named} SELECT part, bin, COUNT(*) AS y0 FROM {binned} GROUP BY part, bin"
