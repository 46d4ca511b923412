"""A loss whose δ(ε) is known exactly: one certified ball serves every answer about it."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction

from tacit.exact import Number, nonnegative
from tacit.loss.loss import Loss
from tacit.loss.sharp import sharp
from tacit.noise.ball import Ball, down, up


class ExactCurve(Loss):
    """A loss that states its exact curve and rounds it once, to the safe side."""

    @abstractmethod
    def delta_ball(self, epsilon: Fraction) -> Ball:
        """The exact δ(ε), the larger of both directions, at Arb's working precision."""

    def delta(self, epsilon: Number) -> float:
        return self.delta_between(epsilon)[1]

    def delta_between(self, epsilon: Number) -> tuple[float, float]:
        """The exact curve, as a bracket one or two floats wide."""
        at = nonnegative(epsilon, "epsilon")
        value = sharp(lambda: self.delta_ball(at))
        return max(0.0, down(value)), min(1.0, up(value))
