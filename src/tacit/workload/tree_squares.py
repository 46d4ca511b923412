"""Least squares over a tree: noisy sums of its levels, joined into one estimate of every node, in two passes.

Claim: where the sums y of some levels, the deepest among them, are measured with independent noise, of a precision w
for each level, `estimates` are the best linear unbiased ones of all nodes, each the sum of those below it, and
`covariances` are theirs, exactly. Proof: upwards, z and v are the best estimate of a node from what was measured at it
and below it, and its variance: 1/v = w + 1/s, where s adds up the children's v. Siblings are independent there, so that
given the sum h of its children, each is z + (v/s)·(h − Σz), with the covariance diag(v) − v·vᵀ/s, whatever was measured
above. Downwards this is the Gaussian law of the whole tree given all measurements, and its mean is the generalised
least-squares estimate (the prior is flat). A question's covariance with a node is pushed down in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from tacit.workload.tree import LevelTree

Floats = NDArray[np.float64]

_ROUNDS = 40  # of the fixed point over the levels
_STEP = 1e-6
_LEAST = 1e-3  # share of a level's weight below which it is not measured


class TreeSquares:
    """The law of all nodes to some depth, for several independent coordinates: `precisions[d]` has one for each.

    None stands where a level was not measured. Arrays of nodes are (nodes of the depth, coordinates).
    """

    def __init__(self, tree: LevelTree, precisions: Sequence[Floats | None]) -> None:
        self._tree, self._precisions, self.depth = tree, precisions, len(precisions) - 1
        deepest = precisions[-1]
        if deepest is None:
            raise TypeError("the deepest level is not measured")
        variances = [np.broadcast_to(1 / deepest, (tree.size(self.depth), *deepest.shape))]
        sums: list[Floats] = []
        for depth in range(self.depth, 0, -1):
            below, own = tree.summed(variances[0], depth, depth - 1), precisions[depth - 1]
            sums.insert(0, below)
            variances.insert(0, below if own is None else 1 / (own + 1 / below))
        self._variances, self._sums = variances, sums

    def estimates(self, values: Sequence[Floats | None]) -> list[Floats]:
        """The estimate of every node from what was measured, by depth."""
        last = values[-1]
        if last is None:
            raise TypeError("the deepest level is not measured")
        upward, added = [last], list[Floats]()
        for depth in range(self.depth, 0, -1):
            below = self._tree.summed(upward[0], depth, depth - 1)
            added.insert(0, below)
            own, precision = values[depth - 1], self._precisions[depth - 1]
            if own is None or precision is None:
                upward.insert(0, below)
            else:
                upward.insert(0, self._variances[depth - 1] * (precision * own + below / self._sums[depth - 1]))
        found = [upward[0]]
        for depth in range(1, self.depth + 1):
            missing = found[-1] - added[depth - 1]
            found.append(upward[depth] + self._gains(depth) * missing[self._tree.above(depth)])
        return found

    def variances(self) -> list[Floats]:
        """The variance of every node's estimate, by depth."""
        found = [self._variances[0]]
        for depth in range(1, self.depth + 1):
            own, gains = self._variances[depth], self._gains(depth)
            found.append(own - own * gains + gains**2 * found[-1][self._tree.above(depth)])
        return found

    def covariances(self, question: Floats, depth: int) -> list[Floats]:
        """The covariance of every node's estimate with a question: coefficients of the nodes at one depth."""
        pushed = [question]
        for each in range(depth, 0, -1):
            pushed.insert(0, self._tree.summed(self._gains(each) * pushed[0], each, each - 1))
        found = [self._variances[0] * pushed[0]]
        for each in range(1, self.depth + 1):
            above, gains = self._tree.above(each), self._gains(each)
            known = found[-1][above] * gains
            if each <= depth:
                own = self._variances[each] * pushed[each]
                known = known + own - gains * self._tree.summed(own, each, each - 1)[above]
            found.append(known)
        return found

    def _gains(self, depth: int) -> Floats:
        """The part of what is missing in a parent's sum that each node takes."""
        return np.asarray(self._variances[depth] / self._sums[depth - 1][self._tree.above(depth)])


@lru_cache(maxsize=256)
def level_shares(tree: LevelTree, costs: tuple[float, ...]) -> tuple[tuple[float, ...], float]:
    """The precisions by depth, adding up to 1, that make Σ cost·(variances of a depth's nodes) least; and that sum.

    It is convex in the precisions. The fixed point w ← w·√(−∂f/∂w) lowers it at every step (Yu 2010, A-optimality).
    """
    deepest = len(costs) - 1

    def total(shares: Sequence[float]) -> float:
        squares = TreeSquares(tree, [np.array([share]) if share > 0 else None for share in shares])
        return sum(cost * float(each.sum()) for cost, each in zip(costs, squares.variances(), strict=True) if cost)

    shares = [1 / (deepest + 1)] * (deepest + 1)
    for _ in range(_ROUNDS if deepest else 0):
        now = total(shares)
        slopes = [
            max(0.0, now - total([*shares[:place], share * (1 + _STEP), *shares[place + 1 :]])) / (_STEP * share)
            if share
            else 0.0
            for place, share in enumerate(shares)
        ]
        moved = [share * sqrt(slope) for share, slope in zip(shares, slopes, strict=True)]
        shares = [each / sum(moved) for each in moved]
    kept = [share if share >= _LEAST or place == deepest else 0.0 for place, share in enumerate(shares)]
    kept = [share / sum(kept) for share in kept]
    return tuple(kept), total(kept)
