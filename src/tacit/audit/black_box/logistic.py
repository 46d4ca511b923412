"""A linear score by logistic regression on standardised features."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tacit.audit.black_box.features import Feature
from tacit.audit.black_box.matrix import Matrix
from tacit.audit.black_box.score import Labels, Score, Scores
from tacit.frozen import frozen

_STEPS = 8
_SPREAD = 8.0  # standard deviations beyond which a value counts no further


@frozen(eq=False)
class Logistic(Score):
    """A weighted sum of features, each centred, scaled and clipped."""

    features: Sequence[Feature]
    centre: NDArray[np.float64]
    scale: NDArray[np.float64]
    weights: NDArray[np.float64]

    @property
    def name(self) -> str:
        return "logistic regression"

    @classmethod
    def learn(cls, features: Sequence[Feature], columns: Matrix, labels: Labels) -> Logistic:
        """By Newton's steps with a slight pull towards 0."""
        low, centre, high = np.quantile(columns[:50_000], [0.1, 0.5, 0.9], axis=0)
        scale = np.where(high > low, (high - low) / 2.56, 1.0)
        design = _design(columns, centre, scale)
        weights = np.zeros(design.shape[1])
        for _ in range(_STEPS):
            chance = 1 / (1 + np.exp(-np.clip(design @ weights, -30, 30)))
            slope = design.T @ (labels - chance) - weights
            bend = (design.T * (chance * (1 - chance) + 1e-9)) @ design + np.eye(len(weights))
            step = np.linalg.solve(bend, slope)
            weights = weights + step
            if np.abs(step).max() < 1e-6:
                break
        return cls(features, centre, scale, weights)

    def of(self, rows: Matrix) -> Scores:
        columns = np.column_stack([feature.of(rows) for feature in self.features])
        return _design(columns, self.centre, self.scale) @ self.weights


def _design(columns: Matrix, centre: NDArray[np.float64], scale: NDArray[np.float64]) -> Matrix:
    with np.errstate(over="ignore"):
        scaled = np.clip((columns - centre) / scale, -_SPREAD, _SPREAD)
    return np.column_stack([scaled, np.ones(len(columns))])
