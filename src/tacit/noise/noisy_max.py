"""Exact noisy maximum: the largest of scoreᵢ·rate + Expᵢ(1), by two algorithms with one law."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import Final

import numpy as np
from flint import arb_poly
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.exact import Number, nonnegative
from tacit.noise.ball import Ball, ball, precision
from tacit.noise.bernoulli import flip_exp
from tacit.noise.bits import Bits, Integers
from tacit.noise.choice import whole_numbers
from tacit.noise.near import log_near, product_near
from tacit.noise.permutation import permutation
from tacit.noise.uniform_real import UniformReal

_MARGIN: Final = 2.0**-42  # absolute: two filters of 2^-44 and their difference, with room


def noisy_max(scores: Integers, rate: Number, bits: Bits, *, width: int = 64) -> int:
    """The index of the largest scores[i]·rate + Eᵢ, with independent Eᵢ of density e^−x.

    `width` is the length of the first word of each noise; the law is the same for every width.

    Proof: Eᵢ = −ln Uᵢ with Uᵢ in [w, w+1)/2^width lies between its float and 1/w above it, up to the filters' margin;
    whoever cannot reach the surest leader leaves the race, and those who can are refined until one is left. (A lag
    beyond the filter's ceiling of 64 is taken as 64: its owner's true value is lower still, and never the leader's,
    for whoever has no lag is above 0.)
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
    """Those of the race whom nobody certainly beats."""
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
