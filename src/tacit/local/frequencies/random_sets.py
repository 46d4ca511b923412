"""Random sets of options for very many people: independent coins, 64 at a time, and uniform sets of one size.

Every coin is 1 with an exact rational probability. Sets are packed bits, or sorted lists where they are small.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import exp, pi, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from tacit.local.frequencies.report_rows import BIT, Packed, padding, row_sizes, set_bits, width
from tacit.noise.bits import Bits, Integers
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


_WORDS = 1 << 18  # size of a block: 2 MB, which fit the processor's cache
_ROUNDS = 4


def draw_packed(answers: Integers, has_truth: NDArray[np.bool_], options: int, size: int, bits: Bits) -> Packed:
    """A set of `size` options for each answer, uniform among those that hold the answer, or that do not.

    Every bit but the answer's is a coin of one rough bias; then options are added or removed, each uniform among those
    that can be, until the size is right. The other options are treated symmetrically, so all sets are equally likely
    for any bias, which only affects the number of repairs.
    """
    words = width(options)
    out = np.empty((answers.size, words), np.uint64)
    step = max(1, _WORDS // words)
    for start in range(0, answers.size, step):
        part = slice(start, min(start + step, answers.size))
        _draw_packed_block(out[part], answers[part], has_truth[part], options, size, bits)
    return out


def _draw_packed_block(
    rows: Packed, answers: Integers, has_truth: NDArray[np.bool_], options: int, size: int, bits: Bits
) -> None:
    rows[:] = packed_coins(rough_bias(options, size), rows.size, bits).reshape(rows.shape)
    rows[:, -1] &= padding(options)
    set_bits(rows, answers, has_truth)
    begins = np.arange(len(rows), dtype=np.int32) * (8 * rows.shape[1])
    excess = row_sizes(rows).astype(np.int32) - size
    _repair(rows.view(np.uint8).reshape(-1), begins, answers.astype(np.int32), excess, UniformBelow(options), bits)


def _repair(
    octets: NDArray[np.uint8],
    begins: NDArray[np.int32],
    answers: NDArray[np.int32],
    excess: NDArray[np.int32],
    anywhere: UniformBelow,
    bits: Bits,
) -> None:
    """Add to or remove from each set, one uniform option at a time, until no set has an excess.

    Every round proposes an option to every set; those of the right size drop out every fourth round.
    """
    left, is_over = np.abs(excess), excess > 0
    while (active := left > 0).any():
        begins, answers, left, is_over = begins[active], answers[active], left[active], is_over[active]
        for _ in range(_ROUNDS):
            option = anywhere.draw(left.size, bits).astype(np.int32)
            place, bit = begins + (option >> 3), BIT[option & 7]
            octet = octets[place]
            useful = ((octet & bit) != 0) == is_over
            useful &= option != answers
            useful &= left > 0
            octets[place] = octet ^ (bit * useful)
            left -= useful


@lru_cache(maxsize=256)
def rough_bias(options: int, size: int) -> Fraction:
    """The bias with few binary digits that makes drawing and repairing cheapest, by a rough estimate."""
    biases = [(places, Fraction(top, 1 << places)) for places in range(1, 8) for top in range(1, 1 << places, 2)]

    def cost(choice: tuple[int, Fraction]) -> float:
        places, bias = choice
        short = float(size - options * bias)
        spread = sqrt(options * float(bias * (1 - bias)))
        over = spread * exp(-((short / spread) ** 2) / 2) / sqrt(2 * pi) - short * NormalDist().cdf(-short / spread)
        proposals = (over + short) * options / (options - size) + over * options / size
        return places * options / 1000 + proposals

    return min(biases, key=cost)[1]


_LISTED_CELLS = 1 << 20


def draw_listed(answers: Integers, has_truth: NDArray[np.bool_], options: int, size: int, bits: Bits) -> Integers:
    """A set of `size` options for each answer, uniform among those that hold the answer, or that do not.

    As many others are drawn, and those that came twice drawn again until all differ: the others are treated
    symmetrically, so all sets of them are equally likely. Where the answer is in the set, it takes the place of one of
    them, each equally likely, which leaves a uniform set of the rest.
    """
    step = max(1, _LISTED_CELLS // size)
    blocks = [
        _draw_listed_block(answers[start : start + step], has_truth[start : start + step], options, size, bits)
        for start in range(0, answers.size, step)
    ]
    return np.concatenate(blocks)


def _draw_listed_block(
    answers: Integers, has_truth: NDArray[np.bool_], options: int, size: int, bits: Bits
) -> Integers:
    others = UniformBelow(options - 1)
    rows = np.sort(others.draw(answers.size * size, bits).reshape(-1, size), axis=1)
    active = np.arange(answers.size)
    while active.size:
        part = rows[active]
        again, column = np.nonzero(part[:, 1:] == part[:, :-1])
        part[again, column] = others.draw(again.size, bits)
        active = active[np.unique(again)]
        rows[active] = np.sort(part[np.unique(again)], axis=1)
    rows += rows >= answers[:, None]
    replaced = UniformBelow(size).draw(answers.size, bits)
    within = np.flatnonzero(has_truth)
    rows[within, replaced[within]] = answers[within]
    return np.sort(rows, axis=1)
