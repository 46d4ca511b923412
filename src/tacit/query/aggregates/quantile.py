"""MEDIAN, QUANTILE, MIN and MAX: read from noisy counts of the cells of a public grid.

A quantile's place and interval are found on the way down a tree of noisy counts.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

import numpy as np

from tacit.frozen import frozen
from tacit.mechanisms.statistics.rank_tree import FAN
from tacit.noise.bits import Integers
from tacit.query.aggregates.aggregate import Aggregate, Floats, Law, NoisyParts, NoisyRanks, Part, Ranks
from tacit.query.aggregates.noise_intervals import Powers, WeightedReach
from tacit.query.aggregates.rank_grid import cells_of, first_value, value_at
from tacit.query.post_noise.estimates import Estimates, Noisy
from tacit.schema.kind import Kind


@frozen
class Quantile(Aggregate):
    """The value below which a share of the rows lies."""

    ranks: Ranks
    share: Fraction
    words: str = ""
    kind: Kind = Kind.FLOAT

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

    It has no value where every value within the bounds is possible, nor where there may be no rows at all: then every
    value is.
    """

    quantile: Quantile
    noisy: NoisyRanks

    def at(self, confidence: Fraction) -> Estimates:
        ranks, share = self.quantile.ranks, self.quantile.share
        values = np.empty((3, len(self.noisy.counts)))
        cells, bias = cells_of(ranks), self.noisy.bias
        cut = Fraction(0) if bias is None else Fraction(bias.share_below(_SURE))
        for group, counts in enumerate(self.noisy.counts):
            if not _has_rows(counts, self.noisy.law, confidence):
                values[:, group] = np.nan, ranks.low, ranks.high
                continue
            found = RankDescent(counts, self.noisy.law, ranks.levels, cells).between(share, cut, confidence)
            first = min(first_value(ranks, found.first), ranks.high)
            ends = first, max(first, min(first_value(ranks, found.last + 1) - 1, ranks.high))
            is_vacuous = ends == (ranks.low, ranks.high) and ranks.low < ranks.high
            middle = min(max(value_at(ranks, found.place, found.last), ends[0]), ends[1])
            values[:, group] = (np.nan if is_vacuous else middle, *ends)
        if self.quantile.kind.is_time:
            value, low, high = np.floor(values)
            return Estimates(value, low, high, time=self.quantile.kind)
        return Estimates(*(values * float(ranks.step)))


def _has_rows(counts: Integers, law: Law, confidence: Fraction) -> bool:
    """Whether the counts of the coarsest level, added up, exceed the noise in them."""
    reach = WeightedReach(law).beyond((1 - confidence) / 2, Powers.of(*np.ones(FAN)))
    return float(counts[:FAN].sum()) > float(reach)


_SURE = Fraction(3, 4)  # confidence that no larger share was cut off
_FAR = 75  # share of the error probability that each step down uses
_WIDE = 3  # nodes: where an end may be this far from the quantile, finer nodes would add more noise than information
_PARTS = np.arange(FAN) / FAN


@frozen
class Found:
    """The place of a quantile, in cells: about `place`, within the cells `first` to `last`."""

    place: float
    first: int
    last: int


