"""What a test of noise could have seen: the smallest error of its scale."""

from __future__ import annotations

from math import sqrt

import numpy as np
from scipy.stats import norm

from tacit.audit.stages.cells import Cells, Chances
from tacit.noise.bits import Integers

_POWER = 0.9


def least_scale_error(cells: Cells, runs: int, alarm_rate: float) -> float:
    """The least e for which noise 1 − e times as wide fails one of the sums with probability 9/10, about."""
    low, high = 0.0, 1.0
    while high - low > 1e-3:
        middle = (low + high) / 2
        low, high = (low, middle) if _is_seen(cells, runs, alarm_rate, 1 - middle) else (middle, high)
    return high


def _is_seen(cells: Cells, runs: int, alarm_rate: float, factor: float) -> bool:
    narrow = cells.stretched(max(factor, 1e-3))
    for name in ("width", "square"):
        scores = cells.scores[name]
        (mean, deviation), (moved, spread) = _moments(scores, cells.chances), _moments(scores, narrow)
        line = norm.isf(alarm_rate / 2) * deviation / sqrt(runs)
        if abs(moved - mean) - line >= norm.isf(1 - _POWER) * spread / sqrt(runs) and abs(moved - mean) > 0:
            return True
    return False


def _moments(scores: Integers, chances: Chances) -> tuple[float, float]:
    mean = float(np.average(scores, weights=chances))
    return mean, sqrt(max(0.0, float(np.average((scores - mean) ** 2, weights=chances))))
