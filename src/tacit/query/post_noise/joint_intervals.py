"""Intervals of sums and ratios of released numbers, from the joint law of their noise.

The method of variance estimates recovery (Zou and Donner 2008): independent errors add up in squares, the error of
each read from its own interval on the side that counts. For Gaussian noise on sums that is the exact interval. Errors
that may depend on one another add up, and so does what clipping cut off, whose sign is the same in all of them.

A ratio N/D lies at r only if N − r·D may be 0, which is such a sum: the ends are where it no longer may (Fieller 1954).
"""

from __future__ import annotations

from collections.abc import Sequence
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
        signs = np.maximum(weights, 0.0), np.maximum(-weights, 0.0)
        down = self._joined(signs, self.below, self.above) + _added(signs, self.bias_below, self.bias_above)
        up = self._joined(signs, self.above, self.below) + _added(signs, self.bias_above, self.bias_below)
        return down, up

    def _joined(self, signs: tuple[Floats, Floats], own: Floats, other: Floats) -> Floats:
        """The root of the sum of squares, over sets, of the sums of errors in each."""
        sets = int(self.dependent.max(initial=-1)) + 1
        if sets == len(self.dependent):
            return np.asarray(np.sqrt(_added((signs[0] ** 2, signs[1] ** 2), own**2, other**2)))
        each = [
            _added(tuple(sign[:, self.dependent == one] for sign in signs), own[mine], other[mine])
            for one in range(sets)
            for mine in [self.dependent == one]
        ]
        return np.asarray(np.sqrt((np.stack(each) ** 2).sum(axis=0)))

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


def _added(signs: Sequence[Floats], own: Floats, other: Floats) -> Floats:
    """Σ |weight|·error, where a negative weight turns the other side's error around; 0 times ∞ is 0."""
    found = np.zeros(len(signs[0]))
    for weights, errors in zip(signs, (own, other), strict=True):
        endless = np.isinf(errors)
        if (errors[~endless] != 0).any():
            found += weights @ np.where(endless, 0.0, errors)
        if endless.any():
            found = np.where((weights[:, endless] > 0).any(axis=1), np.inf, found)
    return found
