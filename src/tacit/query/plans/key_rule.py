"""Which private keys are shown: those whose people, by their noisy weight, are surely several."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from scipy.special import log_ndtr, ndtri_exp

from tacit.noise.ball import ball, first_true, less
from tacit.noise.rounded_gaussian import RoundedGaussian
from tacit.query.plans.noise_share import NoiseShare

FULL = 256  # the weight of a person who holds one key, in its own units


@dataclass(frozen=True)
class KeyRule:
    """Each person spreads a weight of ℓ₂ norm at most 1 over the keys they hold: ⌊256/√k⌋ units on each of k keys.

    A key is shown if its weight plus Gaussian noise reaches the threshold; a key of weight 0 is never shown. Claim,
    under add/remove and under replace: (a) the weights move by at most the radius of `noise` between neighbours (twice
    that under replace, which the noise accounts for); (b) keys that one person alone holds are shown, any
    of them, with probability at most δ. For (b): whoever holds k keys puts w = ⌊256/√k⌋ units on each, so for every w
    there are at most ⌊65536/w²⌋ of them, and the threshold is the least at which
    1 − (1 − P(w + noise ≥ threshold))^⌊65536/w²⌋ ≤ δ for w = 1 … 256, by the very predicate that shows keys.
    Outside that event neighbours show the same keys from the same list, which is post-processing of the noisy weights.
    """

    noise: NoiseShare
    delta: Fraction

    @property
    def unit(self) -> int:
        """Units of the law for one unit of weight."""
        return self.noise.radius // FULL

    @cached_property
    def threshold(self) -> int:
        """The least noisy weight that is shown, in units of the law."""
        return _threshold(self.noise.law, self.unit, self.delta)

    def weight_sql(self, keys: str) -> str:
        """The weight on each key of a person who holds this many."""
        return f"(CAST(floor({FULL}.0 / sqrt({keys})) AS BIGINT) * {self.unit})"

    def people(self) -> int:
        """About how many people, who hold no other key, a key needs to be shown as often as not."""
        return -(-self.threshold // (FULL * self.unit))


@lru_cache(maxsize=256)
def _threshold(law: RoundedGaussian, unit: int, delta: Fraction) -> int:
    """The least threshold: guessed in floating point, then certified and, if need be, raised."""
    weights = np.arange(1, FULL + 1)
    holders = (FULL * FULL) // weights**2
    each = np.log(-np.expm1(np.log1p(-float(delta)) / holders))  # the chance that a single key may have
    guess = int(np.max(weights * unit - law.width * ndtri_exp(each)))
    slack = log_ndtr(-(guess - weights * unit) / law.width) - each
    tight = [int(place) for place in np.flatnonzero(slack > -1e-3)]  # the others are far from the bound

    def holds(threshold: int, place: int) -> bool:
        weight, many = int(weights[place]), int(holders[place])
        return less(lambda: ball(1 - delta), lambda: (1 - law.tail(threshold - weight * unit)) ** many)

    step = max(1, int(law.width) >> 24)
    found = first_true(lambda extra: all(holds(guess + extra * step, place) for place in tight))
    final = guess + found * step
    for place in range(FULL):
        if place not in tight and not holds(final, place):
            raise ArithmeticError("a threshold that was certified does not hold")
    return final
