"""A privacy loss on a grid: the measure that is convolved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

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
    def trimmed(cls, first: int, masses: Array, shift: float, infinite: float) -> Lattice:
        """Without the empty nodes at either end."""
        filled = np.flatnonzero(masses)
        if len(filled) == 0:
            return cls(first, masses[:1], shift, infinite)
        return cls(first + int(filled[0]), masses[filled[0] : filled[-1] + 1], shift, infinite)
