"""Weighted sums of noises: tails against closed forms, quadrature and enumeration."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from tacit.loss import Relation
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.mechanisms.additive.laplace import Laplace
from tacit.mechanisms.statistics.noise_intervals import _laplace_tail, reach, tail_up

AR = Relation.ADD_REMOVE
FINE = Laplace(Fraction(1), AR, scale=Fraction(10**6))
SMALL = {
    "laplace": Laplace(Fraction(1), AR, scale=Fraction(3)),
    "gaussian": Gaussian(Fraction(1), AR, variance=Fraction(9)),
}


@pytest.mark.parametrize("distance", [0.3, 1.0, 2.5, 7.0, 30.0])
def test_tails_of_one_and_two_laplace_variables(distance: float) -> None:
    t = distance
    assert _laplace_tail(Counter([1.0]), t) == pytest.approx(math.exp(-t) / 2, rel=1e-9)
    assert _laplace_tail(Counter([1.0, 1.0]), t) == pytest.approx((1 + t / 2) * math.exp(-t) / 2, rel=1e-9)
    unequal = (math.exp(-t) - math.exp(-2 * t) / 4) / 1.5
    assert _laplace_tail(Counter([1.0, 0.5]), t) == pytest.approx(unequal, rel=1e-9)


def test_the_tail_of_many_against_quadrature() -> None:
    scales = [1.0] * 8 + [0.7] * 3
    for t in (1, 6, 15):
        inverted = mpmath.quad(
            lambda s, t=t: mpmath.sin(s * t) / s * mpmath.fprod(1 / (1 + (b * s) ** 2) for b in scales),
            [0, 0.5, 1, 2, 4, 8, 16],
        )
        assert _laplace_tail(Counter(scales), t) == pytest.approx(float(0.5 - inverted / mpmath.pi), rel=1e-7)


@pytest.mark.parametrize("kind", list(SMALL))
@pytest.mark.parametrize("weights", [(1.0,), (0.4, -0.6), (1.0, 1.0), (0.5, -0.5, 0.25)], ids=str)
def test_tails_of_integer_noise_are_never_understated(kind: str, weights: tuple[float, ...]) -> None:
    """Enumerated: the law of Σ wᵢZᵢ for integer noise, summed outcome by outcome."""
    noise = SMALL[kind]
    values = np.arange(-60, 61)
    masses = np.array([float(noise.law.mass(int(value))) for value in values])
    total, chance = np.zeros(1), np.ones(1)
    for weight in weights:
        step = values if len(weights) < 3 else values[30:91]
        mass = masses if len(weights) < 3 else masses[30:91]
        total = (total[:, None] + weight * step[None, :]).ravel()
        chance = (chance[:, None] * mass[None, :]).ravel()
    for distance in (0.0, 1.0, 3.3, 10.0, 17.5):
        exactly = chance[total > distance + 1e-9].sum()
        assert exactly <= tail_up(noise, weights, distance) + 1e-12
    for confidence in ("0.5", "0.9", "0.99"):
        far = reach(noise, weights, confidence)
        assert chance[np.abs(total) > far].sum() <= 1 - float(confidence)
        slack = sum(abs(weight) for weight in weights)
        assert chance[np.abs(total) > far - 2.5 * slack].sum() >= (1 - float(confidence)) * 0.9


@pytest.mark.parametrize("confidence", ["0.5", "0.8", "0.95", "0.99", "0.9999"])
def test_a_ratio_keeps_one_interval(confidence: str) -> None:
    """The reach of (top − r·bottom)·noise grows by no more than that of bottom·noise: what `Ratio` rests on.

    The claim does not depend on the scale of the noise, so the weights of the mean and of the variance are all.
    """
    shapes = {(1.0, 1.0): [(1.0, 0.0)], (1.0, 1.0, 1.0): [(0.0, 0.5, 1.0), (0.0, 0.5, 0.0)]}
    for bottom, tops in shapes.items():
        for top in tops:
            ratios = np.linspace(0, 1, 51)
            reaches = [
                reach(FINE, tuple(t - r * b for t, b in zip(top, bottom, strict=True)), confidence) for r in ratios
            ]
            steepest = np.abs(np.diff(reaches)).max() / 0.02
            assert steepest <= reach(FINE, bottom, confidence) * (1 + 1e-3)


def test_extremes() -> None:
    assert reach(FINE, (), "0.95") == 0.0
    assert reach(FINE, (0.0, 0.0), "0.95") == 0.0
    assert tail_up(FINE, (0.0,), 1.0) == 0.0
    assert reach(FINE, (1.0,), Fraction(10**9 - 1, 10**9)) == pytest.approx(1e6 * 9 * math.log(10), rel=1e-5)
    assert 1e6 * 300 * math.log(10) <= reach(FINE, (1.0,), 1 - Fraction(1, 10**300)) < 1e10
    assert 0 < reach(FINE, (1.0,), 1 - Fraction(1, 10**600)) < 1e10  # the share underflows; the reach stays finite
