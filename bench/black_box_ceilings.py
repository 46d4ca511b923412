"""Ceilings of tests: the highest lower bound of ε that a number of answers permits, for mechanisms with a known law.

All answers are used for the verdict, the worst pair and the best set of answers are known beforehand, and the outcome
is the average one. A guess of the world is then right with probability 1/(1 + e^−ε), so after G guesses the bound lies
about 2·z/√G below ε, z being the normal quantile of the confidence.
"""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

_EPSILON, _THRESHOLD = 0.1, 1.0


def ceiling(name: str, samples: int, confidence: float) -> float | None:
    """The highest bound to be expected; None for mechanisms whose worst sets are not derived."""
    if name not in _SETS:
        return None
    z = NormalDist().inv_cdf(confidence)
    return max(math.log(p / q) - 2 * z / math.sqrt(samples * (p + q) / 2) for p, q in _SETS[name]())


def needed(name: str, bound: float, confidence: float) -> float:
    """The approximate number of answers needed for this bound."""
    tried = np.geomspace(1e6, 1e10, 201)
    return float(next(samples for samples in tried if (ceiling(name, int(samples), confidence) or 0) >= bound))


@cache
def _noisy_max() -> list[tuple[float, float]]:
    """The largest of five noisy values is at most t: F(t)⁵ against F(t − 1)⁵."""
    scale = 2 / _EPSILON
    places = np.linspace(-60, 30, 901)
    return list(zip(*((_below(places - move, scale) ** 5).tolist() for move in (0, 1)), strict=True))


@cache
def _sparse_vector() -> list[tuple[float, float]]:
    """The first so many of ten answers stay below the threshold and the next does not; each may move by 1."""
    level, scale = 4 / _EPSILON, 4 / (3 * _EPSILON)
    noise = np.linspace(-600, 900, 15_001)
    weights = np.exp(-np.abs(noise) / level) / (2 * level) * (noise[1] - noise[0])
    found = []
    for value in np.arange(-10.0, 12.0, 1.0):
        stay = [_below(_THRESHOLD + noise - value - move, scale) for move in (0, 1)]
        for last in np.arange(-9.0, 11.0, 1.0):
            end = [1 - _below(_THRESHOLD + noise - last + move, scale) for move in (0, 1)]
            for before in range(1, 10):
                p, q = (float((weights * stay[move] ** before * end[move]).sum()) for move in (0, 1))
                found.append((p, q))
    return found


def _below(value: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """The probability that Laplace noise is at most this."""
    half = 0.5 * np.exp(-np.abs(value) / scale)
    return np.where(value < 0, half, 1 - half)


_SETS = {"ReportNoisyMax3": _noisy_max, "SVT4": _sparse_vector}
