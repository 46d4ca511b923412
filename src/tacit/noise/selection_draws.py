"""Exact draws for private selection: exponential weights, and the noisy maximum.

The choice of one of many candidates, the better ones exponentially more likely, has P(i) ∝ cᵢ·e^(−kᵢ·rate). The noisy
maximum is the largest of scoreᵢ·rate + Expᵢ(1), by two algorithms with one law.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from math import frexp, inf
from typing import Any, Final

import numpy as np
from flint import arb_poly
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.exact import Number, nonnegative, whole
from tacit.frozen import frozen
from tacit.noise.ball import Ball, ball, precision
from tacit.noise.bits import Bits, Integers
from tacit.noise.near import exp_near, log_near, product_near
from tacit.noise.uniform import UniformBelow, UniformReal, flip_exp, permutation

_SLACK: Final = 2.0**-42  # relative: the filter's 2^-44 and three roundings, with a margin
_FINEST: Final = 61


@frozen
class Board:
    """Cells side by side on [0, total), a whole number of units each; the first part of a cell is its target.

    Cell i is at least as wide as its weight cᵢ·e^(−kᵢ·rate)·2^shift and its target is exactly that wide. A dart lands
    uniformly on the board; one that misses the target of its cell is thrown again. So cell i is hit with probability
    proportional to its weight, exactly, even if the widths of the cells are rough.
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
        """The part of a cell's target beyond its first `into` units."""
        return self.weight(cell) - into

    def hit(self, size: int, bits: Bits) -> Integers:
        """The cells that `size` independent darts hit; a dart that misses is thrown again."""
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


_MARGIN: Final = 2.0**-42  # absolute: two filters of 2^-44 and their difference, with a margin


def noisy_max(scores: Integers, rate: Number, bits: Bits, *, width: int = 64) -> int:
    """The index of the largest scores[i]·rate + Eᵢ, with independent Eᵢ of density e^−x.

    `width` is the length of the first word of each noise; the law is the same for every width.

    Proof: Eᵢ = −ln Uᵢ with Uᵢ in [w, w+1)/2^width lies between its float and 1/w above it, up to the filters' margin; a
    candidate whose upper end is below another's lower end is dropped, and the others are refined until one is left. (A
    lag beyond the filter's ceiling of 64 is taken as 64: the candidate's true value is lower still and never the
    largest, because a candidate without lag is above 0.)
    """
    pace = nonnegative(rate, "rate")
    lags = _lags(scores)
    words = bits.words(lags.size, width)
    near = log_near(words, width) - product_near(lags, pace)
    with np.errstate(divide="ignore"):
        reach = near + 1 / words.astype(np.float64)
    racers = np.flatnonzero(reach >= near.max() - 2 * _MARGIN)
    race = {int(racer): UniformReal(bits, int(words[racer]), width) for racer in racers}
    while len(race) > 1:
        race = _front(race, lags, pace)
        for uniform in race.values() if len(race) > 1 else ():
            uniform.refine()
    return next(iter(race))


def permute_and_flip(scores: Integers, rate: Number, bits: Bits, *, width: int = 64) -> int:
    """The first candidate, in random order, whose coin of bias e^(−(best − score)·rate) falls on 1.

    The best candidate's coin always does. The law is `noisy_max`'s (Ding–Kifer–Steinke–Wang–Xiao–Zhang 2021).
    """
    lags = _lags(scores)
    order = permutation(lags.size, bits, width=width)
    return int(order[np.argmax(flip_exp(lags[order], rate, bits, width=width))])


def noisy_max_law(scores: Integers, rate: Number) -> list[Ball]:
    """The exact probabilities of `noisy_max`: qᵢ·∫₀¹ Π_{j≠i}(1 − qⱼz) dz with qⱼ = e^(−lagⱼ·rate).

    Proof: i wins with Eᵢ = lagᵢ·rate + s iff Eⱼ < lagⱼ·rate + s for all others, which has probability 1 − qⱼe^−s each;
    s cannot be negative, for the best has no lag. Put z = e^−s. The integral is a polynomial's; work at a
    precision of some bits for each candidate.
    """
    pace = nonnegative(rate, "rate")
    rates = [(-ball(pace * int(lag))).exp() for lag in _lags(scores)]
    law = []
    for winner, share in enumerate(rates):
        product = arb_poly([1])
        for other, rival in enumerate(rates):
            if other != winner:
                product *= arb_poly([1, -rival])
        law.append(share * product.integral()(ball(1)))
    return law


def _front(race: dict[int, UniformReal], lags: NDArray[np.uint64], rate: Fraction) -> dict[int, UniformReal]:
    """The candidates that no other candidate certainly beats."""
    with precision(64 + next(iter(race.values())).width):
        values = {racer: -uniform.ball().log() - ball(rate * int(lags[racer])) for racer, uniform in race.items()}
        surest = max((value.lower() for value in values.values() if value.is_finite()), default=ball(-inf))
        return {racer: race[racer] for racer, value in values.items() if not value < surest}


def _lags(scores: Integers) -> NDArray[np.uint64]:
    """How far each score is behind the best; a difference of two 64-bit integers always fits unsigned."""
    values = whole_numbers(scores)
    if not values.size:
        raise Refused("a choice among no candidates", "There is nothing to choose.", "at least one candidate.")
    unsigned = values.view(np.uint64)
    lags: NDArray[np.uint64] = unsigned[np.argmax(values)] - unsigned
    return lags
