"""The largest loss of a composition: where ε stops, and how much mass sits there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from tacit.loss.accountant.step import Step
from tacit.loss.curve import float_up
from tacit.loss.filters.pure_epsilon import pure_epsilon_of
from tacit.loss.loss import Loss

_LOOSE = 1e-9  # more than all roundings of a logarithm of at least −600


def most_epsilon(parts: Sequence[tuple[Loss, int]]) -> float:
    """The sum of the parts' pure ε, rounded up once: no ε is ever above it. `inf` where a part has none."""
    total = Fraction(0)
    for loss, times in parts:
        most = pure_epsilon_of(loss)
        if most is None:
            return math.inf
        total += times * most
    return float_up(total)


def least_epsilon(steps: Sequence[tuple[Step, int]], delta: float) -> float:
    """An ε certified to be too small for δ, from the mass at the largest loss alone; 0 where that says nothing.

    If each step has mass m_i at the loss ℓ_i or above, the composition has Πm_i at Σℓ_i, so δ(ε) is at least
    Πm_i·(1−e^{ε−Σℓ_i}), and ε < Σℓ_i + ln(1−δ/Πm_i) is too small.
    """
    tops = [(*step.top(), times) for step, times in steps]
    if not all(mass > 0 for _, mass, _ in tops):
        return 0.0
    share = math.log(delta) - math.fsum(times * math.log(mass) for _, mass, times in tops) + _LOOSE
    if not share < 0:
        return 0.0
    largest = math.fsum(times * loss for loss, _, times in tops) * (1 - 1e-14)
    return max(0.0, math.nextafter(largest + math.log1p(-math.exp(share)) * (1 + 1e-14), 0.0))
