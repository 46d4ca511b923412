"""Intervals for ratios of two independent noisy sums, after Fieller (1954), for many groups at once."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from tacit.noise.gaussian_law import RoundedGaussian
from tacit.query.aggregates.noisy_parts import Floats, NoisySum
from tacit.query.aggregates.weighted_reach import Powers, WeightedReach

_ROUNDS = 12  # after which the ends move by less than one part in a million


def ratio_between(
    top: NoisySum, bottom: NoisySum, confidence: Fraction, low: float, high: float
) -> tuple[Floats, Floats]:
    """(first, last): the ends between which top/bottom lies in each group, cut to [low, high], which hold the truth.

    A ratio r is kept unless top − r·bottom, which is noise alone at the truth, strays farther than such noise does:
    the ends are the roots of (S − rN)² = quantile²·(deviation of S² + r²·deviation of N²), where for Laplace noise the
    quantile depends a little on r. Where the bottom could be noise alone, the ends are low and high.
    """
    first, last = (_root(top, bottom, confidence, side) for side in (-1, 1))
    telling = is_telling(bottom, confidence)
    return np.clip(np.where(telling, first, low), low, high), np.clip(np.where(telling, last, high), low, high)


def is_telling(bottom: NoisySum, confidence: Fraction) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Where the bottom is surely positive."""
    return bottom.steps > _largest(bottom, confidence) * bottom.deviation


def _root(top: NoisySum, bottom: NoisySum, confidence: Fraction, side: int) -> Floats:
    """The end on one side, from the largest quantile that any weights have on to its own; of two, the outer one."""
    quantile: Floats | float = _largest(bottom, confidence)
    end = _quadratic(top, bottom, quantile, side)
    if isinstance(top.law, RoundedGaussian):
        return end
    for _ in range(_ROUNDS):
        before = end
        end = _quadratic(top, bottom, _quantile(top, bottom, confidence, before), side)
    return np.asarray(side * np.fmax(side * before, side * end))


def _quadratic(top: NoisySum, bottom: NoisySum, quantile: Floats | float, side: int) -> Floats:
    first, second = quantile * top.deviation, quantile * bottom.deviation
    with np.errstate(invalid="ignore", divide="ignore"):
        root = np.sqrt(np.maximum((first * bottom.steps) ** 2 + (second * top.steps) ** 2 - (first * second) ** 2, 0.0))
        return np.asarray((top.steps * bottom.steps + side * root) / (bottom.steps**2 - second**2))


def _quantile(top: NoisySum, bottom: NoisySum, confidence: Fraction, ratio: Floats) -> Floats:
    """How many standard deviations the noise of top − ratio·bottom strays at most."""
    weights = 1 / float(top.scale), np.nan_to_num(ratio) / float(bottom.scale)
    reach = WeightedReach(top.law).beyond((1 - confidence) / 2, Powers.of(*weights))
    return np.asarray(reach / np.hypot(top.deviation, np.nan_to_num(ratio) * bottom.deviation))


def _largest(bottom: NoisySum, confidence: Fraction) -> float:
    """The same of one noise alone, which is the most."""
    reach = WeightedReach(bottom.law).beyond((1 - confidence) / 2, Powers.of(np.array([1 / float(bottom.scale)])))
    return float(reach[0]) / bottom.deviation
