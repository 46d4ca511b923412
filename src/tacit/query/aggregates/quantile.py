"""MEDIAN, QUANTILE, MIN and MAX: read off noisy counts of the cells of a public grid."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tacit.mechanisms.statistics.rank_tree import FAN, RankTree
from tacit.query.above.estimates import Estimates, Noisy
from tacit.query.aggregates.aggregate import Aggregate, NoisyParts
from tacit.query.aggregates.fieller import as_mechanism
from tacit.query.aggregates.noisy_parts import NoisyRanks
from tacit.query.aggregates.parts import Part, Ranks


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
    """A quantile with the values at which the noisy rank, give or take its noise, may reach its share."""

    quantile: Quantile
    noisy: NoisyRanks

    def at(self, confidence: Fraction) -> Estimates:
        ranks, share = self.quantile.ranks, float(self.quantile.share)
        cells = FAN**ranks.levels
        values = np.empty((3, len(self.noisy.counts)))
        noise = as_mechanism(self.noisy.law)
        for place, counts in enumerate(self.noisy.counts):
            tree = RankTree(noise, counts.astype(np.float64), ranks.levels, None)
            first, last = tree.cells_between(share, confidence)
            is_vacuous = first == 0 and last == cells - 1
            values[:, place] = (np.nan if is_vacuous else tree.cell(share), first, last)
        middle, end = (0, 0) if ranks.width == 1 else (0.5, 1)  # a cell of width 1 holds one value, its first
        ends = (values + np.array([[middle], [0], [end]])) * ranks.width + ranks.low
        return Estimates(*(np.clip(ends, ranks.low, ranks.high) * float(ranks.step)))
