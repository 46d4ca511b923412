"""A first, rough look at a composition.

Where its losses lie and how fine a grid it needs. Nothing here is certified.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tacit.loss.accountant.cells import demand_hiding
from tacit.loss.accountant.step import Array, Step
from tacit.loss.accountant.tilt import Cumulants

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
