"""What the slab sampler must know of a law: its weights up to a constant, and how fast they fall."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.noise.ball import Ball


class Shape(Protocol):
    """A log-concave weight on the integers, falling with |x|. Hashable, so that tables are built once.

    `two_sided` says whether it lives on all integers (symmetrically) or on 0, 1, 2, …
    """

    @property
    def two_sided(self) -> bool: ...

    @property
    def width(self) -> float:
        """About how far the bulk reaches: the scale, or the standard deviation."""
        ...

    @property
    def reach(self) -> float:
        """After how many widths the bulk ends and the tail begins. Any choice is exact; it sets the speed."""
        ...

    @property
    def margin(self) -> float:
        """The most by which `relative` may be wrong."""
        ...

    def weight(self, magnitude: int) -> Ball:
        """The weight at ±magnitude, not normalised."""
        ...

    def weight_near(self) -> Callable[[int], Ball]:
        """Balls that hold the weights, quick to come by at this precision, though a higher one may not narrow them."""
        return self.weight

    def decay(self, magnitude: int) -> Fraction:
        """A rate γ > 0 with weight(x+1) ≤ e^−γ · weight(x) for every x ≥ magnitude ≥ 1."""
        ...

    def relative(self, magnitude: NDArray[np.float64], near: NDArray[np.float64]) -> NDArray[np.float64]:
        """weight(magnitude) / weight(near) within `margin`, where near ≤ magnitude lie in one bin of the bulk."""
        ...
