"""Report noisy max: the largest score after exponential noise."""

from __future__ import annotations

from fractions import Fraction

from numpy.typing import ArrayLike

from tacit.frozen import frozen
from tacit.loss.families.approx import Pure
from tacit.mechanisms.selection.selection import Selection
from tacit.noise.ball import Ball, ball
from tacit.noise.bits import Bits, Integers
from tacit.noise.selection_draws import noisy_max, noisy_max_law


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
