"""An (ε, δ) promise as the budget of an account: converted once, rounded down."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from tacit.errors import Refused
from tacit.exact import Number, positive, probability, proper
from tacit.loss.calibrate import gaussian_variance
from tacit.loss.families.approx import Approx
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.renyi import rho_near
from tacit.loss.families.zcdp import FARTHEST, Zcdp

_HALVINGS = 50
_BACK = (Fraction(1, 2**46), Fraction(1, 2**40))  # of the guess, which floats may have put too high


def budget_from(epsilon: Number, delta: Number, reserve: Number = Fraction(1, 4)) -> Zcdp:
    """The largest (ρ, reserve·δ), ρ rounded down, that is still (ε, δ)-private as a whole.

    The reserved part of δ is there for releases that need one of their own, such as private key selection; the rest
    of δ pays for turning ρ into ε. Claim: approximate zCDP with (ρ, s) is (ε, s+(1−s)δ′)-private wherever
    ρ-zCDP is (ε, δ′)-private (Bun–Steinke 2016); the ρ returned was itself certified so. It is found in floating point
    first, to 14 digits, for this is read whenever a data set is opened; should that fail, the certified search decides.
    """
    target, whole_delta, part = positive(epsilon, "epsilon"), proper(delta, "delta"), probability(reserve, "reserve")
    if not part < 1:
        raise Refused("all of δ reserved", "None would be left to turn ρ into ε.", "0 ≤ reserve < 1.")
    kept = part * whole_delta

    def keeps(rho: Fraction) -> bool:
        return Fraction(Zcdp(rho, kept).epsilon(whole_delta)) <= target

    guess = rho_near(target, (whole_delta - kept) / (1 - kept), FARTHEST)
    for back in _BACK if 0 < guess < math.inf else ():
        if keeps(rho := Fraction(guess) * (1 - back)):
            return Zcdp(rho, kept)
    return Zcdp(_largest(keeps, target), kept)


def _largest(keeps: Callable[[Fraction], bool], start: Fraction) -> Fraction:
    """The largest ρ that is certified to keep the promise, rounded down, searched for from a start."""
    low = start
    while not keeps(low):
        low /= 2
    while keeps(2 * low):
        low *= 2
    high = 2 * low
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if keeps(middle) else (low, middle)
    return low


def gaussian_budget_from(epsilon: Number, delta: Number) -> Gdp:
    """The largest μ², to one part in 10⁹ below, whose exact curve is (ε, δ)-private; no δ can be reserved in it."""
    return Gdp(1 / gaussian_variance(Approx(positive(epsilon, "epsilon"), proper(delta, "delta"))))
