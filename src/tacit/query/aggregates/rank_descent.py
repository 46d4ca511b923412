"""A quantile's place and interval, found on the way down a tree of noisy counts."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tacit.mechanisms.statistics.rank_tree import FAN
from tacit.noise.bits import Integers
from tacit.query.aggregates.noisy_parts import Floats, Law
from tacit.query.aggregates.weighted_reach import Powers, WeightedReach

_FAR = 75  # each step down takes so small a part of what the interval may miss
_WIDE = 8  # nodes: where so many may hold the quantile, finer ones would add more noise than they tell
_PARTS = np.arange(FAN) / FAN


@dataclass(frozen=True)
class Found:
    """Where a quantile lies, in cells: about `place`, within the cells `first` to `last`."""

    place: float
    first: int
    last: int


@dataclass(frozen=True, eq=False)
class RankDescent:
    """One group's tree of noisy counts, the coarsest level first.

    The excess at an edge is the number of rows before it less the quantile's share of all. It is read from the edges of
    the coarser node around it, by proportion, and corrected by the counts of the sixteen nodes into which that one is
    cut: of all unbiased ways to use them this has half the variance of adding up the fewest nodes.

    Claim: on a given level the interval holds the node of the quantile with at least the confidence. If i is that node,
    the excess is negative at the edge before it and not at the edge after it. Going from the first node on, those are
    passed over whose far edge has a noisy excess too negative to be noise; i is passed over only if at that one edge
    the noise goes beyond its reach, and so for the last. No union over edges is needed: only i's own count. On the way
    to that level, nodes far from the quantile are left behind by the same test at a small fixed part of the price, so
    that no stray noise far away can widen the interval. The level is the first on which many nodes are left: the
    width of what is left, which decides, is nearly independent of the noise in the rank itself.
    """

    counts: Integers
    law: Law
    levels: int

    def find(self, share: Fraction, confidence: Fraction) -> Found:
        """The quantile of this share."""
        reach = WeightedReach(self.law)
        missed = (1 - confidence) / 2
        step = missed / _FAR
        begin, end = 0, FAN  # the nodes left: from begin, before end
        top = self.counts[:FAN].astype(np.float64)
        excess = np.concatenate([[0.0], np.cumsum(top)]) - float(share) * top.sum()
        used = FAN
        for depth in range(1, self.levels + 1):
            powers = path_powers(np.arange(begin + 1, end, dtype=np.int64), depth, float(share))
            left = _kept(excess[1:-1], reach.beyond(step, powers))
            if depth == self.levels or left[1] - left[0] > _WIDE:
                kept = _kept(excess[1:-1], reach.beyond(missed - step * (self.levels - 1), powers))
                return self._found(excess, begin, kept, FAN ** (self.levels - depth))
            excess = excess[left[0] : left[1] + 1]
            begin, end = begin + left[0], begin + left[1]
            blocks = self.counts[used + FAN * begin : used + FAN * end].reshape(-1, FAN).astype(np.float64)
            used += FAN ** (depth + 1)
            excess = _refined(excess, blocks)
            begin, end = FAN * begin, FAN * end
        raise TypeError("a tree has at least one level")

    def _found(self, excess: Floats, begin: int, kept: tuple[int, int], size: int) -> Found:
        rising = (np.maximum.accumulate(excess) + np.minimum.accumulate(excess[::-1])[::-1]) / 2
        place = float(np.interp(0.0, rising, np.arange(rising.size)))
        inside = min(max(place, kept[0]), kept[1])
        return Found((begin + inside) * size, (begin + kept[0]) * size, (begin + kept[1]) * size - 1)


def _kept(excess: Floats, reach: Floats) -> tuple[int, int]:
    """(begin, end): the nodes that are left, from the noisy excess at the edges between them."""
    from_here = np.flatnonzero(excess >= -reach)
    up_to = np.flatnonzero(excess < reach)
    begin = int(from_here[0]) if from_here.size else excess.size
    end = int(up_to[-1]) + 2 if up_to.size else 1
    return begin, end


def _refined(excess: Floats, blocks: Floats) -> Floats:
    """The excess at the edges of finer nodes: by proportion between coarser edges, and what the finer counts add."""
    before = np.cumsum(blocks, axis=1)
    whole = before[:, -1:]
    before = np.concatenate([np.zeros((len(blocks), 1)), before[:, :-1]], axis=1) - whole * _PARTS
    fine = excess[:-1, None] + np.diff(excess)[:, None] * _PARTS + before
    return np.append(fine.ravel(), excess[-1])


def path_powers(edges: Integers, depth: int, share: float) -> Powers:
    """The powers of the weights that make the excess at inner edges of this depth.

    On each level the counts of one block of sixteen siblings enter: 1 for those before the edge, the part that is
    before it for the one the edge cuts, 0 for those after, less the part of the whole block that is before the edge;
    on the coarsest level, less the quantile's share.
    """
    first, second, fourth = (np.zeros(edges.size) for _ in range(3))
    whole = np.full(edges.size, share)
    for level in range(depth):
        size = FAN ** (depth - level - 1)
        before, part = edges // size % FAN, edges % size / size
        for many, weight in ((before, 1 - whole), (1, np.abs(part - whole)), (FAN - 1 - before, whole)):
            square = weight * weight
            first += many * weight
            second += many * square
            fourth += many * square * square
        whole = part
    return Powers(first, second, fourth)
