"""From a Rényi divergence at one order to (ε, δ), and the search for the order that serves best.

If D_α(P‖Q) ≤ r both ways round, then for every ε ≥ 0 the release is (ε, δ)-private with
  δ = e^{(α−1)(r−ε)} (1−1/α)^α / (α−1),
because (1−e^{ε−L})₊ ≤ e^{(α−1)(L−ε)}·max_x x^{α−1}(1−x) pointwise, and that maximum is
(1−1/α)^{α−1}/α (Canonne–Kamath–Steinke 2020; Balle et al. 2020). Every order gives a true bound, so the
search runs in floats; only the value at the chosen order is certified.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from tacit.noise.ball import Ball, ball

_GOLDEN = (math.sqrt(5) - 1) / 2
_STEPS = 70


def delta_at(order: Fraction, divergence: Ball, epsilon: Fraction) -> Ball:
    """The δ at ε that a divergence of this order permits."""
    excess, alpha = ball(order - 1), ball(order)
    return (excess * (divergence - ball(epsilon)) + alpha * (excess / alpha).log()).exp() / excess


def epsilon_at(order: Fraction, divergence: Ball, delta: Fraction) -> Ball:
    """The ε at δ > 0 that a divergence of this order permits: r + ln((α−1)/α) − (ln δ + ln α)/(α−1)."""
    excess, alpha = ball(order - 1), ball(order)
    return divergence + (excess / alpha).log() - (ball(delta).log() + alpha.log()) / excess


def order_for_delta(divergence: Callable[[float], float], epsilon: Fraction, farthest: float) -> Fraction:
    """Nearly the best order for δ at ε; `divergence` takes α−1."""
    target = clipped(epsilon)

    def score(excess: float) -> float:
        gap = excess * (divergence(excess) - target)
        return gap - excess * math.log1p(1 / excess) - math.log1p(excess)

    return _lowest(score, farthest)


def order_for_epsilon(divergence: Callable[[float], float], delta: Fraction, farthest: float) -> Fraction:
    """Nearly the best order for ε at δ > 0; `divergence` takes α−1."""
    target = logarithm(delta)

    def score(excess: float) -> float:
        return divergence(excess) - math.log1p(1 / excess) - (target + math.log1p(excess)) / excess

    return _lowest(score, farthest)


def rho_near(epsilon: Fraction, delta: Fraction, farthest: float) -> float:
    """About the largest ρ whose divergence ρα gives ε at δ > 0 by some order: a start for a search, never an answer."""
    level, target = clipped(epsilon), logarithm(delta)

    def score(excess: float) -> float:
        return -(level + math.log1p(1 / excess) + (target + math.log1p(excess)) / excess) / (1 + excess)

    return -score(float(_lowest(score, farthest) - 1))


def logarithm(number: Fraction) -> float:
    """ln of a positive fraction, however small, to float accuracy."""
    return math.log(number.numerator) - math.log(number.denominator)


def clipped(number: Fraction) -> float:
    """The nearest float, at most 1e300: a start for a search, never an answer."""
    return float(min(number, Fraction(10) ** 300))


def _lowest(score: Callable[[float], float], farthest: float) -> Fraction:
    """An order near the lowest score: golden section in ln(α−1).

    (α−1)·D_α is convex in α, so the scores have one valley; where both probes are infinite the order is too high.
    """
    low, high = -30.0, farthest
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = score(math.exp(left)), score(math.exp(right))
    for _ in range(_STEPS):
        if at_left < at_right or not at_right < math.inf:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = score(math.exp(left))
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = score(math.exp(right))
    return 1 + Fraction(math.exp(left if at_left < at_right else right))
