"""The SQL of a histogram of amounts: how many people have how much, in bins. Limits are chosen from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.query.aggregates.aggregate import Measure, Part, Ranks
from tacit.query.bounding.amount import Amount
from tacit.query.bounding.amount_histogram import Bins
from tacit.query.bounding.amounts import amount_of
from tacit.query.plans.group_keys import KeyColumn
from tacit.query.plans.price import NoiseShare
from tacit.query.sql.rows import Rows

BINS = Bins(2**45)
WIDE_BINS = Bins(2**45, per_doubling=2)  # fewer hold more people each: what is cut off is read from them


def bins_of(people: NDArray[np.float64]) -> Bins:
    """The bins that a histogram has: wide ones, unless it was released when there were none."""
    return WIDE_BINS if len(people) == len(WIDE_BINS) else BINS


_TOGETHER = 8  # amounts in one SELECT: each is read from it with all others, which takes the square in memory


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
    bins: Bins = BINS

    @property
    def unit(self) -> int:
        """Units of the law for one person."""
        return self.noise.split(len(self.parts))

    @property
    def norms(self) -> Mapping[Ranks, str]:
        """For ranks on even grids, the SELECT of people's norms: they are kept, for the limit cuts them next."""
        return {ranks: sql for amount in self._amounts for ranks, sql in amount.norms(self.rows).items()}

    @property
    def _amounts(self) -> list[Amount[Part]]:
        return [amount_of(part, self.keys, self.noise.is_gaussian) for part in self.parts]

    def sql(self, measures: Sequence[Measure], table: str, norms: Mapping[Ranks, str]) -> str:
        """One SELECT with columns part, bin, y0.

        `table` holds the people's totals of all `measures`, and `norms` says which table holds their norms.
        """
        sources = [amount.source(self.rows, table, norms) for amount in self._amounts]
        counted = [amount.sql(measures, self.bins.most) for amount in self._amounts]
        listed: dict[tuple[str, int], list[str]] = {}
        for place, (source, amount) in enumerate(zip(sources, counted, strict=True)):
            listed.setdefault((source, place // _TOGETHER), []).append(f"{amount} AS a{place}")
        selects = {each: f"SELECT {', '.join(columns)} FROM {each[0]}" for each, columns in listed.items()}
        amounts = [(selects[source, place // _TOGETHER], f"a{place}") for place, source in enumerate(sources)]
        return finding_sql(amounts, self.bins)


def finding_sql(amounts: Sequence[tuple[str, str]], bins: Bins = BINS) -> str:
    """How many people there are in each bin of each of several amounts: (a SELECT of people, the amount's column)."""
    selects = list(dict.fromkeys(select for select, _ in amounts))
    named = ", ".join(f'"__people{place}" AS ({select})' for place, select in enumerate(selects))
    parts = [
        f'SELECT {place} AS part, {bins.index_sql(column)} AS bin FROM "__people{selects.index(select)}"'
        for place, (select, column) in enumerate(amounts)
    ]
    binned = f'({" UNION ALL ".join(parts)}) AS "__binned"'
    return f"WITH {named} SELECT part, bin, COUNT(*) AS y0 FROM {binned} GROUP BY part, bin"
