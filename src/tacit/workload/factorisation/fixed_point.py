"""The fixed point that finds the best factorisation of a workload, by its dual.

Minimise tr(V X⁻¹) over X ⪰ 0 with X_jj ≤ 1, V = WᵀW. With D ≥ 0 for the constraints, X = D^−½ S D^−½ for S = (D^½ V
D^½)^½, and at the optimum D = diag S. The step D ← D·g, g = diag X, is that equation read as an assignment. Here log D
is over-relaxed, and extrapolated from the last steps (Anderson): tens of steps become ten. No claim depends on how D
was found: every D has a certified lower end (`optimal_strategy`), every strategy an upper one (`IntegerStrategy`).

All is done on the smaller side. S has the singular values of M = W D^½; of M Mᵀ where questions are fewer than cells.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen

Floats = NDArray[np.float64]

_CLOSE, _NEAR = 1.0005, 1.003  # where the search stops: the ratio of both ends, in floating point
_LARGE = 1_100  # number of questions or cells from which on it stops at the second one
_MOST_STEPS = 60
_RELAXED = 1.5
_MEMORY = 6
_FAR = 2.0  # of log D in one step
_FLOOR = 1e-5  # of the mean singular value: below it a direction is as if it had this
_LEAST = 1e-10  # of the largest D


@frozen(eq=False)
class DualPoint:
    """A point D of the dual: with the singular values of W D^½, floored, and the vectors on the smaller side."""

    diagonal: Floats
    singular: Floats
    vectors: Floats
    norms: Floats  # g: the squared norm of each cell's column in the strategy
    lower: float

    @property
    def upper(self) -> float:
        """The error of the strategy, scaled so that no column is longer than 1."""
        return float(self.singular.sum() * self.norms.max())


def is_by_question(rows: Floats) -> bool:
    """Whether questions are the smaller side."""
    return len(rows) < len(rows.T)


def best_point(rows: Floats) -> tuple[DualPoint, DualPoint]:
    """The points with the least upper and the largest lower end that were found; `rows` are weighted questions."""
    gram = None if is_by_question(rows) else rows.T @ rows
    logs = np.zeros(rows.shape[1])
    history: list[tuple[Floats, Floats]] = []
    primal = dual = point = _point(rows, gram, logs)
    close = _CLOSE if min(rows.shape) <= _LARGE else _NEAR
    for _ in range(_MOST_STEPS):
        if primal.upper <= close * dual.lower:
            break
        residual = np.log(point.norms)
        residual = residual - np.log((point.diagonal * point.norms).sum() / point.diagonal.sum())
        history = [*history, (logs, residual)][-_MEMORY - 1 :]
        logs = logs + _step(history, np.sqrt(point.diagonal / point.diagonal.sum()))
        logs = np.maximum(logs - logs.max(), np.log(_LEAST))
        point = _point(rows, gram, logs)
        primal = min(primal, point, key=lambda each: each.upper)
        dual = max(dual, point, key=lambda each: each.lower)
        if point.upper > 2 * primal.upper:  # an extrapolation diverged
            history = []
    return primal, dual


def _step(history: list[tuple[Floats, Floats]], weights: Floats) -> Floats:
    """The over-relaxed step, with Anderson extrapolation from the last steps."""
    residual = history[-1][1]
    if len(history) < 3:
        return np.asarray(_RELAXED * residual)
    moved = np.array([after[0] - before[0] for before, after in pairwise(history)]).T
    turned = np.array([after[1] - before[1] for before, after in pairwise(history)]).T
    mixed = np.linalg.lstsq(turned * weights[:, None], residual * weights, rcond=1e-8)[0]
    return np.clip(_RELAXED * residual - (moved + _RELAXED * turned) @ mixed, -_FAR, _FAR)


def _point(rows: Floats, gram: Floats | None, logs: Floats) -> DualPoint:
    diagonal = np.exp(logs)
    diagonal = diagonal / diagonal.sum()
    if gram is None:
        squares, vectors = np.linalg.eigh((rows * diagonal) @ rows.T)
    else:
        root = np.sqrt(diagonal)
        squares, vectors = np.linalg.eigh(root[:, None] * gram * root)
    plain = np.sqrt(np.maximum(squares, 0.0))
    singular = np.maximum(plain, _FLOOR * plain.mean())
    if gram is None:
        norms = (((vectors / np.sqrt(singular)).T @ rows) ** 2).sum(axis=0)
    else:
        norms = (vectors**2 @ singular) / diagonal
    return DualPoint(diagonal, singular, vectors, norms, float(plain.sum() ** 2))
