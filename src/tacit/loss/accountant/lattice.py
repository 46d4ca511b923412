"""A privacy loss on a grid: the measure that is convolved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.loss.accountant.step import Array


@dataclass(frozen=True)
class Lattice:
    """Mass `masses[k]` at loss (first+k)·spacing + shift, and `infinite` at +∞; the sum need not be 1.

    δ(ε) = infinite + Σ masses·(1−e^{ε−loss})₊ grows with every mass and every loss, and so does that of a
    convolution: so an upper measure may round both up, and a lower one both down.
    """

    first: int
    masses: Array
    shift: float
    infinite: float

    @classmethod
    def of(cls, places: NDArray[np.int64], masses: Array, shift: float, infinite: float) -> Lattice:
        """The masses at their places, zeros between, without the empty nodes at either end."""
        filled = np.flatnonzero(masses)
        if len(filled) == 0:
            return cls(int(places[0]), np.zeros(1), shift, infinite)
        first = int(places[filled[0]])
        dense = np.zeros(int(places[filled[-1]]) - first + 1)
        dense[places[filled] - first] = masses[filled]
        return cls(first, dense, shift, infinite)
