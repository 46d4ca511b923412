"""Coins by the 64: words of which every bit is 1 with an exact rational probability."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from tacit.local.frequencies.rows import Packed
from tacit.noise.bits import Bits
from tacit.noise.uniform import UniformBelow

_PLANES = 10  # words drawn for each word of coins; after them one coin in 1,024 is still undecided
_BLOCK = 1 << 15


def packed_coins(bias: Fraction, words: int, bits: Bits) -> Packed:
    """64·words independent coins, each 1 with probability exactly `bias`.

    A coin is 1 iff a uniform real lies below the bias. Its binary digits are drawn for 64 coins at once and compared
    with those of the bias, the last first: where a digit differs it overrules what came after it. A coin whose ten
    digits are all those of the bias is 1 with the probability that remains: one uniform integer decides.
    """
    ones = np.empty(words, np.uint64)
    for start in range(0, words, _BLOCK):
        _toss(bias, ones[start : start + _BLOCK], bits)
    return ones


def _toss(bias: Fraction, ones: Packed, bits: Bits) -> None:
    scaled = bias * (1 << _PLANES)
    digits = int(scaled)
    rest = scaled - digits
    ones[:] = 0
    tied = np.full(ones.size, -1, np.int64).view(np.uint64)
    skipped = _PLANES if digits == 0 else (digits & -digits).bit_length() - 1
    for plane in range(0 if rest else skipped, _PLANES):
        below = bits.words(ones.size, 64)  # 1 where the digit of the uniform real is 0
        if digits >> plane & 1:
            ones |= below
            tied &= ~below
        else:
            ones &= below
            tied &= below
    if rest:
        _decide(ones, tied, rest, bits)


def _decide(ones: Packed, tied: Packed, rest: Fraction, bits: Bits) -> None:
    """Toss the coins that are tied with the bias so far."""
    coin = UniformBelow(rest.denominator)
    places = np.flatnonzero(tied)
    while places.size:
        left = tied[places]
        lowest = left & (~left + np.uint64(1))
        ones[places] |= lowest * (coin.draw(places.size, bits) < rest.numerator)
        tied[places] = left ^ lowest
        places = places[left != lowest]
