"""A privacy loss on a grid: the measure that is convolved."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.loss.accountant.step import Array


@frozen
class Lattice:
    """Mass `masses[k]` at loss places[k]·spacing + shift, and `infinite` at +∞; the sum need not be 1.

    δ(ε) = infinite + Σ masses·(1−e^{ε−loss})₊ grows with every mass and every loss, and so does that of a
    convolution: so an upper measure may round both up, and a lower one both down.
    """

    places: NDArray[np.int64]
    masses: Array
    shift: float
    infinite: float

    @classmethod
    def of(cls, places: NDArray[np.int64], masses: Array, shift: float, infinite: float) -> Lattice:
        """Without the empty nodes."""
        filled = masses > 0
        if not filled.any():
            return cls(places[:1], np.zeros(1), shift, infinite)
        return cls(places[filled], masses[filled], shift, infinite)
