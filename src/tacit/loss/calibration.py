"""The least noise that keeps a promise, and the largest budget that a promise covers.

An (ε, δ) promise becomes the budget of an account in another currency: converted once, rounded down.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from tacit.errors import Refused
from tacit.exact import Number, positive, probability, proper, whole
from tacit.loss.dominance import fits
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Loss, a_loss, demand_one_relation
from tacit.loss.families.rdp import rho_near
from tacit.loss.families.zcdp import FARTHEST, Zcdp
from tacit.loss.pairs.additive_noise import DiscreteGaussianPair

_CLOSE = Fraction(10**9 + 1, 10**9)  # ratio to the least parameter at which the search stops
_FARTHEST = 2.0**512


def meets(loss: Loss, target: Loss) -> bool:
    """Whether the loss keeps the promise: for (ε, δ) certified by its own curve, else in the target's currency."""
    demand_one_relation([a_loss(loss), a_loss(target)])
    if isinstance(target, Approx):
        return Fraction(loss.delta(target.exact_epsilon)) <= target.exact_delta
    if isinstance(target, Zcdp):
        return fits(loss.zcdp(), target)
    return fits(loss.gdp() if isinstance(target, Gdp) else loss, target)


def least(loss_of: Callable[[Fraction], Loss], target: Loss) -> Fraction:
    """The least parameter whose loss meets the target, within one part in 10⁹ above it.

    The loss must fall as the parameter grows (as with any noise scale). The parameter returned was itself checked; with
    a loss that does not fall, it is larger than necessary but still valid.
    """
    demand_function(loss_of)
    high = 1.0
    while not meets(loss_of(Fraction(high)), target):
        high *= 2
        if not high <= _FARTHEST:
            raise Refused(f"noise for ({target})", "No amount of this noise meets it.", "a weaker target.")
    low = high / 2
    while meets(loss_of(Fraction(low)), target):
        high, low = low, low / 2
        if not low >= 1 / _FARTHEST:
            raise Refused(f"noise for ({target})", "It needs no noise at all.", "a stronger target.")
    while Fraction(high) > Fraction(low) * _CLOSE:
        middle = (low + high) / 2
        low, high = (low, middle) if meets(loss_of(Fraction(middle)), target) else (middle, high)
    return Fraction(high)


def demand_function(value: object) -> None:
    """Refuse a value that is not callable."""
    if not callable(value):
        raise Refused(f"a plan of type {type(value).__name__}", "It is no function.", "a function of the parameter.")


def laplace_scale(target: Pure, sensitivity: Number = 1) -> Fraction:
    """The Laplace scale b = Δ₁/ε, exactly: with ℓ₁ sensitivity Δ₁ it is ε-private, and no smaller b is."""
    _demand(isinstance(target, Approx) and target.exact_epsilon > 0, target, "a Pure(ε) with ε > 0.")
    return positive(sensitivity, "sensitivity") / target.exact_epsilon


def gaussian_variance(target: Loss, sensitivity: Number = 1) -> Fraction:
    """The least σ² of (real or rounded) Gaussian noise for ℓ₂ sensitivity Δ₂.

    For ρ it is Δ²/2ρ and for μ it is Δ²/μ², both exact; for (ε, δ) the exact Gaussian curve decides, and
    σ² is within one part in 10⁹ above the least.
    """
    squared = positive(sensitivity, "sensitivity") ** 2
    if isinstance(target, Zcdp):
        _demand(target.rho > 0, target, "ρ > 0.")
        return squared / (2 * target.rho)
    if isinstance(target, Gdp):
        _demand(target.mu_squared > 0, target, "μ > 0.")
        return squared / target.mu_squared
    _demand(isinstance(target, Approx) and 0 < target.exact_delta < 1, target, _GAUSSIAN_TARGETS)
    return squared * least(lambda ratio: Gdp(1 / ratio), target)


def discrete_gaussian_variance(target: Loss, shift: int = 1) -> Fraction:
    """The least σ² of discrete Gaussian noise on one integer that neighbours move by at most `shift` steps.

    For ρ it is shift²/2ρ, exactly (and holds for a vector with ℓ₂ sensitivity `shift`); for (ε, δ) the
    pair's own exact curve decides.
    """
    steps = whole(shift, "shift", least=1)
    if isinstance(target, Zcdp):
        _demand(target.rho > 0, target, "ρ > 0.")
        return Fraction(steps * steps) / (2 * target.rho)
    _demand(isinstance(target, Approx) and 0 < target.exact_delta < 1, target, "ρ > 0, or an (ε, δ) with 0 < δ < 1.")
    return least(lambda variance: DiscreteGaussianPair(variance, steps), target)


_GAUSSIAN_TARGETS = "ρ > 0, μ > 0, or an (ε, δ) with 0 < δ < 1; for a pure ε use Laplace noise."


def _demand(holds: bool, target: Loss, accepted: str) -> None:
    if not holds:
        raise Refused(f"noise for ({target})", "This noise cannot be calibrated to it.", accepted)


_HALVINGS = 50
_BACK = (Fraction(1, 2**46), Fraction(1, 2**40))  # of the guess, which rounding may have made too high


def budget_from(epsilon: Number, delta: Number, reserve: Number = Fraction(1, 4)) -> Zcdp:
    """The largest (ρ, reserve·δ), ρ rounded down, that is still (ε, δ)-private as a whole.

    The reserved part of δ is there for releases that need one of their own, such as private key selection; the rest of
    δ pays for turning ρ into ε. Claim: approximate zCDP with (ρ, s) is (ε, s+(1−s)δ′)-private wherever ρ-zCDP is (ε,
    δ′)-private (Bun–Steinke 2016); the ρ returned was itself certified so. It is found in floating point first, to 14
    digits, because every opening of a data set computes it; if that fails, the certified search decides.
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
    """The largest ρ that is certified to keep the promise, rounded down; the search begins at a start value."""
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
