"""The discrete Laplace pair: two-sided geometric noise against itself, some whole steps away."""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb

from tacit.exact import positive, whole
from tacit.frozen import frozen
from tacit.loss.pairs.pair import Pair
from tacit.loss.sharp import shown
from tacit.noise.ball import Ball, ball


@frozen(repr=False)
class DiscreteLaplacePair(Pair):
    """What integer noise with mass ∝ e^(−rate·|x|) costs when neighbours' integers differ by ≤ `shift` steps in ℓ₁.

    Claim, under the neighbour relation that `shift` is the ℓ₁ sensitivity of (in grid steps): the
    release, scalar or vector, is dominated by the noise at 0 against the noise at `shift`; the noise is
    log-concave, so this is the argument of pair.py. The two directions coincide, because x ↦ shift−x swaps the
    laws. The loss at x is rate·(|x−shift|−|x|), which falls from rate·shift to −rate·shift in steps of 2·rate, so that
    δ(ε) = P(X ≤ m) − e^ε P(X ≤ m−shift) for the last m at which the loss still exceeds ε.
    """

    rate: Fraction
    shift: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", positive(self.rate, "rate"))
        object.__setattr__(self, "shift", whole(self.shift, "shift", 1))

    @property
    def pure_epsilon(self) -> Fraction:
        return self.rate * self.shift

    def delta_ball(self, epsilon: Fraction) -> Ball:
        if epsilon >= self.pure_epsilon:
            return arb(0)
        last = math.ceil((self.shift - epsilon / self.rate) / 2) - 1  # 0 ≤ last < shift
        above = ball(-self.rate * (last + 1)).exp()
        below = ball(epsilon - self.rate * (self.shift - last)).exp()
        return 1 - (above + below) / (1 + ball(-self.rate).exp())

    def rdp_ball(self, order: Fraction) -> Ball:
        """Σ p^α q^(1−α), a geometric sum on each of x ≤ 0, 0 < x < shift and x ≥ shift."""
        a, r, s = order, self.rate, self.shift
        t = ball(-r).exp()
        high, low = ball((a - 1) * r * s).exp(), ball(-a * r * s).exp()
        ratio = ball(-(2 * a - 1) * r)
        between_peaks = ratio.exp() * (ratio * (s - 1)).expm1() / ratio.expm1()
        peaks_and_beyond = (high + low) / (1 + t)
        return (peaks_and_beyond + (1 - t) / (1 + t) * high * between_peaks).log() / ball(a - 1)

    def group(self, people: int) -> DiscreteLaplacePair:
        """k people move the integers by at most k·shift steps: the same family."""
        return DiscreteLaplacePair(self.rate, self.shift * whole(people, "people", 1))

    def __str__(self) -> str:
        return f"discrete Laplace noise, rate = {shown(self.rate)}, shift = {self.shift}"
