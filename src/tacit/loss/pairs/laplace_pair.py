"""The Laplace pair: Laplace noise against itself, shifted by the sensitivity."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from tacit.exact import Number, nonnegative, probability, whole
from tacit.frozen import frozen
from tacit.loss.curve import float_up
from tacit.loss.pairs.pair import Pair
from tacit.loss.sharp import sharp, shown
from tacit.noise.ball import Ball, ball, down, less, up


@frozen(repr=False)
class LaplacePair(Pair):
    """What real Laplace noise of scale b costs when neighbours' answers differ by at most Δ₁ in ℓ₁; ratio r = Δ₁/b.

    Claim, under the neighbour relation that Δ₁ is the sensitivity of: the release, scalar or vector, is
    dominated by Lap(0, 1) against Lap(r, 1). Laplace noise is log-concave, so this is the argument of pair.py.
    The two directions coincide, because x ↦ r−x swaps the two laws. For ε < r the loss exceeds ε exactly
    where x < (r−ε)/2, which gives δ(ε) = 1−e^((ε−r)/2).
    Integer noise is not this pair: price it by `DiscreteLaplacePair`.
    """

    ratio: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "ratio", nonnegative(self.ratio, "ratio"))

    @property
    def pure_epsilon(self) -> Fraction:
        return self.ratio

    def delta_ball(self, epsilon: Fraction) -> Ball:
        return -ball((epsilon - self.ratio) / 2).expm1() if epsilon < self.ratio else arb(0)

    def epsilon(self, delta: Number) -> float:
        allowed = probability(delta, "delta")
        if allowed in (0, 1):
            return float_up(self.ratio * (1 - allowed))
        return max(0.0, up(sharp(lambda: ball(self.ratio) + 2 * ball(-allowed).log1p())))

    def tradeoff(self, alpha: Number) -> float:
        """1−e^r α up to e^−r/2, then e^−r/(4α) up to 1/2, then e^−r(1−α): T_r of pair.py, written out."""
        at = probability(alpha, "alpha")
        ratio = self.ratio
        if 2 * at > 1:
            return down(sharp(lambda: ball(-ratio).exp() * ball(1 - at)))
        if less(lambda: ball(2 * at), lambda: ball(-ratio).exp()):
            return max(0.0, down(sharp(lambda: 1 - ball(ratio).exp() * ball(at))))
        return down(sharp(lambda: ball(-ratio).exp() / ball(4 * at)))

    def rdp_ball(self, order: Fraction) -> Ball:
        """Mironov 2017: the integral of p^α q^(1−α), in closed form on each side of the two peaks."""
        a, r = order, self.ratio
        rise, fall = ball((a - 1) * r).exp(), ball(-a * r).exp()
        return (ball(a / (2 * a - 1)) * rise + ball((a - 1) / (2 * a - 1)) * fall).log() / ball(a - 1)

    def group(self, people: int) -> LaplacePair:
        """k people move the answer by at most kΔ₁: the same family, k times the ratio."""
        return LaplacePair(self.ratio * whole(people, "people", 1))

    def __str__(self) -> str:
        return f"Laplace noise, sensitivity/scale = {shown(self.ratio)}"
