"""What the best of a random number of private runs costs, where nothing but the best one leaves.

Papernot and Steinke (2021) bound Rényi divergences of such a selection; Koskela, Redberg and Wang (2024) bound δ at
each ε. The proof here is of the second kind, for a geometric number of runs, and also where that number has a cap.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Final

from tacit.errors import Refused
from tacit.exact import Number, nonnegative, positive, proper
from tacit.frozen import frozen
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Loss
from tacit.loss.families.precision import sharp
from tacit.noise.ball import ball, fraction_down, up
from tacit.noise.capped_geometric import CappedGeometric

_HALVINGS: Final = 60
_STEEP: Final = 700.0  # beyond it e^ε overflows a float
_CLOSE: Final = tuple(Fraction(1, 10**power) for power in (9, 7, 5, 3))


@frozen
class BestOfRuns:
    """The best of K independent runs of one mechanism Q, by a total order of all that a run gives; K is not released.

    Claim, under the neighbour relation of Q: let δ_Q bound Q's hockey-stick divergences in both directions, let K have
    the law `runs` with stopping chance γ, and let ε₁ ≥ 0 have δ_Q(ε₁) ≤ (e^ε₁ − 1)·γ/(1−γ). Then the best run is
    (ε, E[K]·δ_Q(ε − 2ε₁))-private for every ε ≥ 2ε₁.

    Proof. Let f be K's generating function and P, P′ the laws of one run in two neighbouring worlds. Beside its output
    y let a run have t, uniform on [0, 1] and used for nothing, and let u = P(Y < y) + t·P(Y = y), u′ likewise. The best
    of k runs is at most y with probability P(Y ≤ y)^k, so that the best of K has the law f(P(Y ≤ y)) − f(P(Y < y)),
    which is that of the density f′(u)·P(y) over (y, t), without t. (1) 1 − u and 1 − u′ are the probabilities of one
    test in both worlds, so 1 − u′ ≤ e^ε₁·(1−u) + δ_Q(ε₁). With c = 1 − γ: 1 − cu′ = γ + c(1−u′) ≤ γ + c·δ_Q(ε₁) +
    e^ε₁·c(1−u) ≤ e^ε₁·(1 − cu). (2) f′(u)/f′(u′) ≤ e^2ε₁. Without a cap f′(x) ∝ (1 − cx)^−2, and (1) says so. With a
    cap, the derivative of ln f′ at x is E[J−1]/x for J with weights j·P(K=j)·x^(j−1); a cap conditions J on J ≤ most,
    which makes no mean of an increasing function larger; so ln f′ grows by no more from u′ to u > u′ than without it,
    and where u ≤ u′ the ratio is at most 1. (3) Hence Σ∫ (f′(u)P − e^ε·f′(u′)P′)₊ dt ≤ Σ∫ f′(u)·(P − e^(ε−2ε₁)·P′)₊ dt
    ≤ f′(1)·δ_Q(ε − 2ε₁), and f′(1) = E[K]; leaving t out is post-processing. The other direction is the same.

    With δ_Q(ε₀) = 0 this is 3ε₀, the (2 + η)·ε₀ of the theorem for pure privacy at η = 1.
    """

    runs: CappedGeometric

    def tilt(self, base: Loss) -> Fraction:
        """An ε₁ of the claim, nearly the least, and certified."""
        odds = self.runs.stop / (1 - self.runs.stop)

        def holds(level: float) -> bool:
            room = fraction_down(sharp(lambda: ball(level).expm1() * ball(odds)))
            return Fraction(base.delta(Fraction(level))) <= room

        return Fraction(_least(holds, self._most))

    @property
    def _most(self) -> float:
        """ln(1/γ), rounded up: always an ε₁ of the claim, because there the right side is 1."""
        return up(sharp(lambda: ball(1 / self.runs.stop).log()))

    def delta(self, base: Loss, epsilon: Number) -> float:
        """δ at ε of the best run, rounded up."""
        level = nonnegative(epsilon, "epsilon") - 2 * self.tilt(base)
        if level < 0:
            return 1.0
        return min(1.0, up(ball(self.runs.mean) * ball(base.delta(level))))

    def strength(self, epsilon: Number, delta: Number) -> Fraction:
        """The largest μ² of each run, nearly, at which the best of them is (ε, δ)-private.

        It is found in floating point and then certified; if that fails, less is tried.
        """
        target, whole = positive(epsilon, "epsilon"), proper(delta, "delta")
        odds = float(self.runs.stop / (1 - self.runs.stop))
        level, slack = float(target), float(whole / self.runs.mean)

        def exceeds(mu: float) -> bool:
            tilt = _least(lambda e: _near_delta(mu, e) <= math.expm1(e) * odds, self._most)
            return level <= 2 * tilt or _near_delta(mu, level - 2 * tilt) > slack

        found = Fraction(_least(exceeds, 2 * math.sqrt(level) + level)) ** 2
        for back in _CLOSE:
            strength = found * (1 - back)
            if Fraction(self.delta(Gdp(strength), target)) <= whole:
                return strength
        raise Refused(f"a choice at ε = {level:g}", "No noise is known that keeps it.", "another ε, or δ.")


def _least(holds: Callable[[float], bool], high: float) -> float:
    """The least number from 0 on at which a claim that stays true holds, from above."""
    low = 0.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _near_delta(mu: float, epsilon: float) -> float:
    """Approximately the δ at ε of Gaussian privacy μ."""
    if mu <= 0:
        return 0.0
    centre, shift = epsilon / mu, mu / 2
    first = math.erfc((centre - shift) / math.sqrt(2)) / 2
    second = math.erfc((centre + shift) / math.sqrt(2)) / 2
    return first - math.exp(epsilon) * second if epsilon < _STEEP else first
