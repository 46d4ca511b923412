"""Noisy numbers of rows by class and bin of the score, and the measures of a classifier that are read from them.

All measures are ratios: of two sums of cells, or for the AUC of a sum of products of cells of either class. Their
intervals follow from the joint noise of the cells, so that one release gives all of them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.learn.evaluation.noisy_ratio import CellNoise, NoisyRatio
from tacit.learn.evaluation.score_bins import ScoreBins

Floats = NDArray[np.float64]


@frozen(eq=False)
class MeasuredShare:
    """A measure: what it is called, of which rows, its value, and where it lies; `most` is the largest possible."""

    name: str
    predicted: str
    value: float
    low: float
    high: float
    most: float
    rows: Floats  # the weights of the cells whose rows it is about


@frozen(eq=False)
class ClassCounts:
    """Noisy numbers of rows, two classes by all bins, with independent noise."""

    counts: Floats
    bins: ScoreBins
    noise: CellNoise

    def measures(self, positive: str, miss: float, *, is_by_bin: bool) -> Iterator[MeasuredShare]:
        """All measures with intervals that miss with this probability on each side; on request also by bin."""
        chances, whole = self.bins.chances, np.ones((2, self.bins.count))
        losses = -np.log(np.stack([1 - chances, chances]))
        right = np.stack([~self.bins.is_high, self.bins.is_high]).astype(np.float64)
        second = np.stack([np.zeros(self.bins.count), np.ones(self.bins.count)])
        yield self._mean("accuracy", "all", right, whole, 1.0, miss)
        yield self._auc(miss)
        yield self._mean("log loss", "all", losses, whole, float(losses.max()), miss)
        yield self._mean(f"share of {positive}", "all", second, whole, 1.0, miss)
        yield self._mean(f"predicted share of {positive}", "all", np.stack([chances, chances]), whole, 1.0, miss)
        for predicted, among in self.bins.shown() if is_by_bin else ():
            yield self._mean(f"share of {positive}", predicted, second * among, whole * among, 1.0, miss)

    def _mean(self, name: str, predicted: str, above: Floats, below: Floats, most: float, miss: float) -> MeasuredShare:
        top, bottom = (float((weights * self.counts).sum()) for weights in (above, below))
        ratio = NoisyRatio(top, bottom, above, below, self.noise, self._is_telling(below, miss))
        return MeasuredShare(name, predicted, *ratio.within(0.0, most, miss), most, below)

    def _auc(self, miss: float) -> MeasuredShare:
        """The share of pairs, one row of each class, in which the second class has the higher score.

        Claim: the interval misses the AUC of the scores, not only that of bins, with probability about `miss` a side.
        Proof: pairs in one bin count as lost for the low end and as won for the high end; the AUC lies between these
        two, and each end is one of Fieller's. For pairs that count K(i, j), the number of pairs won less r times all
        pairs is bilinear in the cells of the two classes; at the true r it is linear in their noise with the weights
        (K − r)·n, plus a product of noises. The weights are computed from noisy n: their squares are on average larger
        than those of the true n by what the product of noises adds to the variance, twice.
        """
        lost, half, won = (self._pairs_won(share, miss).within(0.0, 1.0, miss) for share in (0.0, 0.5, 1.0))
        return MeasuredShare("AUC", "all", half[0], lost[1], won[2], 1.0, np.ones((2, self.bins.count)))

    def _pairs_won(self, in_one_bin: float, miss: float) -> NoisyRatio:
        first, second = self.counts
        below = np.concatenate([[0.0], np.cumsum(first)[:-1]]) + in_one_bin * first
        above = (second.sum() - np.cumsum(second)) + in_one_bin * second
        pairs = float(first.sum() * second.sum())
        weights = np.stack([above, below])
        all_pairs = np.stack([np.full(len(first), second.sum()), np.full(len(first), first.sum())])
        lines = np.eye(2)[:, :, None] * np.ones(len(first))
        is_telling = all(self._is_telling(line, miss) for line in lines)
        return NoisyRatio(float(second @ below), pairs, weights, all_pairs, self.noise, is_telling)

    def _is_telling(self, weights: Floats, miss: float) -> bool:
        """Whether there certainly are rows."""
        return float((weights * self.counts).sum()) > self.noise.reach(weights, miss)
