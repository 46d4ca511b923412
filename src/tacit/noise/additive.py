"""Noise that is added to an answer: symmetric integer laws drawn by slabs."""

from __future__ import annotations

from tacit.noise.bits import Bits, Integers
from tacit.noise.law import SymmetricLaw
from tacit.noise.saturate import saturated, saturated_sum
from tacit.noise.shape import Shape
from tacit.noise.slabs import slabs


class AdditiveLaw(SymmetricLaw, Shape):
    """A symmetric law that can be added to integers exactly."""

    @property
    def two_sided(self) -> bool:
        return True

    def draw(self, size: int, bits: Bits) -> Integers:
        return saturated(slabs(self).draw(size, bits))

    def add(self, values: Integers, bits: Bits) -> Integers:
        """values + independent noise in each place; what leaves 64 bits saturates after the addition."""
        return saturated_sum(values, slabs(self).draw(values.size, bits))
