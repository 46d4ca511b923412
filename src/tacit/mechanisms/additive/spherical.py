"""Additive noise whose cost goes by the ℓ₂ distance of neighbours' values."""

from __future__ import annotations

from fractions import Fraction

from tacit.frozen import frozen
from tacit.mechanisms.additive.additive import Additive


@frozen
class Spherical(Additive):
    """Gaussian-like noise: `sensitivity` is an ℓ₂ bound."""

    @property
    def reach_squared(self) -> Fraction:
        """The squared ℓ₂ sensitivity, in the value's own unit, after rounding to the grid."""
        if self.grid is None:
            return self.sensitivity**2
        return (self.grid.l2_steps_up(self.sensitivity, self.dimension) * self.step) ** 2
