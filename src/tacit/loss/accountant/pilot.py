"""A first, rough estimate of a composition, which certifies nothing; and its largest loss, which bounds ε."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from tacit.loss.accountant.discretization import demand_hiding
from tacit.loss.accountant.tilt import Cumulants
from tacit.loss.distributions.step import Array, Step
from tacit.loss.families.approx import pure_epsilon_of
from tacit.loss.families.curve import float_up
from tacit.loss.families.loss import Loss

_DECADES = 6
_POINTS = 96


def survey(steps: Sequence[tuple[Step, int]], tail: float) -> Cumulants:
    """The cumulants of the composition,

    from cells that are narrow where a step's mass may crowd, near its ends and 0.
    """
    losses, masses, variance = [], [], 0.0
    for step, times in steps:
        at, mass = _rough(step, tail)
        losses.append(at)
        masses.append(mass)
        mean = float((mass * at).sum())
        variance += times * float((mass * (at - mean) ** 2).sum())
    starts = np.concatenate([[0], np.cumsum([len(mass) for mass in masses])[:-1]])
    copies = np.array([times for _, times in steps], dtype=np.float64)
    logs = np.log(np.concatenate(masses))
    return Cumulants(np.concatenate(losses), logs, starts, copies, math.sqrt(variance))


def _rough(step: Step, tail: float) -> tuple[Array, Array]:
    low, high = step.span(tail)
    demand_hiding(low, high)
    if not step.continuous:
        atoms = np.sort(step.atoms())
        edges = np.concatenate([[-math.inf], (atoms[:-1] + atoms[1:]) / 2, [math.inf]])
    elif step.ladder:
        edges = np.concatenate([[-math.inf], np.linspace(low, high, _POINTS // 4), [math.inf]])
    else:
        ladder = max(high - low, 1e-300) * 10.0 ** np.linspace(-_DECADES, 0, _POINTS)
        edges = np.unique(np.concatenate([low + ladder, ladder, -ladder, [low, high]]))
        edges = np.concatenate([[-math.inf], edges[(edges >= low) & (edges <= high)], [math.inf]])
    found = step.masses(edges)
    full = (found.p > 1e-300) & (found.q > 1e-300)
    p, q = found.p[full], found.q[full]
    return np.log(p / q), p


_LOOSE = 1e-9  # more than the rounding errors of a logarithm of at least −600


def most_epsilon(parts: Sequence[tuple[Loss, int]]) -> float:
    """The sum of the parts' pure ε, rounded up once: an upper bound of ε at every δ. `inf` where a part has none."""
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
