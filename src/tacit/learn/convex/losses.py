"""Convex losses of a linear score: their gradients and curvatures in the score, bounded for every score.

A loss is a function of K scores of one example and of its class. With two classes K is 1, and the score is that of the
second class.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

FARTHEST: Final = 40.0  # beyond this score a probability is 0 or 1 within 2^-57
RESIDUAL_ERROR: Final = 2.0**-42
"""How far a computed gradient in a score is from the exact one at most.

Scores have a relative error of 2^-50 and are cut to ±`FARTHEST`, where they are within 2^-44; gradients move by at most
3/4 of that, exp is within four units of its last place, and the quotients add a few. Beyond the cut they move by
2^-57·K at most.
"""


class LossKind(Enum):
    """Which loss is minimised.

    Claims, for every score and class: the gradient in the scores is at most `steepest` long (ℓ₂), and the trace of the
    second derivative at most `curvature`. Where `is_monotone`, K = 1 and the gradient is c·(−1)^class with c in
    [0, `steepest`], so that an example pulls in one direction only.

    Proof. Logistic: the gradient is s(z) − y with the logistic function s, and the derivative s(1 − s) ≤ 1/4. Softmax:
    p − e_y has norm √(Σ_{k≠y} p_k² + (1 − p_y)²) ≤ √2·(1 − p_y), and the trace Σp_k(1 − p_k) ≤ 1 − 1/K. Hinge: the
    gradient in the margin is −h((2 − v)/2) where h(x) = 3x² − 2x³ between 0 and 1, which rises from 0 to 1 with a
    slope of 3/2 at most: 3/4 in v. It is the hinge loss max(0, 1 − v), rounded between v = 0 and v = 2.
    """

    LOGISTIC = "logistic"
    SOFTMAX = "softmax"
    HINGE = "hinge"

    @property
    def is_monotone(self) -> bool:
        return self is not LossKind.SOFTMAX

    @property
    def steepest_squared(self) -> int:
        """The square of the longest gradient in the scores."""
        return 2 if self is LossKind.SOFTMAX else 1

    @property
    def curvature(self) -> float:
        return {LossKind.LOGISTIC: 0.25, LossKind.SOFTMAX: 1.0, LossKind.HINGE: 0.75}[self]

    def scores(self, classes: int) -> int:
        """K, the number of scores of an example."""
        return classes if self is LossKind.SOFTMAX else 1

    def gradients(self, scores: Floats, target: Integers) -> Floats:
        """The gradient of each example's loss in its scores, within `RESIDUAL_ERROR`."""
        if self is LossKind.SOFTMAX:
            found = shares(scores)
            found[np.arange(len(target)), target] -= 1
            return found
        sign = np.where(target == 1, -1.0, 1.0)[:, None]
        return sign * self._pull(-sign * scores)

    def curvatures(self, scores: Floats, target: Integers) -> Floats:
        """The second derivatives, examples × K × K: they steer the optimiser, and no claim rests on them."""
        if self is LossKind.SOFTMAX:
            found = shares(scores)
            return np.asarray(found[:, :, None] * (np.eye(scores.shape[1]) - found[:, None, :]))
        if self is LossKind.LOGISTIC:
            share = shares(np.column_stack([np.zeros(len(scores)), scores]))[:, 1:]
            return np.asarray((share * (1 - share))[:, :, None])
        margin = np.where(target == 1, 1.0, -1.0)[:, None] * scores
        part = np.clip(1 - margin / 2, 0, 1)
        return np.asarray((3 * part * (1 - part))[:, :, None])

    def _pull(self, margins: Floats) -> Floats:
        """How strongly an example pulls its score to its class: 0 to 1, falling with the margin."""
        if self is LossKind.HINGE:
            part = np.clip(1 - margins / 2, 0, 1)
            return np.asarray(part * part * (3 - 2 * part))
        return np.asarray(shares(np.column_stack([np.zeros(len(margins)), -margins]))[:, 1:])


def shares(scores: Floats) -> Floats:
    """The softmax of each row."""
    below = np.maximum(scores - scores.max(axis=1, keepdims=True), -FARTHEST)
    raised = np.exp(below)
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))
