"""Intervals for ratios of two independent noisy sums, after Fieller (1954), for many groups at once."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from tacit.loss.relation import Relation
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.mechanisms.additive.laplace import Laplace
from tacit.mechanisms.statistics.ratio import Ratio
from tacit.noise.rounded_gaussian import RoundedGaussian
from tacit.query.aggregates.noisy_parts import Floats, Law, NoisySum


def ratio_between(
    top: NoisySum, bottom: NoisySum, confidence: Fraction, low: float, high: float
) -> tuple[Floats, Floats]:
    """(first, last): the ends between which top/bottom lies in each group, cut to [low, high], which hold the truth.

    A ratio r is kept unless top − r·bottom, which is noise alone at the truth, strays farther than such noise does.
    Where the bottom could be noise alone, the ends are low and high.
    """
    if isinstance(top.law, RoundedGaussian):
        return _gaussian(top, bottom, confidence, low, high)
    return _laplace(top, bottom, confidence, low, high)


def is_telling(bottom: NoisySum, confidence: Fraction) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Where the bottom is surely positive."""
    return bottom.steps > bottom.reach(confidence)


def _gaussian(top: NoisySum, bottom: NoisySum, confidence: Fraction, low: float, high: float) -> tuple[Floats, Floats]:
    """The roots of (S − rN)² = reach² of S + r²·reach² of N: a quadratic in r."""
    first_reach, second_reach = top.reach(confidence), bottom.reach(confidence)
    sums, sizes = top.steps, bottom.steps
    a = sizes**2 - second_reach**2
    b = sums * sizes
    c = sums**2 - first_reach**2
    telling = is_telling(bottom, confidence)
    with np.errstate(invalid="ignore", divide="ignore"):
        root = np.sqrt(np.maximum(b**2 - a * c, 0.0))
        first, last = (b - root) / a, (b + root) / a
    return np.clip(np.where(telling, first, low), low, high), np.clip(np.where(telling, last, high), low, high)


def _laplace(top: NoisySum, bottom: NoisySum, confidence: Fraction, low: float, high: float) -> tuple[Floats, Floats]:
    noise = as_mechanism(top.law)
    first, last = np.full(top.steps.size, low), np.full(top.steps.size, high)
    over, under = 1 / float(top.scale), 1 / float(bottom.scale)
    for place, (above, below) in enumerate(zip(top.steps, bottom.steps, strict=True)):
        parts = (round(above * float(top.scale)), round(below * float(bottom.scale)))
        first[place], last[place] = Ratio(noise, parts, (over, 0.0), (0.0, under), low, high).interval(confidence)
    return first, last


def as_mechanism(law: Law) -> Laplace | Gaussian:
    """The mechanism whose noise this law is, for what is computed from mechanisms."""
    if isinstance(law, RoundedGaussian):
        return Gaussian(Fraction(1), Relation.ADD_REMOVE, variance=law.variance)
    return Laplace(Fraction(1), Relation.ADD_REMOVE, scale=law.scale)
