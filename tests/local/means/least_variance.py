"""A lower bound on the worst variance of every unbiased ε-local report of a number, from a linear program's dual."""

from __future__ import annotations

from math import exp

import numpy as np

from tacit.local.means.linear_program import Floats, ProgramShape, Solution, solve
from tacit.local.randomizers.randomizer import odds_within

_POINTS = 20_000


def least_variance(epsilon: float, shape: ProgramShape) -> float:
    """No unbiased ε-local report, of whatever outputs, has a smaller worst variance than this.

    Take any report of the inputs i/steps, made symmetric (that makes its worst variance no larger). For weights wᵢ ≥ 0
    that add up to 1, and any λᵢ, μᵢ,
        worst variance ≥ Σ λᵢxᵢ + Σ μᵢ − Σ wᵢxᵢ² + ∫ [Σᵢ pᵢ(a)·qᵢ(a) + pᵢ(−a)·qᵢ(−a)],   qᵢ(a) = wᵢa² − λᵢa − μᵢ,
    over its output values a ≥ 0. All pᵢ(±a) lie within [c, e^ε·c], so the bracket is at least c·g(a) with
    g(a) = Σᵢ φ(qᵢ(a)) + φ(qᵢ(−a)), φ(q) = q for q ≥ 0, else e^ε·q. Where g ≥ −m everywhere, taking m/2(steps+1) off
    every μᵢ makes it ≥ 0, and costs m/2. The dual of the program on a grid of outputs proposes the numbers.
    """
    found = solve(odds_within(epsilon), shape, between=False)
    ratio = exp(epsilon) * (1 + 1e-12)
    weights = np.maximum(found.inputs, 0) / np.maximum(found.inputs, 0).sum()
    inputs = np.arange(shape.steps + 1) / shape.steps
    bound = found.prices @ inputs + found.rents.sum() - weights @ inputs**2
    return float(bound) - max(0.0, -_least_gain(found, weights, ratio)) / 2 - 1e-9


def _least_gain(found: Solution, weights: Floats, ratio: float) -> float:
    """A lower bound of g on all a ≥ 0.

    Up to the last root of a q it is read on a grid: g − 2e^ε·a² is concave (a minimum of quadratics less one as steep),
    so between two points g is above their lesser value less e^ε·step²/2. Beyond the last root g is one quadratic.
    """
    last = 0.0
    for w, price, rent in zip(weights, found.prices, found.rents, strict=True):
        for sign in (1, -1):
            roots = np.roots([w, -sign * price, -rent]) if w or price else np.array([])
            last = max([last, *(float(root.real) for root in roots if abs(root.imag) < 1e-9)])
    points = np.linspace(0, last * 1.001, _POINTS)
    values = _gain(points, found, weights, ratio)
    end = points[-1]
    curve = np.polyfit([end, end + 1, end + 2], _gain(np.array([end, end + 1, end + 2]), found, weights, ratio), 2)
    vertex = max(end, -curve[1] / (2 * curve[0]))
    assert curve[0] > 0
    return float(min(values.min() - ratio * (points[1] - points[0]) ** 2 / 2, np.polyval(curve, vertex)))


def _gain(points: Floats, found: Solution, weights: Floats, ratio: float) -> Floats:
    total = np.zeros(points.size)
    for w, price, rent in zip(weights, found.prices, found.rents, strict=True):
        for sign in (1, -1):
            q = w * points**2 - sign * price * points - rent
            total += np.where(q >= 0, q, ratio * q)
    return total
