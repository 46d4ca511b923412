"""Intervals of sums and ratios of released numbers, from the joint law of their noise.

The method of variance estimates recovery (Zou and Donner 2008): independent errors add up in squares, the error of
each read from its own interval on the side that counts. For Gaussian noise on sums that is the exact interval. Errors
that may depend on one another add up, and so does what clipping cut off, whose sign is the same in all of them.

A ratio N/D lies at r only if N − r·D may be 0, which is such a sum: the ends are where it no longer may (Fieller 1954).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.query.post_noise.estimates import Floats

_DOUBLINGS: Final = 60
_HALVINGS: Final = 50


@frozen(eq=False)
class ReleasedNumbers:
    """Numbers whose errors are known: how far the truth may lie below and above each by noise, and by clipping.

    `dependent` numbers the sets of those whose noises may depend on one another; different sets are independent.
    """

    below: Floats
    above: Floats
    bias_below: Floats
    bias_above: Floats
    dependent: NDArray[np.int64]

    def reach(self, weights: Floats) -> tuple[Floats, Floats]:
        """How far below and above Σ weight·number the true sum may lie, for each row of weights."""
        down = self._joined(weights, self.below, self.above) + self._added(weights, self.bias_below, self.bias_above)
        up = self._joined(weights, self.above, self.below) + self._added(weights, self.bias_above, self.bias_below)
        return down, up

    def _joined(self, weights: Floats, own: Floats, other: Floats) -> Floats:
        sets = int(self.dependent.max(initial=-1)) + 1
        apart = np.zeros((len(weights), sets))
        np.add.at(apart.T, self.dependent, _sided(weights, own, other).T)
        return np.asarray(np.sqrt((apart**2).sum(axis=1)))

    def _added(self, weights: Floats, own: Floats, other: Floats) -> Floats:
        return np.asarray(_sided(weights, own, other).sum(axis=1))

    def ratio(self, top: Floats, tops: Floats, bottom: Floats, bottoms: Floats) -> tuple[Floats, Floats]:
        """The ends of top/bottom, with the weights of both; infinite where the bottom may be 0."""
        down, up = self.reach(bottoms)
        clear = (bottom - down > 0) | (bottom + up < 0)
        point = np.divide(top, bottom, out=np.zeros_like(top), where=clear)
        ends = [self._end(point, top, tops, bottom, bottoms, clear, side) for side in (-1.0, 1.0)]
        return np.where(clear, ends[0], -np.inf), np.where(clear, ends[1], np.inf)

    def _end(
        self,
        point: Floats,
        top: Floats,
        tops: Floats,
        bottom: Floats,
        bottoms: Floats,
        clear: NDArray[np.bool_],
        side: float,
    ) -> Floats:
        """The end on one side: outward in steps that double, then by halving. The outer of the last two is taken."""

        def may_hold(ratio: Floats) -> NDArray[np.bool_]:
            found = top - ratio * bottom
            down, up = self.reach(tops - ratio[:, None] * bottoms)
            return np.asarray((found - down <= 0) & (found + up >= 0) & clear)

        down, up = self.reach(tops - point[:, None] * bottoms)
        step = np.where(clear, np.maximum(down, up) / np.maximum(np.abs(bottom), 1e-300), 0.0) + 1e-12
        inner, outer = point.copy(), point + side * step
        for _ in range(_DOUBLINGS):
            open_still = may_hold(outer)
            if not open_still.any():
                break
            inner = np.where(open_still, outer, inner)
            step = np.where(open_still, 2 * step, step)
            outer = np.where(open_still, outer + side * step, outer)
        endless = may_hold(outer)
        for _ in range(_HALVINGS):
            middle = (inner + outer) / 2
            holds = may_hold(middle)
            inner, outer = np.where(holds, middle, inner), np.where(holds, outer, middle)
        return np.asarray(np.where(endless, side * np.inf, outer))


def _sided(weights: Floats, own: Floats, other: Floats) -> Floats:
    """|weight|·error, where a negative weight turns the other side's error around; 0 times ∞ is 0."""
    with np.errstate(invalid="ignore"):
        found = np.where(weights > 0, weights * own, -weights * other)
    return np.where(weights == 0, 0.0, found)
