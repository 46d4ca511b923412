"""The selection mechanisms: exponential, report noisy max, and permute-and-flip.

The odds of the exponential mechanism grow exponentially with the score. Report noisy max takes the largest score after
exponential noise. Permute-and-flip has the same law, by coins instead of noise.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from tacit.frozen import frozen
from tacit.loss.families.approx import Pure
from tacit.loss.pairs.bounded_range import BoundedRange
from tacit.mechanisms.selection.selection import Selection
from tacit.noise.ball import Ball, ball
from tacit.noise.bits import Bits, Integers
from tacit.noise.selection_draws import choice_law, choose, noisy_max, noisy_max_law, permute_and_flip


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


@frozen
class NoisyMax(Selection):
    """Adds exponential noise of rate ε/2Δ to each score (ε/Δ if monotonic) and names the largest.

    Claim: if neighbours under `relation` move each score by at most Δ, the release is ε-private. Proof: fix the noise
    of all others; candidate i wins iff its own exceeds some s, and on a neighbour iff it exceeds some s′ ≤ s + 2Δ
    (s + Δ if all scores move one way). Since P(E > s + x) ≥ e^(−rate·x)·P(E > s), i wins with at least e^−ε of its
    former probability. As zCDP this is ρ = ε·tanh(ε/2), by `Pure`: the range of the loss is *not* bounded by ε, so
    the exponential mechanism's ε²/8 does not hold.

    At equal ε it is never worse than the exponential mechanism (McKenna and Sheldon 2020); at equal ρ it may be.
    """

    @staticmethod
    def loss_of(epsilon: Fraction) -> Pure:
        return Pure(epsilon)

    def probabilities(self, scores: ArrayLike) -> list[Ball]:
        return noisy_max_law(self.steps(scores), self.rate)

    def select(self, steps: Integers, bits: Bits) -> int:
        return noisy_max(steps, self.rate, bits)

    def failure(self, lag: int) -> Ball:
        """1 − (1 − (1−x)ⁿ)/nx with x = e^(−lag·rate), for n candidates.

        Proof: call those that far behind the laggards. Moving a laggard up to exactly that lag, or moving another
        (but the best) down to it, only raises the best noisy score of the laggards and lowers that of the rest. So at
        worst all but the best are exactly that far behind, and the best wins with probability ∫₀¹ (1−xz)^(n−1) dz.
        The integrand is at least 1 − (n−1)xz, which gives the second bound: narrow where the first cancels.
        """
        x = (-ball(lag * self.rate)).exp()
        exact = 1 - (1 - (1 - x) ** self.size) / (self.size * x)
        return exact.min((self.size - 1) * x / 2)


@frozen
class PermuteAndFlip(NoisyMax):
    """Visits the candidates in random order and takes the first whose coin of bias e^(−rate·(best − score)) falls on 1.

    Claim: ε-private if neighbours under `relation` move each score by at most Δ; the rate is ε/2Δ, or ε/Δ if
    monotonic. Proof: it selects each candidate with the same probability as `NoisyMax` (Ding, Kifer, Steinke, Wang,
    Xiao and Zhang 2021), whose claims and error are therefore its own.
    """

    def select(self, steps: Integers, bits: Bits) -> int:
        return permute_and_flip(steps, self.rate, bits)
