"""Exact choice of one of many candidates, the better ones exponentially more likely: P(i) ∝ cᵢ·e^(−kᵢ·rate)."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from math import frexp
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.exact import Number, nonnegative, whole
from tacit.frozen import frozen
from tacit.noise.ball import Ball, ball
from tacit.noise.bits import Bits, Integers
from tacit.noise.near import exp_near, product_near
from tacit.noise.uniform import UniformBelow
from tacit.noise.uniform_real import UniformReal

_SLACK: Final = 2.0**-42  # relative: the filter's 2^-44 and three roundings, with room
_FINEST: Final = 61


@frozen
class Board:
    """Cells side by side on [0, total), a whole number of units each; the first part of a cell is its target.

    Cell i is at least as wide as its weight cᵢ·e^(−kᵢ·rate)·2^shift and its target is exactly that wide. A dart lands
    uniformly on the board; one that misses the target of its cell is thrown again. So cell i is hit with probability
    proportional to its weight, exactly, however roughly the cells were measured.
    """

    counts: Integers
    exponents: Integers
    rate: Fraction
    shift: int
    sure: Integers
    ends: Integers

    @classmethod
    def of(cls, counts: Integers, exponents: Integers, rate: Fraction, resolution: int) -> Board:
        """The board of these weights, of about 2^resolution units.

        Proof of the widths: a weight in units is within 2^-43 relative of its float x, so x(1 + 2^-42) + 1 is above it
        and x(1 − 2^-42) − 1 below. (Beyond the filter's ceiling x is far above the weight and below one unit.)
        """
        present = counts > 0
        least = exponents[present].min()
        rest = np.where(present, exponents, least) - least
        shift = resolution - frexp(float(counts.sum(dtype=np.float64)))[1]
        units = np.ldexp(counts * exp_near(product_near(rest, rate)), shift)
        cells = np.where(present, np.ceil(units * (1 + _SLACK)).astype(np.int64) + 1, 0)
        sure = np.floor(units * (1 - _SLACK)).astype(np.int64) - 1
        return cls(counts, rest, rate, shift, sure, np.cumsum(cells))

    def weight(self, cell: int) -> Ball:
        """The width of a cell's target, in units."""
        size = Fraction(int(self.counts[cell])) * Fraction(2) ** self.shift
        return ball(size) * (-ball(self.rate * int(self.exponents[cell]))).exp()

    def target_beyond(self, cell: int, into: int) -> Ball:
        """How much of a cell's target lies beyond its first `into` units."""
        return self.weight(cell) - into

    def hit(self, size: int, bits: Bits) -> Integers:
        """The cells of `size` independent darts that hit."""
        found = np.empty(size, np.int64)
        pending = np.arange(size)
        law = UniformBelow(int(self.ends[-1]))
        while pending.size:
            darts = law.draw(pending.size, bits)
            cells = np.searchsorted(self.ends, darts, side="right")
            starts = np.where(cells > 0, self.ends[cells - 1], 0)
            hits = darts - starts < self.sure[cells]
            for dart in np.flatnonzero(~hits):
                cell, into = int(cells[dart]), int(darts[dart] - starts[dart])
                hits[dart] = UniformReal(bits).is_below(partial(self.target_beyond, cell, into))
            found[pending[hits]] = cells[hits]
            pending = pending[~hits]
        return found


def choose_many(
    counts: Integers, exponents: Integers, rate: Number, size: int, bits: Bits, *, resolution: int = _FINEST
) -> Integers:
    """`size` independent draws of an index, each i with probability ∝ counts[i]·e^(−exponents[i]·rate).

    Counts and exponents are at least 0. `resolution` is how finely the weights are measured; the law is the same at
    every resolution.
    """
    pace = nonnegative(rate, "rate")
    widths, powers = whole_numbers(counts), whole_numbers(exponents)
    if not (widths.shape == powers.shape and np.all(widths >= 0) and np.all(powers >= 0) and np.any(widths > 0)):
        raise Refused(
            "a choice among these candidates",
            "A count or an exponent is negative, their numbers differ, or no candidate has weight.",
            "as many exponents as counts, none negative, and a count above zero.",
        )
    return Board.of(widths, powers, pace, resolution).hit(whole(size, "size"), bits)


def choose(counts: Integers, exponents: Integers, rate: Number, bits: Bits, *, resolution: int = _FINEST) -> int:
    """One index i, with probability ∝ counts[i]·e^(−exponents[i]·rate)."""
    return int(choose_many(counts, exponents, rate, 1, bits, resolution=resolution)[0])


def choice_law(counts: Integers, exponents: Integers, rate: Number) -> list[Ball]:
    """The exact probabilities of `choose`."""
    pace = nonnegative(rate, "rate")
    least = min(int(power) for count, power in zip(counts, exponents, strict=True) if count > 0)
    weights = [
        ball(int(count)) * (-ball(pace * (int(power) - least))).exp() if count > 0 else ball(0)
        for count, power in zip(counts, exponents, strict=True)
    ]
    total = sum(weights, ball(0))
    return [weight / total for weight in weights]


def whole_numbers(values: NDArray[Any]) -> Integers:
    """A list of signed integers; any other array is refused by its type and shape alone."""
    array = np.asarray(values)
    if not (array.ndim == 1 and np.issubdtype(array.dtype, np.signedinteger)):
        raise Refused(
            f"an array of {array.dtype} with {array.ndim} dimensions",
            "It is not a list of integers.",
            "a one-dimensional array of signed integers.",
        )
    return np.ascontiguousarray(array, np.int64)
