"""Uniform sets of a given size as packed bits, for very many people at once."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import exp, pi, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from tacit.local.frequencies.coins import packed_coins
from tacit.local.frequencies.rows import BIT, Packed, padding, row_sizes, set_bits, width
from tacit.noise.bits import Bits, Integers
from tacit.noise.uniform import UniformBelow

_WORDS = 1 << 18  # of a block: 2 MB, which stay near the processor
_ROUNDS = 4


def draw_packed(answers: Integers, has_truth: NDArray[np.bool_], options: int, size: int, bits: Bits) -> Packed:
    """A set of `size` options for each answer, uniform among those that hold the answer, or that do not.

    Every bit but the answer's is a coin of one rough bias; then options are added or removed, each uniform among those
    that can be, until the size is right. Nothing tells the other options apart, so that all sets are equally likely,
    whatever the bias: it only decides how much is left to repair.
    """
    words = width(options)
    out = np.empty((answers.size, words), np.uint64)
    step = max(1, _WORDS // words)
    for start in range(0, answers.size, step):
        part = slice(start, min(start + step, answers.size))
        _draw_block(out[part], answers[part], has_truth[part], options, size, bits)
    return out


def _draw_block(
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
    """The bias with few binary digits that makes drawing and repairing cheapest, by a rough account."""
    biases = [(places, Fraction(top, 1 << places)) for places in range(1, 8) for top in range(1, 1 << places, 2)]

    def cost(choice: tuple[int, Fraction]) -> float:
        places, bias = choice
        short = float(size - options * bias)
        spread = sqrt(options * float(bias * (1 - bias)))
        over = spread * exp(-((short / spread) ** 2) / 2) / sqrt(2 * pi) - short * NormalDist().cdf(-short / spread)
        proposals = (over + short) * options / (options - size) + over * options / size
        return places * options / 1000 + proposals

    return min(biases, key=cost)[1]
