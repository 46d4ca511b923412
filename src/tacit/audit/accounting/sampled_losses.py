"""Two worlds that can only be sampled: drawn privacy losses bound δ from below, but for an alarm rate."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.mechanisms.response.proportion import lower_end
from tacit.noise.bits import Bits

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
