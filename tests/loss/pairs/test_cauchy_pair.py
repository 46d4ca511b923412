"""The Cauchy pair against quadrature, and against pairs of every location and scale at its distance."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import Refused
from tacit.loss.pairs.additive_noise import CauchyPair


@pytest.mark.parametrize("distance", ["0.3", 1, 3])
@pytest.mark.parametrize("order", ["1.25", 2, "7.5", 32])
def test_renyi_divergences_by_quadrature(distance: str | int, order: str | int) -> None:
    pair, alpha = CauchyPair(distance), mpmath.mpf(str(order))
    with mpmath.workdps(40):
        spread, swing = mpmath.cosh(mpmath.mpf(str(distance))), mpmath.sinh(mpmath.mpf(str(distance)))
        moment = mpmath.quad(lambda t: (spread + swing * mpmath.cos(t)) ** (alpha - 1), [0, 0.5, 1, 2, mpmath.pi])
        expected = mpmath.log(moment / mpmath.pi) / (alpha - 1)
    assert pair.rdp(order) == pytest.approx(float(expected), rel=1e-12)


def densities(location: float, scale: float, points: np.ndarray) -> np.ndarray:
    return scale / math.pi / ((points - location) ** 2 + scale**2)


@given(
    st.floats(-3, 3), st.floats(0.2, 5), st.floats(-3, 3), st.floats(0.2, 5), st.sampled_from([0.0, 0.1, 0.5, 1.0, 2.0])
)
def test_any_two_laws_cost_their_hyperbolic_distance(f: float, s: float, g: float, t: float, epsilon: float) -> None:
    """δ by quadrature over the quantiles of the first law, to the error of 20,000 points; and the largest ratio."""
    distance = math.acosh(1 + ((f - g) ** 2 + (s - t) ** 2) / (2 * s * t))
    if distance < 1e-3:
        return
    points = f + s * np.tan(math.pi * ((np.arange(20_000) + 0.5) / 20_000 - 0.5))
    loss = np.log(densities(f, s, points) / densities(g, t, points))
    assert loss.max() <= distance + 1e-9
    assert loss.max() >= distance - 0.01
    delta = np.maximum(0, 1 - np.exp(epsilon - loss)).mean()
    assert CauchyPair(Fraction(distance)).delta(epsilon) == pytest.approx(delta, abs=2e-4)


def test_smaller_distances_are_dominated() -> None:
    ladder = [CauchyPair(Fraction(k, 4)) for k in range(1, 13)]
    for nearer, farther in itertools.pairwise(ladder):
        assert all(nearer.delta(e) <= farther.delta(e) for e in (0, "0.1", "0.5", 1, 2))
        assert all(nearer.rdp(order) <= farther.rdp(order) for order in ("1.1", 2, 10))


def test_the_pure_loss_and_the_group() -> None:
    pair = CauchyPair("1/2")
    assert pair.epsilon(0) == 0.5
    assert pair.delta("1/2") == 0
    assert pair.delta(0) == pytest.approx(2 / math.pi * (math.atan(math.exp(0.25)) - math.atan(math.exp(-0.25))))
    assert pair.group(3) == CauchyPair("3/2")
    assert 0.4999 < pair.epsilon("1e-9") <= 0.5


def test_refusals() -> None:
    for wrong in (0, -1, float("nan"), float("inf"), True, None):
        with pytest.raises(Refused):
            CauchyPair(wrong)
