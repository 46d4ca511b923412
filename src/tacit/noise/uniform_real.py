"""A uniform real number in [0, 1), known only to as many bits as somebody needed."""

from __future__ import annotations

from collections.abc import Callable

from flint import arb

from tacit.noise.ball import Ball, between, precision
from tacit.noise.bits import Bits

_STEP = 64


class UniformReal:
    """The real number 0.b₁b₂b₃… of fair bits. Bits already seen stay; more are drawn only to break a tie."""

    def __init__(self, bits: Bits, word: int | None = None, width: int = _STEP) -> None:
        self._bits = bits
        self._word = bits.integer(width) if word is None else word
        self.width = width

    def refine(self) -> None:
        """Learn the next 64 bits."""
        self._word = self._word << _STEP | self._bits.integer(_STEP)
        self.width += _STEP

    def ball(self) -> Ball:
        """The ball of all numbers that begin with the bits seen so far."""
        low, high = self._ends()
        return between(low, high)

    def is_below(self, threshold: Callable[[], Ball]) -> bool:
        """Whether the number is less than a threshold; exact, since the comparison goes on until it is certain."""
        while True:
            with precision(self.width + _STEP):
                low, high = self._ends()
                bound = threshold()
            if high <= bound:
                return True
            if low >= bound:
                return False
            self.refine()

    def _ends(self) -> tuple[Ball, Ball]:
        scale = arb(2) ** -self.width
        return arb(self._word) * scale, arb(self._word + 1) * scale
