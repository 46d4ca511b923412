"""Private gradient descent as post-processing: scores of levels from noisy sums of weights and residuals.

Each level's score moves by its noisy sum of residuals over its curvature, about the number of its rows, to which a
multiple of the noise is added: levels with few rows move little. All features move at once, so each takes 1/√n of its
own step. The model is the mean of the second half of the steps, which averages noise out.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.learn.additive_plan import AdditivePlan
from tacit.learn.coded_rows import RESIDUAL, SCORE
from tacit.learn.training_text import Task
from tacit.query.plans.price import Price

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_CURVATURE: Final = {Task.CLASSIFICATION: 0.15, Task.REGRESSION: 1.0}  # of the loss in one row's score, about
_DAMPING: Final = 2.0  # deviations of noise that are added to a curvature: chosen on census data of 1994/95
_FARTHEST: Final = 8.0  # a score of one level


@frozen(eq=False)
class Descent:
    """The path of the scores from what was released, all of it public."""

    plan: AdditivePlan
    price: Price

    def scores(self, released: Sequence[Integers]) -> Floats:
        """The scores, one after the other for all levels, after so many steps: the first release are weights."""
        return self._path(released)[-1]

    def model(self, released: Sequence[Integers]) -> Floats:
        """The scores of the model: the mean of the second half of the path."""
        path = self._path(released)[1:]
        return np.asarray(np.mean(path[len(path) // 2 :], axis=0))

    def _path(self, released: Sequence[Integers]) -> list[Floats]:
        weights, *steps = released
        curvature = self._curvature(weights)
        path = [np.zeros(len(weights))]
        rate = 1 / sqrt(len(self.plan.training.features))
        for residuals in steps:
            moved = path[-1] + rate * residuals / (RESIDUAL * curvature)
            path.append(np.clip(moved, -_FARTHEST, _FARTHEST))
        return path

    def _curvature(self, weights: Integers) -> Floats:
        each = _CURVATURE[self.plan.training.target.task]
        noise = self.plan.residuals_law(self.price).width / RESIDUAL
        return np.maximum(weights, 0) * each + _DAMPING * noise


def in_steps(scores: Floats) -> list[int]:
    """Scores in whole steps of 1/`SCORE`, as SQL and the model have them."""
    return [round(float(score) * SCORE) for score in scores]
