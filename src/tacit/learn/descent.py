"""Private gradient descent as post-processing: scores of levels from noisy sums of weights and residuals.

A step solves for the scores that would end all residuals, if features were independent of each other: the matrix of
second derivatives then follows from the numbers of rows by level alone. It is that of every feature by itself, and of
what all features have in common, so that they do not move to the mean once each. A multiple of the noise is added to
each level's number of rows: levels with few rows move little. The model is the mean of the second half of the steps,
which averages noise out.
"""

from __future__ import annotations

from collections.abc import Sequence
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

_CURVATURE: Final = {Task.CLASSIFICATION: 0.12, Task.REGRESSION: 1.0}  # of the loss in one row's score, about
_DAMPING: Final = 5.0  # deviations of noise that are added to a curvature: chosen on census data of 1994/95
_RATE: Final = 0.7  # of the way that would be right for independent features: chosen on the same data
_GROWN: Final = 2.0  # times larger than at first, residuals say that steps are too long: they are halved
_LEAST: Final = 1e-3  # of a damping: without noise and rows, nothing is divided by 0
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
        derivatives = self._second_derivatives(weights)
        path, rate = [np.zeros(len(weights))], _RATE
        for residuals in steps:
            if derivatives.size(residuals) > _GROWN * derivatives.size(steps[0]):
                rate /= 2
            moved = path[-1] + rate * derivatives.step(residuals / RESIDUAL)
            path.append(np.clip(moved, -_FARTHEST, _FARTHEST))
        return path

    def _second_derivatives(self, weights: Integers) -> IndependentFeatures:
        each = _CURVATURE[self.plan.training.target.task]
        noise = self.plan.residuals_law(self.price).width / RESIDUAL
        levels = [feature.levels for feature in self.plan.training.features]
        return IndependentFeatures(levels, np.maximum(weights, 0) * each, _DAMPING * noise)


class IndependentFeatures:
    """The second derivatives H of a loss whose features are independent of each other, and the steps H⁻¹·g.

    Within a feature H is diagonal, the curvature c of each level plus a damping. Between two features it is c·c′/N, the
    product of shares of rows, times the curvature N of all rows. With a = Σ c·x over one feature, and A over all,
    x = (g − c·(A − a)/N)/(c + damping); so a = (b − q·A)/(1 − q) for b = Σ c·g/(c + damping) and
    q = Σ c²/(c + damping)/N, which is below 1, and A follows from the sum of these.
    """

    def __init__(self, levels: Sequence[int], curvature: Floats, damping: float) -> None:
        self._feature = np.repeat(np.arange(len(levels)), levels)
        self._curvature, self._damped = curvature, curvature + max(damping, _LEAST)
        self._all = max(float(self._sums(curvature).max()), _LEAST)
        self._own = self._sums(curvature**2 / self._damped) / self._all

    def size(self, gradient: Integers) -> float:
        """How large a gradient is, each level by its own curvature."""
        return float(np.sum(gradient / self._damped * gradient))

    def step(self, gradient: Floats) -> Floats:
        """H⁻¹·g."""
        each = self._sums(self._curvature * gradient / self._damped) / (1 - self._own)
        shares = self._own / (1 - self._own)
        common = each.sum() / (1 + shares.sum())
        others = common - (each - shares * common)
        return np.asarray((gradient - self._curvature * others[self._feature] / self._all) / self._damped)

    def _sums(self, numbers: Floats) -> Floats:
        return np.asarray(np.bincount(self._feature, numbers), np.float64)


def in_steps(scores: Floats) -> list[int]:
    """Scores in whole steps of 1/`SCORE`, as SQL and the model have them."""
    return [round(float(score) * SCORE) for score in scores]