@frozen(eq=False)
class RankDescent:
    """One group's tree of noisy counts, the coarsest level first, over a grid of which `cells` can have rows.

    The excess at an edge is the number of rows before it less the quantile's share of all. It is read from the edges of
    the coarser node around it, by proportion, and corrected by the counts of the sixteen nodes into which that one is
    cut: this has half the variance of adding up the fewest nodes.

    Claim: on a given level each end passes the node of the quantile with at most half of what the confidence leaves.
    If i is that node, the excess is negative at the edge before it and not at the edge after it. From the first node
    on, those are passed over whose far edge has a noisy excess too negative to be noise; i is passed over only if at
    that one edge the noise goes beyond its reach. No union over edges is needed. The last end comes from the other
    side. On the way down, nodes far from the quantile are left behind by the same test, at a small fixed part of what
    may be missed, so that noise far away cannot widen the interval. An end is taken on the first level on
    which it is several nodes away from the quantile: that distance is nearly independent of the noise in the rank
    itself, so that the choice costs no coverage, which a test holds.
    """

    counts: Integers
    law: Law
    levels: int
    cells: int

    def between(self, share: Fraction, cut: Fraction, confidence: Fraction) -> Found:
        """The quantile where a share of all rows, with unknown values, was cut off.

        Claim: the distributions of the rows left and of all rows differ by at most `cut`, so that the quantile of all
        lies between the quantiles of those left at share − cut and share + cut.
        """
        found = self.find(share, confidence)
        if not cut:
            return found
        first = self.find(share - cut, confidence).first if share > cut else 0
        last = self.find(share + cut, confidence).last if share + cut < 1 else self.cells - 1
        return Found(found.place, min(first, found.first), max(last, found.last))

    def find(self, share: Fraction, confidence: Fraction) -> Found:
        """The quantile of this share."""
        reach, missed = WeightedReach(self.law), (1 - confidence) / 2
        step = missed / _FAR
        begin, top = 0, self._nodes(1)
        counts = self.counts[:top].astype(np.float64)
        excess = np.concatenate([[0.0], np.cumsum(counts)]) - float(share) * counts.sum()
        first = last = None
        for depth in range(1, self.levels + 1):
            size, is_finest = FAN ** (self.levels - depth), depth == self.levels
            inner = np.arange(begin + 1, begin + excess.size - 1, dtype=np.int64)
            powers = path_powers(inner, depth, float(share), top)
            near = _kept(excess[1:-1], reach.beyond(missed - step * (self.levels - 1), powers))
            far = _kept(excess[1:-1], reach.beyond(step, powers))
            place = _crossing(excess)
            if first is None and (is_finest or place - far[0] > _WIDE):
                first = (begin + near[0]) * size
            if last is None and (is_finest or far[1] - place > _WIDE):
                last = (begin + near[1]) * size - 1
            if first is not None and last is not None:
                break
            inside = min(max(place, far[0]), far[1])  # noise may leave no node around the place itself
            left = far[0] if first is None else max(far[0], floor(inside) - 1)
            right = far[1] if last is None else min(far[1], ceil(inside) + 1)
            excess = self._refined(excess[left : right + 1], begin + left, depth + 1)
            begin = FAN * (begin + left)
        if first is None or last is None:
            raise TypeError("a tree has at least one level")
        last = max(first, last)
        return Found(min(max((begin + place) * size, first), last + 1), first, last)

    def _nodes(self, depth: int) -> int:
        """How many nodes of a level can have rows."""
        size: int = FAN ** (self.levels - depth)
        return -(-self.cells // size)

    def _refined(self, excess: Floats, begin: int, depth: int) -> Floats:
        """The excess at the edges of finer nodes: by proportion between coarser edges, corrected by finer counts."""
        level = sum(FAN**above for above in range(1, depth))
        first, end = level + FAN * begin, level + FAN * (begin + excess.size - 1)
        blocks = self.counts[first:end].reshape(-1, FAN).astype(np.float64)
        before = np.cumsum(blocks, axis=1)
        before = np.concatenate([np.zeros((len(blocks), 1)), before[:, :-1]], axis=1) - before[:, -1:] * _PARTS
        fine = excess[:-1, None] + np.diff(excess)[:, None] * _PARTS + before
        used = self._nodes(depth) - FAN * begin  # nodes beyond have no rows
        return np.append(fine.ravel(), excess[-1])[: used + 1]


def _crossing(excess: Floats) -> float:
    """The zero of the excess, made monotone, in nodes from the first edge."""
    rising = (np.maximum.accumulate(excess) + np.minimum.accumulate(excess[::-1])[::-1]) / 2
    return float(np.interp(0.0, rising, np.arange(rising.size)))


def _kept(excess: Floats, reach: Floats) -> tuple[int, int]:
    """(begin, end): the nodes that are left, from the noisy excess at the edges between them."""
    from_here = np.flatnonzero(excess >= -reach)
    up_to = np.flatnonzero(excess < reach)
    begin = int(from_here[0]) if from_here.size else excess.size
    end = int(up_to[-1]) + 2 if up_to.size else 1
    return begin, end


def path_powers(edges: Integers, depth: int, share: float, top: int = FAN) -> Powers:
    """The powers of the weights that make the excess at inner edges of this depth.

    On each level the counts of one block of sixteen siblings enter: 1 for those before the edge, the part that is
    before it for the one the edge cuts, 0 for those after, less the part of the whole block that is before the edge;
    on the coarsest level, of `top` nodes, less the quantile's share.
    """
    first, second, fourth = (np.zeros(edges.size) for _ in range(3))
    whole = np.full(edges.size, share)
    for level in range(depth):
        size = FAN ** (depth - level - 1)
        before, part = edges // size % FAN, edges % size / size
        rest = (FAN if level else top) - 1
        for many, weight in ((before, 1 - whole), (1, np.abs(part - whole)), (rest - before, whole)):
            square = weight * weight
            first += many * weight
            second += many * square
            fourth += many * square * square
        whole = part
    return Powers(first, second, fourth)
