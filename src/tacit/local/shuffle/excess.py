"""The mean excess of a sum over nothing, E(X₁+…+X_n)₊, from above: what hides one report among blanket reports."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from tacit.local.shuffle.grid import Atoms, Grid, clipped
from tacit.local.shuffle.sums import law_at
from tacit.loss.distributions.step import UNIT
from tacit.loss.families.curve import float_up

_LARGEST = 700.0  # exponents that floats bear


def mean_excess_up(atoms: Atoms, count: int) -> float:
    """A number ≥ E(X₁+…+X_count)₊ for independent copies of X, whose values and masses are given.

    Every value is split between the two grid nodes beside it with its mean kept. As (·)₊ is convex, and adding
    independent terms keeps it so, the mean excess only grows; and it grows by the second power of the spacing. Masses
    are rounded up. The sum's law is tilted by λ: E S₊ = e^{K(λ)}·E_λ[S₊e^{−λS}], and x₊e^{−λx} ≤ 1/(eλ) bounds what
    any error of the law can do.
    """
    if count == 1 or not any(value > 0 for value, _ in atoms):
        return float_up(sum((mass * value for value, mass in atoms if value > 0), Fraction(0)))
    atoms = clipped(atoms, count)
    grid = Grid.of(atoms, count)
    law = law_at(float(grid.spacing), [(grid.split(atoms), count)], grid.tilt)
    start = float_up(count * grid.origin)
    values = np.maximum(law.values + start, 0.0)
    with np.errstate(under="ignore"):
        weights = values * np.exp(-law.tilt * values)
    found = float((law.masses * weights).sum())
    largest = float(np.abs(law.values).max()) + abs(start)
    roundings = UNIT * (len(values) + 64) * float((np.abs(law.masses) * weights).sum()) + 4 * UNIT * largest
    most = 1 / (math.e * law.tilt)
    logarithm = law.log_weight + law.tilt * start
    logarithm += 8 * UNIT * (abs(law.log_weight) + law.tilt * largest + 8)
    if not logarithm < _LARGEST:
        return math.inf
    return (found + roundings + law.error * most) * math.exp(logarithm) * (1 + law.unsure)
