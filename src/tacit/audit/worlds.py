"""Two neighbouring worlds: the distribution of an answer in each, to test accountants with.

Where the distributions can be written down, they are enumerated. Where they can only be sampled, drawn privacy losses
bound δ from below, wrong with at most the stated false-alarm rate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise
from math import comb, factorial, prod
from typing import TypeAlias

import numpy as np
from flint import arb
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.exact import Number, nonnegative, positive, probability, whole
from tacit.frozen import frozen
from tacit.mechanisms.response.proportion import lower_end
from tacit.noise.ball import Ball, ball, down, precision
from tacit.noise.bits import Bits

_BITS = 256
_MOST = 200_000

Outcome: TypeAlias = tuple[Ball, Ball]
"""The probability of one answer in the first world and in the second."""


@frozen(eq=False)
class Worlds:
    """The outcomes of two worlds; if some are left out or merged, results are still lower bounds."""

    outcomes: Sequence[Outcome]

    def delta_at_least(self, epsilon: Fraction) -> float:
        """A certain lower bound of δ at ε, in the worse direction."""
        with precision(_BITS):
            factor = ball(epsilon).exp()
            forth, back = ball(0), ball(0)
            for p, q in self.outcomes:
                forth += max(arb(0), (p - factor * q).lower())
                back += max(arb(0), (q - factor * p).lower())
            return max(0.0, down(forth), down(back))

    def repeated(self, times: int) -> Worlds:
        """So many independent answers: every multiset of outcomes with its multinomial weight."""
        count = whole(times, "times", 1)
        if not comb(count + len(self.outcomes) - 1, count) <= _MOST:
            raise Refused(f"{times} answers of {len(self.outcomes)} kinds", "They are too many.", "fewer of them.")
        with precision(_BITS):
            powers = [[(p**n, q**n) for n in range(count + 1)] for p, q in self.outcomes]
            found = []
            for chosen in _multisets(len(self.outcomes), count):
                weight = factorial(count) // prod(map(factorial, chosen))
                p, q = ball(weight), ball(weight)
                for kind, often in enumerate(chosen):
                    p, q = p * powers[kind][often][0], q * powers[kind][often][1]
                found.append((p, q))
        return Worlds(found)

    def then(self, later: Sequence[Worlds]) -> Worlds:
        """A further answer that depends on the first outcome, as for an adaptive analyst."""
        with precision(_BITS):
            pairs = zip(self.outcomes, later, strict=True)
            return Worlds([(p * a, q * b) for (p, q), after in pairs for a, b in after.outcomes])


def _multisets(kinds: int, count: int) -> Sequence[Sequence[int]]:
    if kinds == 2:
        return [(n, count - n) for n in range(count + 1)]
    chosen = combinations_with_replacement(range(kinds), count)
    return [[kindly.count(kind) for kind in range(kinds)] for kindly in chosen]


def coin(epsilon: Number) -> Worlds:
    """Randomized response of this ε; also the geometric mechanism at distance 1, whose loss has the same law."""
    with precision(_BITS):
        odds = ball(nonnegative(epsilon, "epsilon")).exp()
        return Worlds([(odds / (1 + odds), 1 / (1 + odds)), (1 / (1 + odds), odds / (1 + odds))])


def giveaway(delta: Number) -> Worlds:
    """Reveals everything with probability δ, else nothing."""
    slack = probability(delta, "delta")
    return Worlds([(ball(slack), ball(0)), (ball(0), ball(slack)), (ball(1 - slack), ball(1 - slack))])


def rounded_gaussian(variance: Number, step: Number = "1/4", reach: int = 60) -> Worlds:
    """A normal at 0 against one at 1, seen on a grid of this step: post-processing of the Gaussian mechanism."""
    width = positive(step, "step")
    with precision(_BITS):
        deviation = ball(positive(variance, "variance")).sqrt()

        def below(edge: Fraction, centre: int) -> Ball:
            return (-(ball(edge) - centre) / (deviation * ball(2).sqrt())).erfc() / 2

        edges = [Fraction(1, 2) + width * at for at in range(-reach, reach + 1)]
        both = [(below(edge, 0), below(edge, 1)) for edge in edges]
        ends = [both[0], *((high[0] - low[0], high[1] - low[1]) for low, high in pairwise(both))]
        return Worlds([*ends, (1 - both[-1][0], 1 - both[-1][1])])


def discrete_gaussian(variance: Number, reach: int = 40) -> Worlds:
    """P ∝ exp(−x²/2σ²) on the integers at 0 against the same at 1; the far tails are left out of both."""
    with precision(_BITS):
        halved = 1 / (2 * ball(positive(variance, "variance")))
        weights = {x: (-halved * x * x).exp() for x in range(-reach - 1, reach + 2)}
        total = sum(weights.values(), ball(0)) + ball(2) ** -_BITS  # rounded up; the sum left out is far smaller
        return Worlds([(weights[x] / total, weights[x - 1] / total) for x in range(-reach, reach + 2)])


def poisson(base: Worlds, rate: Number, absent: Worlds | None = None) -> Worlds:
    """A sample that the person is in with this rate; without the person the second world's law, or that of `absent`.

    With `absent` both worlds have a person (replace), and an answer without either of them follows a third law.
    """
    q = probability(rate, "rate")
    with precision(_BITS):
        if absent is None:
            return Worlds([(ball(1 - q) * b + ball(q) * a, b) for a, b in base.outcomes])
        inside = [(ball(q) * a, ball(q) * b) for a, b in base.outcomes]
        return Worlds([*inside, *((ball(1 - q) * a, ball(1 - q) * b) for a, b in absent.outcomes)])


Losses = Callable[[int, np.random.Generator], NDArray[np.float64]]


@frozen(eq=False)
class SampledLosses:
    """Draws of ln(P/Q) under P, and of ln(Q/P) under Q."""

    forth: Losses
    back: Losses

    def delta_at_least(self, epsilon: Fraction, samples: int, alarm_rate: float, bits: Bits) -> float:
        """A lower bound of δ at ε in the worse direction, wrong with probability at most the alarm rate.

        Proof: δ(ε) is the mean of (1 − e^(ε−L))₊ under P. A coin of that bias is flipped for every draw, so heads are
        binomial with rate δ(ε); Clopper and Pearson's end, at half the rate for each direction, does the rest.
        """
        generator = np.random.Generator(np.random.PCG64(bits.integer(64)))
        found = 0.0
        for losses in (self.forth, self.back):
            gained = -np.expm1(np.minimum(0.0, float(epsilon) - losses(samples, generator)))
            heads = int((generator.random(samples) < gained).sum())
            found = max(found, lower_end(heads, samples, Fraction(alarm_rate) / 2))
        return found


def sampled_gaussian(rate: float, deviation: float, times: int) -> SampledLosses:
    """So many steps of Gaussian noise on Poisson samples: a normal at 0 or, with this rate, at 1, against one at 0."""

    def total(place: Callable[[int, np.random.Generator], NDArray[np.float64]]) -> Losses:
        def losses(count: int, generator: np.random.Generator) -> NDArray[np.float64]:
            found = np.zeros(count)
            for _ in range(times):
                seen = place(count, generator) + generator.normal(0, deviation, count)
                found += np.log1p(rate * np.expm1((2 * seen - 1) / (2 * deviation**2)))
            return found

        return losses

    forth = total(lambda count, generator: (generator.random(count) < rate).astype(np.float64))
    nowhere = total(lambda count, _: np.zeros(count))
    return SampledLosses(forth, lambda count, generator: -nowhere(count, generator))
