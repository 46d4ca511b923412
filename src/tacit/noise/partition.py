"""The partition of a decreasing shape into slabs, wedges and tails, and the area of each piece.

The integers are cut into bins of 2^w. Over each bin lies a *slab* as high as the least weight in it,
on the slab a *wedge* up to the greatest, and past the last bin a geometric *tail* that dominates.
A `Shape` is what the slab sampler needs of a law: its weights up to a constant, and how fast they fall.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from math import ceil, floor, log2
from typing import Final, Protocol

import numpy as np
from flint import arb
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.noise.ball import Ball, ball

_FINENESS: Final = 32  # the least number of bins per width


@frozen
class Areas:
    """The share of every piece in the whole, at the working precision: by bin, then the right and left tail."""

    slabs: list[Ball]
    wedges: list[Ball]
    tails: list[Ball]


class Partition:
    """The bins of one shape. A bin k ≥ 0 holds k·2^w … (k+1)·2^w − 1; negative bins likewise."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.low_bits: int = floor(log2(max(shape.width / _FINENESS, 1.0)))
        count = ceil(shape.reach * shape.width / 2**self.low_bits) + 1
        self.bins = range(-count if shape.two_sided else 0, count)
        self.sides = (False, True) if shape.two_sided else (False,)

    def ends(self, index: int) -> tuple[int, int]:
        """The magnitudes farthest from zero and nearest to zero in a bin."""
        start = index << self.low_bits
        end = start + (1 << self.low_bits) - 1
        return max(abs(start), abs(end)), min(abs(start), abs(end))

    def tail_start(self, left: bool) -> int:
        """The least magnitude of a tail."""
        return (self.bins.stop << self.low_bits) + int(left)

    def areas(self, weight: Callable[[int], Ball]) -> Areas:
        """The area of every piece as a share of all, by the shape's weight or one near it."""
        weight, size = cache(weight), 1 << self.low_bits  # bins on either side of zero share ends
        ends = [self.ends(index) for index in self.bins]
        far = [weight(magnitude) for magnitude, _ in ends]
        slabs = [size * low for low in far]
        wedges = [size * (weight(near) - low) for (_, near), low in zip(ends, far, strict=True)] if size > 1 else []
        tails = [self._tail_area(left, weight) for left in self.sides]
        whole = sum(slabs + wedges + tails, arb(0))
        return Areas([s / whole for s in slabs], [w / whole for w in wedges], [t / whole for t in tails])

    def _tail_area(self, left: bool, weight: Callable[[int], Ball]) -> Ball:
        """The sum of the geometric envelope: weight(a) · (1 + e^−γ + e^−2γ + …)."""
        start = self.tail_start(left)
        return weight(start) / -(-ball(self.shape.decay(start))).expm1()


class Shape(Protocol):
    """A log-concave weight on the integers, falling with |x|. Hashable, so that tables are built once.

    `two_sided` says whether it lives on all integers (symmetrically) or on 0, 1, 2, …
    """

    @property
    def two_sided(self) -> bool: ...

    @property
    def width(self) -> float:
        """The approximate extent of the bulk: the scale, or the standard deviation."""
        ...

    @property
    def reach(self) -> float:
        """The number of widths after which the tail begins. It affects the speed only, not the law."""
        ...

    @property
    def margin(self) -> float:
        """The largest error of `relative`."""
        ...

    def weight(self, magnitude: int) -> Ball:
        """The weight at ±magnitude, not normalised."""
        ...

    def weight_near(self) -> Callable[[int], Ball]:
        """Balls that contain the weights: fast to compute, but a higher precision may not narrow them."""
        return self.weight

    def decay(self, magnitude: int) -> Fraction:
        """A rate γ > 0 with weight(x+1) ≤ e^−γ · weight(x) for every x ≥ magnitude ≥ 1."""
        ...

    def relative(self, magnitude: NDArray[np.float64], near: NDArray[np.float64]) -> NDArray[np.float64]:
        """weight(magnitude) / weight(near) within `margin`, where near ≤ magnitude lie in one bin of the bulk."""
        ...
