"""The exponential mechanism: a selection whose odds grow exponentially with the score."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from tacit.frozen import frozen
from tacit.loss.pairs.range_pair import BoundedRange
from tacit.mechanisms.selection.selection import Selection
from tacit.noise.ball import Ball, ball
from tacit.noise.bits import Bits, Integers
from tacit.noise.selection_draws import choice_law, choose


@frozen
class Exponential(Selection):
    """Selects candidate o with probability ∝ exp(ε·q(o)/2Δ); with exp(ε·q(o)/Δ) if scores are monotonic.

    Claim (McSherry and Talwar 2007): if neighbours under `relation` move each score by at most Δ, the privacy loss of
    all outputs lies in one interval of width ε (bounded range), so the release is ε-private and ε²/8-zCDP. Proof:
    the logarithm of each weight moves by at most ε/2 either way, or if monotonic by at most ε one way; that of their
    sum moves alike for all outputs. Between two outputs the losses thus differ by at most ε.
    """

    @staticmethod
    def loss_of(epsilon: Fraction) -> BoundedRange:
        return BoundedRange(epsilon)

    def probabilities(self, scores: ArrayLike) -> list[Ball]:
        steps = self.steps(scores)
        return choice_law(np.ones_like(steps), steps.max() - steps, self.rate)

    def select(self, steps: Integers, bits: Bits) -> int:
        return choose(np.ones_like(steps), steps.max() - steps, self.rate, bits)

    def failure(self, lag: int) -> Ball:
        """m·e^(−lag·rate)/(1 + m·e^(−lag·rate)) for m others.

        Proof: of the weights, relative to the best one's, those that far behind add up to at most m·e^(−lag·rate),
        the rest to at least 1. All others exactly that far behind attain it.
        """
        weight = (self.size - 1) * (-ball(lag * self.rate)).exp()
        return weight / (1 + weight)
