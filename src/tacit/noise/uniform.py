"""Exact draws from uniform bits: integers below n without the bias of a remainder, reals, orders, samples, and coins.

A uniform real in [0, 1) is known only to as many bits as a comparison needed. Orders are uniformly random, and so are
samples without replacement. A coin has an exact bias, rational or e to a rational power: it falls on 1 iff a uniform
real lies below the bias p. Its first 16 bits decide that unless they equal those of p, once in 65,536 draws; then more
bits are drawn until the comparison is certain.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import ceil

import numpy as np
from flint import arb
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.exact import Number, nonnegative, probability, proper, whole
from tacit.frozen import frozen
from tacit.noise.ball import Ball, ball, between, precision
from tacit.noise.bits import Bits, Integers
from tacit.noise.law import Law
from tacit.noise.near import Unsigned, exp_near, product_near

_MOST = (1 << 63) - 1


@frozen
class UniformBelow(Law):
    """Each of 0, 1, …, n−1 with probability 1/n.

    A word below the largest multiple of n leaves each remainder equally often; a word above it is drawn anew.
    """

    n: int

    def __init__(self, n: int) -> None:
        object.__setattr__(self, "n", whole(n, "n", least=1))

    def mass(self, value: int) -> Ball:
        return ball(Fraction(int(0 <= value < self.n), self.n))

    def tail(self, value: int) -> Ball:
        return ball(Fraction(self.n - min(max(value, 0), self.n), self.n))

    def quantile(self, probability: Number) -> int:
        return ceil(proper(probability, "probability") * self.n) - 1

    def draw(self, size: int, bits: Bits) -> Integers:
        if self.n > 1 << 63:
            return np.array([min(self.draw_integer(bits), _MOST) for _ in range(size)], np.int64)
        width = 16 if self.n <= 1 << 8 else 32 if self.n <= 1 << 24 else 64
        top = (1 << width) // self.n * self.n - 1
        words = bits.words(size, width)
        while (poor := np.flatnonzero(words > top)).size:
            words = words.copy()
            words[poor] = bits.words(poor.size, width)
        return (words % words.dtype.type(self.n)).astype(np.int64)

    def draw_integer(self, bits: Bits) -> int:
        """One draw as a Python integer, for n of any size."""
        width = (self.n.bit_length() // 8 + 1) * 8
        top = (1 << width) // self.n * self.n
        while (word := bits.integer(width)) >= top:
            pass
        return word % self.n


_STEP = 64


class UniformReal:
    """The real number 0.b₁b₂b₃… of fair bits. Bits already seen stay; more are drawn only to break a tie."""

    def __init__(self, bits: Bits, word: int | None = None, width: int = _STEP) -> None:
        self._bits = bits
        self._word = bits.integer(width) if word is None else word
        self.width = width

    def refine(self) -> None:
        """Learn the next 64 bits."""
        self._word = self._word << _STEP | self._bits.integer(_STEP)
        self.width += _STEP

    def ball(self) -> Ball:
        """The ball of all numbers that begin with the bits seen so far."""
        low, high = self._ends()
        return between(low, high)

    def is_below(self, threshold: Callable[[], Ball]) -> bool:
        """Whether the number is less than a threshold: exact, bits are drawn until the comparison is certain."""
        while True:
            with precision(self.width + _STEP):
                low, high = self._ends()
                bound = threshold()
            if high <= bound:
                return True
            if low >= bound:
                return False
            self.refine()

    def _ends(self) -> tuple[Ball, Ball]:
        scale = arb(2) ** -self.width
        return arb(self._word) * scale, arb(self._word + 1) * scale


def permutation(n: int, bits: Bits, *, width: int = 64) -> Integers:
    """The numbers 0 … n−1 in uniformly random order.

    Each number gets its own random word and the words are sorted; if any two are equal, all are drawn anew.
    `width` is the length of a word; the law is the same for every width that offers n different words.

    Proof: the words are independent and of one law, and drawing all of them anew treats all places alike; so which
    number got which of the distinct words is uniform, and with it the order. Breaking a tie by place would make some
    orders more likely than others.
    """
    count = whole(n, "n")
    if not count <= 1 << width:
        raise Refused(f"a permutation of {count} by words of {width} bits", "Some words must be equal.", "wider words.")
    while True:
        words = bits.words(count, width)
        order = np.argsort(words)
        ranked = words[order]
        if not np.any(ranked[1:] == ranked[:-1]):
            return order.astype(np.int64, copy=False)


def sample_without_replacement(n: int, m: int, bits: Bits) -> Integers:
    """m different numbers below n ≤ 2^63, in the order drawn: each of the n!/(n−m)! sequences is equally likely.

    A small part of n is drawn with replacement, and repetitions are dropped: by symmetry each number that is new
    is uniform among those not yet seen. A large part is the beginning of a permutation.
    """
    everyone, wanted = whole(n, "n"), whole(m, "m")
    if not wanted <= everyone <= 1 << 63:
        raise Refused(f"{wanted} of {everyone} without replacement", "There are not that many.", "0 ≤ m ≤ n ≤ 2^63.")
    if 4 * wanted >= everyone:
        return permutation(everyone, bits)[:wanted]
    law = UniformBelow(everyone)
    drawn = law.draw(wanted, bits)
    while True:
        first = np.sort(np.unique(drawn, return_index=True)[1])
        if first.size >= wanted:
            return drawn[first[:wanted]]
        drawn = np.concatenate([drawn[first], law.draw(wanted - first.size, bits)])


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
