"""MEDIAN, QUANTILE, MIN and MAX: read off noisy counts of the cells of a public grid."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor

import numpy as np

from tacit.query.above.estimates import Estimates, Noisy
from tacit.query.aggregates.aggregate import Aggregate, NoisyParts
from tacit.query.aggregates.noisy_parts import NoisyRanks
from tacit.query.aggregates.parts import Part, Ranks
from tacit.query.aggregates.rank_descent import RankDescent


@dataclass(frozen=True)
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


@dataclass(frozen=True, eq=False)
class NoisyQuantile:
    """A quantile with the values at which the noisy rank, give or take its noise, may reach its share.

    Nothing is said where every value within the bounds may be it.
    """

    quantile: Quantile
    noisy: NoisyRanks

    def at(self, confidence: Fraction) -> Estimates:
        ranks, share = self.quantile.ranks, self.quantile.share
        values = np.empty((3, len(self.noisy.counts)))
        cells = (ranks.high - ranks.low) // ranks.width + 1
        for group, counts in enumerate(self.noisy.counts):
            found = RankDescent(counts, self.noisy.law, ranks.levels, cells).find(share, confidence)
            place = floor(min(found.place, found.last)) if ranks.width == 1 else found.place
            first, last = (ranks.low + cell * ranks.width for cell in (found.first, found.last + 1))
            ends = max(first, ranks.low), min(last - 1, ranks.high)
            is_vacuous = ends == (ranks.low, ranks.high) and ranks.low < ranks.high
            middle = min(max(ranks.low + place * ranks.width, ends[0]), ends[1])
            values[:, group] = (np.nan if is_vacuous else middle, *ends)
        return Estimates(*(values * float(ranks.step)))
