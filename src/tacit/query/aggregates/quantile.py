"""MEDIAN, QUANTILE, MIN and MAX: read off noisy counts of the cells of a public grid."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from tacit.frozen import frozen
from tacit.query.above.estimates import Estimates, Noisy
from tacit.query.aggregates.aggregate import Aggregate, NoisyParts
from tacit.query.aggregates.even_grid import cells_of, first_value, value_at
from tacit.query.aggregates.noisy_parts import NoisyRanks
from tacit.query.aggregates.parts import Part, Ranks
from tacit.query.aggregates.rank_descent import RankDescent


@frozen
class Quantile(Aggregate):
    """The value below which a share of the rows lies."""

    ranks: Ranks
    share: Fraction
    words: str = ""

    @property
    def parts(self) -> tuple[Part, ...]:
        return (self.ranks,)

    def read(self, noisy: NoisyParts) -> Noisy:
        found = noisy[self.ranks]
        if not isinstance(found, NoisyRanks):
            raise TypeError("a quantile is read from ranks")
        return NoisyQuantile(self, found)

    def describe(self) -> str:
        return self.words


@frozen(eq=False)
class NoisyQuantile:
    """A quantile with the values at which the noisy rank, give or take its noise, may reach its share.

    Nothing is said where every value within the bounds may be it.
    """

    quantile: Quantile
    noisy: NoisyRanks

    def at(self, confidence: Fraction) -> Estimates:
        ranks, share = self.quantile.ranks, self.quantile.share
        values = np.empty((3, len(self.noisy.counts)))
        cells = cells_of(ranks)
        for group, counts in enumerate(self.noisy.counts):
            found = RankDescent(counts, self.noisy.law, ranks.levels, cells).find(share, confidence)
            first = min(first_value(ranks, found.first), ranks.high)
            ends = first, max(first, min(first_value(ranks, found.last + 1) - 1, ranks.high))
            is_vacuous = ends == (ranks.low, ranks.high) and ranks.low < ranks.high
            middle = min(max(value_at(ranks, found.place, found.last), ends[0]), ends[1])
            values[:, group] = (np.nan if is_vacuous else middle, *ends)
        return Estimates(*(values * float(ranks.step)))
