"""Coins with an exact bias: rational, or e to a rational power.

A coin of bias p falls on 1 iff a uniform real lies below p. Its first 16 bits decide that unless they equal those of p,
once in 65,536 draws; then more bits are drawn until the comparison is certain.
"""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tacit.exact import Number, nonnegative, probability, proper
from tacit.frozen import frozen
from tacit.noise.ball import Ball, ball, precision
from tacit.noise.bits import Bits, Integers
from tacit.noise.law import Law
from tacit.noise.near import Unsigned, exp_near, product_near
from tacit.noise.uniform import UniformReal

_WIDTH = 16
_SLACK = 2.0**-42  # the filter's 2^-44 and the rounding errors of the word, with a margin


class Coin(Law):
    """A law on {0, 1}."""

    @abstractmethod
    def bias(self) -> Ball:
        """P(X = 1)."""

    def mass(self, value: int) -> Ball:
        return self.bias() if value == 1 else 1 - self.bias() if value == 0 else ball(0)

    def tail(self, value: int) -> Ball:
        return ball(1) if value <= 0 else self.bias() if value == 1 else ball(0)

    def draw(self, size: int, bits: Bits) -> Integers:
        with precision(64):
            scaled = self.bias() * (1 << _WIDTH)
            low, high = int(scaled.lower().floor().fmpz()), int(scaled.upper().ceil().fmpz())
        words = bits.words(size, _WIDTH).astype(np.int32)
        ones = words < low
        for place in np.flatnonzero((low <= words) & (words < high)):
            ones[place] = UniformReal(bits, int(words[place]), _WIDTH).is_below(self.bias)
        return ones.astype(np.int64)


@frozen
class Bernoulli(Coin):
    """1 with probability p, else 0."""

    p: Fraction

    def __init__(self, p: Number) -> None:
        object.__setattr__(self, "p", probability(p, "p"))

    def bias(self) -> Ball:
        return ball(self.p)

    def quantile(self, probability: Number) -> int:
        return 0 if proper(probability, "probability") <= 1 - self.p else 1


@frozen
class BernoulliExp(Coin):
    """1 with probability e^−γ, else 0."""

    gamma: Fraction

    def __init__(self, gamma: Number) -> None:
        object.__setattr__(self, "gamma", nonnegative(gamma, "gamma"))

    def bias(self) -> Ball:
        return _exp_minus(self.gamma)


def flip_exp(exponents: Unsigned, rate: Number, bits: Bits, *, width: int = 64) -> NDArray[np.bool_]:
    """One independent coin of bias e^(−k·rate) for each k ≥ 0, true where it fell on 1.

    `width` is the length of the first word; the law is the same for every width.

    Proof: U lies in [w, w+1)/2^width, and p̃ is within 2^-44 relative of p = e^(−k·rate). Where (w+1)/2^width is at
    most p̃(1 − 2^-42), U < p; where w/2^width is at least p̃(1 + 2^-42), U > p. (Where k·rate is beyond the filter's
    ceiling of 64, p̃ = e^−64 ≥ p keeps the second test sound, and the first cannot pass: no word is that small.)
    All other places are compared in Arb.
    """
    pace = nonnegative(rate, "rate")
    words = bits.words(exponents.size, width)
    near = exp_near(product_near(exponents, pace))
    places = words.astype(np.float64)
    scale = 2.0**-width
    ones: NDArray[np.bool_] = (places + 1) * scale <= near * (1 - _SLACK)
    doubt = ~ones & (places * scale < near * (1 + _SLACK))
    for place in np.flatnonzero(doubt):
        power = pace * int(exponents[place])
        ones[place] = UniformReal(bits, int(words[place]), width).is_below(partial(_exp_minus, power))
    return ones


def _exp_minus(power: Fraction) -> Ball:
    return (-ball(power)).exp()
