"""Intervals for weighted sums of independent noises, and for ratios after Fieller (1954), for many groups at once."""

from __future__ import annotations

from fractions import Fraction
from math import log, sqrt
from statistics import NormalDist

import numpy as np

from tacit.frozen import frozen
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.query.aggregates.aggregate import Floats, Law, NoisySum, noise_deviation

_MARGIN = 1.0125  # the largest ratio of a quantile computed from moments to the exact one


@frozen
class Powers:
    """Σ|w|, Σw² and Σw⁴ of the weights of each sum."""

    first: Floats
    second: Floats
    fourth: Floats

    @classmethod
    def of(cls, *weights: Floats | float) -> Powers:
        """The powers of sums with these weights: one for all, or one per sum."""
        columns = np.abs(np.stack(np.broadcast_arrays(*weights)))
        squares = columns**2
        return cls(columns.sum(axis=0), squares.sum(axis=0), (squares**2).sum(axis=0))


@frozen
class WeightedReach:
    """The reach of Σ wᵢZᵢ for independent draws Zᵢ of a law, in its units.

    Gaussian noise: the normal quantile z times σ·√Σw². A sum of Laplace draws is longer in the tails: to z is added the
    first term of Cornish and Fisher (1938), (z³ − 3z)/8 · Σw⁴/(Σw²)², or what a single Laplace variable needs, if that
    is more; with a margin, so that it is never below the exact quantile, which a test holds. The integer noise is a
    real one rounded, which adds at most ½ (Gaussian) or 1 (Laplace) to each draw.
    """

    law: Law

    def beyond(self, miss: Fraction, powers: Powers) -> Floats:
        """The distances that are exceeded in one direction with at most this probability."""
        normal = -NormalDist().inv_cdf(float(miss))
        spread = noise_deviation(self.law) * np.sqrt(powers.second)
        if isinstance(self.law, RoundedGaussian):
            return np.asarray(normal * spread + powers.first / 2)
        lone = -log(2 * float(miss)) / sqrt(2) - normal
        longer = max(0.0, (normal**3 - 3 * normal) / 8, lone)
        with np.errstate(invalid="ignore", divide="ignore"):
            peak = np.where(powers.second > 0, powers.fourth / powers.second**2, 0.0)
        return np.asarray(_MARGIN * (normal + longer * peak) * spread + powers.first)


_ROUNDS = 12  # iterations after which the ends change by less than one part in a million


def ratio_between(
    top: NoisySum, bottom: NoisySum, confidence: Fraction, low: float, high: float
) -> tuple[Floats, Floats]:
    """(first, last): the ends between which top/bottom lies in each group, cut to its bounds [low, high].

    A ratio r is kept unless top − r·bottom, which is noise alone at the true ratio, exceeds the reach of that noise:
    the ends are the roots of (S − rN)² = quantile²·(deviation of S² + r²·deviation of N²), where for Laplace noise the
    quantile depends a little on r. Where the bottom could be noise alone, the ends are low and high.
    Where top/bottom lies beyond low or high, the ends move along with it: that leaves out no r that was kept.
    """
    first, last = (_root(top, bottom, confidence, side) + _beyond(top, bottom, low, high) for side in (-1, 1))
    telling = is_telling(bottom, confidence)
    return np.clip(np.where(telling, first, low), low, high), np.clip(np.where(telling, last, high), low, high)


def _beyond(top: NoisySum, bottom: NoisySum, low: float, high: float) -> Floats:
    """How far top/bottom is moved to lie between low and high. Cut alone, its interval might have no width."""
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = top.steps / bottom.steps
        return np.asarray(np.clip(ratio, low, high) - ratio)


def is_telling(bottom: NoisySum, confidence: Fraction) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Where the bottom is certainly positive."""
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
    """The quantile of the noise of top − ratio·bottom, in standard deviations."""
    weights = 1 / float(top.scale), np.nan_to_num(ratio) / float(bottom.scale)
    reach = WeightedReach(top.law).beyond((1 - confidence) / 2, Powers.of(*weights))
    return np.asarray(reach / np.hypot(top.deviation, np.nan_to_num(ratio) * bottom.deviation))


def _largest(bottom: NoisySum, confidence: Fraction) -> float:
    """The quantile of a single noise, which is the largest."""
    reach = WeightedReach(bottom.law).beyond((1 - confidence) / 2, Powers.of(np.array([1 / float(bottom.scale)])))
    return float(reach[0]) / bottom.deviation
