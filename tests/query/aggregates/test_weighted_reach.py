"""The reach of weighted sums of noise, against the exact tails of the mechanisms' room."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.loss.families.loss import Relation
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.mechanisms.additive.laplace import Laplace
from tacit.mechanisms.statistics.noise_intervals import reach
from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.query.aggregates.aggregate import NoisySum
from tacit.query.aggregates.noise_intervals import Powers, WeightedReach, ratio_between

_SIZE = Fraction(2**29)
_CONFIDENCES = st.sampled_from(["0.6", "0.8", "0.9", "0.92", "0.95", "0.975", "0.99", "0.999", "0.9999", "0.99999"])
_WEIGHTS = st.one_of(
    st.lists(st.floats(0.001, 1), min_size=1, max_size=40),
    st.builds(lambda one, rest, many: [one, *[rest] * many], st.just(1.0), st.floats(0.01, 1), st.integers(0, 40)),
)


def moments(weights: list[float]) -> Powers:
    return Powers.of(*(np.array([weight]) for weight in weights))


@given(_WEIGHTS, _CONFIDENCES)
@settings(max_examples=150)
def test_laplace_is_never_below_the_exact_quantile(weights: list[float], confidence: str) -> None:
    """And at 95% at most 4% above it."""
    noise = Laplace(Fraction(1), Relation.ADD_REMOVE, scale=_SIZE)
    exact = reach(noise, tuple(weights), Fraction(confidence))
    found = WeightedReach(DiscreteLaplace(_SIZE)).beyond((1 - Fraction(confidence)) / 2, moments(weights))[0]
    assert found >= exact * (1 - 1e-6)
    assert confidence != "0.95" or found <= 1.04 * exact


@given(_WEIGHTS, _CONFIDENCES)
@settings(max_examples=50)
def test_gaussian_is_the_exact_quantile(weights: list[float], confidence: str) -> None:
    noise = Gaussian(Fraction(1), Relation.ADD_REMOVE, variance=_SIZE**2)
    exact = reach(noise, tuple(weights), Fraction(confidence))
    found = WeightedReach(RoundedGaussian(_SIZE**2)).beyond((1 - Fraction(confidence)) / 2, moments(weights))[0]
    assert found == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize(("law", "scale"), [(RoundedGaussian(_SIZE**2), _SIZE), (DiscreteLaplace(_SIZE), _SIZE)])
def test_a_mean_beyond_its_bounds_is_no_certain_number(law: RoundedGaussian | DiscreteLaplace, scale: Fraction) -> None:
    """−9 and 209 over 20 rows at noise of 1, bounds 0 to 10: an interval is as wide as within the bounds."""
    bottom = NoisySum(np.full(3, 20.0), law, scale)
    top = NoisySum(np.array([-9.0, 100.0, 209.0]), law, scale)
    first, last = ratio_between(top, bottom, Fraction(95, 100), 0.0, 10.0)
    assert first[0] == 0.0
    assert last[2] == 10.0
    assert 0 < first[1] < 5 < last[1] < 10
    cut = ratio_between(replace(top, steps=np.full(3, 1e-9)), bottom, Fraction(95, 100), 0.0, 10.0)
    assert last[0] >= 0.99 * float(cut[1][0]) > 0
    assert 10 - first[2] >= 0.99 * float(cut[1][0])
