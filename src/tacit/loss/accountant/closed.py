"""Compositions with a closed form, as brackets a few floats wide."""

from __future__ import annotations

import math
from fractions import Fraction

from tacit.loss.accountant.bracket import Bracket
from tacit.loss.composing.kov import RepeatedApprox
from tacit.loss.families.approx import Approx
from tacit.loss.families.gdp import Gdp
from tacit.loss.loss import Loss

_MOST_COINS = 2000  # beyond this the exact sum is slower than the numeric bracket
_WIDENINGS = tuple(10.0**-k for k in range(14, 2, -1))


def closed_form(parts: tuple[tuple[Loss, int], ...]) -> Loss | None:
    """One loss that is the whole composition exactly, if there is one: Gaussian, a single release, or equal (ε, δ)."""
    if len(parts) != 1:
        return None
    (loss, times), *_ = parts
    if isinstance(loss, Gdp):
        return Gdp(loss.mu_squared * times)
    if isinstance(loss, Approx) and times <= _MOST_COINS:
        return RepeatedApprox(loss.exact_epsilon, loss.exact_delta, times)
    if times == 1:
        return loss
    return None


def closed_delta(loss: Loss, epsilon: Fraction) -> Bracket:
    """δ(ε) of an exact form: its own two ends."""
    low, up = loss.delta_between(epsilon)
    return Bracket(low, up)


def closed_epsilon(loss: Loss, delta: Fraction) -> Bracket:
    """ε(δ) of an exact form: its certified upper end, and the nearest float below at which δ(ε) > δ is certified."""
    upper = loss.epsilon(delta)
    if not upper < math.inf:
        return Bracket(math.inf if loss.core()[0] > delta else 0.0, math.inf)
    for widening in _WIDENINGS:
        lower = upper * (1 - widening)
        if lower > 0 and loss.delta_between(Fraction(lower))[0] > delta:
            return Bracket(lower, upper)
    return Bracket(0.0, upper)
