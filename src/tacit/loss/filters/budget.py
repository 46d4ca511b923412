"""An (ε, δ) promise as the budget of an account: converted once, rounded down."""

from __future__ import annotations

from fractions import Fraction

from tacit.errors import Refused
from tacit.exact import Number, positive, probability, proper
from tacit.loss.calibrate import gaussian_variance
from tacit.loss.families.approx import Approx
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.zcdp import Zcdp

_HALVINGS = 50


def budget_from(epsilon: Number, delta: Number, reserve: Number = Fraction(1, 4)) -> Zcdp:
    """The largest (ρ, reserve·δ), ρ rounded down, that is still (ε, δ)-private as a whole.

    The reserved part of δ is there for releases that need one of their own, such as private key selection; the rest
    of δ pays for turning ρ into ε. Claim: approximate zCDP with (ρ, s) is (ε, s+(1−s)δ′)-private wherever
    ρ-zCDP is (ε, δ′)-private (Bun–Steinke 2016); the ρ returned was itself certified so.
    """
    target, whole_delta, part = positive(epsilon, "epsilon"), proper(delta, "delta"), probability(reserve, "reserve")
    if not part < 1:
        raise Refused("all of δ reserved", "None would be left to turn ρ into ε.", "0 ≤ reserve < 1.")
    kept = part * whole_delta

    def keeps(rho: Fraction) -> bool:
        return Fraction(Zcdp(rho, kept).epsilon(whole_delta)) <= target

    low = target
    while not keeps(low):
        low /= 2
    while keeps(2 * low):
        low *= 2
    high = 2 * low
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if keeps(middle) else (low, middle)
    return Zcdp(low, kept)


def gaussian_budget_from(epsilon: Number, delta: Number) -> Gdp:
    """The largest μ², to one part in 10⁹ below, whose exact curve is (ε, δ)-private; no δ can be reserved in it."""
    return Gdp(1 / gaussian_variance(Approx(positive(epsilon, "epsilon"), proper(delta, "delta"))))
