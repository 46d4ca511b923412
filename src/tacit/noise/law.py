"""A probability law on the integers: its exact masses and its exact sampler."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction

from tacit.exact import Number, proper
from tacit.noise.ball import Ball, ball, first_true, less
from tacit.noise.bits import Bits, Integers


class Law(ABC):
    """A distribution on the integers.

    Masses are certified balls, so the sampler's tests compare with them and every error bar is computed from them.
    `draw` samples the law exactly: no tail is cut and every comparison is decided.
    """

    @abstractmethod
    def mass(self, value: int) -> Ball:
        """P(X = value)."""

    @abstractmethod
    def tail(self, value: int) -> Ball:
        """P(X ≥ value)."""

    @abstractmethod
    def draw(self, size: int, bits: Bits) -> Integers:
        """`size` independent draws; a draw beyond 64 bits saturates."""

    def quantile(self, probability: Number) -> int:
        """The least x with P(X ≤ x) ≥ probability."""
        share = proper(probability, "probability")
        if self._is_at_most(0, share):
            return -first_true(lambda x: not self._is_at_most(-x - 1, share))
        return first_true(lambda x: self._is_at_most(x, share))

    def _is_at_most(self, value: int, share: Fraction) -> bool:
        return less(lambda: self.tail(value + 1), lambda: ball(1 - share))


class SymmetricLaw(Law):
    """A law with P(X = x) = P(X = −x)."""

    def spread(self, confidence: Number, draws: int = 1) -> int:
        """The least t for which all of `draws` independent values lie within ±t with this confidence."""
        share = proper(confidence, "confidence")

        def within(t: int) -> bool:
            return less(lambda: ball(share), lambda: (1 - 2 * self.tail(t + 1)) ** draws)

        return first_true(within)
