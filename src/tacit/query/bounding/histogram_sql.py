"""The SQL of a histogram of amounts: how many people have how much, in bins. Limits are chosen from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tacit.frozen import frozen
from tacit.query.aggregates.aggregate import Measure, Part, Ranks
from tacit.query.bounding.amount_histogram import Bins
from tacit.query.lowering.ranks import cells_sql, squares_sql
from tacit.query.plans.group_keys import KeyColumn
from tacit.query.plans.price import NoiseShare
from tacit.query.sql.clamp import Cut, cut, total
from tacit.query.sql.rows import UNIT, Rows

BINS = Bins(2**45)
_TOGETHER = 8  # amounts in one SELECT: each is read from it with all others, which takes the square in memory
NORM_STEPS = 4  # of an ℓ₂ norm, to one step of its measure


@frozen
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

    @property
    def norms(self) -> Mapping[Ranks, str]:
        """For ranks on even grids, the SELECT of people's norms: they are kept, for the limit cuts them next."""
        ranks = [part for part in self.parts if isinstance(part, Ranks) and self._is_by_norm(part)]
        return {part: squares_sql(self.rows, self.keys, part) for part in ranks}

    def sql(self, measures: Sequence[Measure], table: str, norms: Mapping[Ranks, str]) -> str:
        """One SELECT with columns part, bin, y0.

        `table` holds the people's totals of all `measures`, and `norms` says which table holds their norms.
        """
        sources = [self._source(part, table, norms) for part in self.parts]
        amounts = [self._amount(part, measures) for part in self.parts]
        listed: dict[tuple[str, int], list[str]] = {}
        for place, (source, amount) in enumerate(zip(sources, amounts, strict=True)):
            listed.setdefault((source, place // _TOGETHER), []).append(f"{amount} AS a{place}")
        selects = {each: f"SELECT {', '.join(columns)} FROM {each[0]}" for each, columns in listed.items()}
        return finding_sql([(selects[source, place // _TOGETHER], f"a{place}") for place, source in enumerate(sources)])

    def _is_by_norm(self, part: Ranks) -> bool:
        """Whether the norm of ranks is more than a number of rows."""
        return self.noise.is_gaussian and bool(part.edges)

    def _amount(self, part: Part, measures: Sequence[Measure]) -> str:
        if isinstance(part, Ranks) and self._is_by_norm(part):
            return root_sql("squares")
        if not isinstance(part, Measure) or part.once:
            return "COUNT(*)"
        value = cut(f"v{list(measures).index(part)}", -BINS.most, BINS.most)
        return norm_sql(value, is_squared=self.noise.is_gaussian and bool(self.keys))

    def _source(self, part: Part, table: str, norms: Mapping[Ranks, str]) -> str:
        if isinstance(part, Measure):
            return f"{table} GROUP BY {UNIT}"
        if isinstance(part, Ranks):
            counted = f'({cells_sql(self.rows, self.keys, part)}) AS "__counted" GROUP BY {UNIT}'
            return norms[part] if self._is_by_norm(part) else counted
        listed = ", ".join([UNIT, *(f"{key.sql} AS k{place}" for place, key in enumerate(self.keys))])
        valued = f"{listed}, {part.sql} AS value"
        rows = f'(SELECT {valued} FROM ({self.rows.under(valued)}) AS "__rows") AS "__valued"'
        return f'(SELECT DISTINCT * FROM {rows} WHERE value IS NOT NULL) AS "__counted" GROUP BY {UNIT}'


def norm_sql(value: Cut, is_squared: bool) -> str:
    """The norm of a person's totals over groups: ℓ₁ as a whole number, or ℓ₂ in quarters, rounded down."""
    return root_sql(total(value.squared())) if is_squared else total(value.absolute())


def root_sql(squares: str) -> str:
    """The root of a sum of squares, in quarters, rounded down."""
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
