"""For all noise, limits for usual intervals and the intervals themselves are found without failure."""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.query.aggregates.aggregate import Law, Measure, NoisySum
from tacit.query.aggregates.clipping_bias import LEVELS, ClippingBias, Sign
from tacit.query.aggregates.moments import Mean
from tacit.query.aggregates.variance import Variance
from tacit.query.bounding.amount_histogram import seen
from tacit.query.bounding.histogram_sql import WIDE_BINS
from tacit.query.bounding.tail_posterior import tail_posterior
from tacit.query.sql.clamp import ONE, cut

EDGES = WIDE_BINS.edges()[1:].astype(np.float64)
LARGEST = 2.0**62


@st.composite
def histograms(draw: st.DrawFn) -> tuple[np.ndarray, float]:
    """Noisy people by bin: humps, spikes, cliffs and nonsense, and the deviation that they are said to have."""
    deviation = draw(st.sampled_from([1e-3, 0.5, 8.8, 300.0, 1e9]))
    people = np.random.default_rng(draw(st.integers(0, 2**32))).normal(0, deviation, len(EDGES))
    for _ in range(draw(st.integers(0, 4))):
        first = draw(st.integers(0, len(EDGES) - 1))
        width = draw(st.integers(1, len(EDGES)))
        height = draw(st.sampled_from([1.0, 50.0, 1e4, 1e9, -1e9, LARGEST, -LARGEST]))
        people[first : first + width] += height
    return people, deviation


@given(histograms(), st.sampled_from([1.0, 2.0, 1e3, 2.0**44, np.inf]), st.floats(0.5, 2.0**45))
@settings(max_examples=400, deadline=None)
def test_every_histogram_has_a_posterior(case: tuple[np.ndarray, float], most: float, limit: float) -> None:
    people, deviation = case
    span = seen(people, deviation)
    if span is None:
        return
    posterior = tail_posterior(EDGES, people, deviation, span.first, span.last, most)
    assert np.isfinite(posterior.masses).all()
    assert (posterior.masses >= 0).all()
    assert np.isfinite(posterior.spreads).all()
    widths = posterior.widths(posterior.nodes * 5.0, 1.0, 0.8)
    assert np.isfinite(widths).all()
    beyond = posterior.beyond(limit)
    assert np.isfinite(beyond).all()
    assert (np.diff(beyond) >= 0).all()
    assert (beyond >= 0).all()


@given(
    st.lists(st.floats(-1e12, 1e12), max_size=60),
    st.sampled_from([0.0, 1e-9, 1.0, 1e15, np.inf]),
    st.sampled_from([0.0, 1.0, 1e12]),
    st.booleans(),
    st.sampled_from(list(Sign)),
    st.booleans(),
)
@settings(max_examples=300, deadline=None)
def test_every_sum_has_an_interval(
    values: list[float], most: float, kept: float, is_grouped: bool, sign: Sign, laplace: bool
) -> None:
    masses = np.full(len(LEVELS), np.inf) if most == np.inf else np.linspace(0, most, len(LEVELS))
    bias = ClippingBias(masses, kept, is_grouped)
    found = bias.joined(np.array(values), 3.0, Fraction(95, 100), sign, laplace=laplace)
    middle, low, high = found
    assert len(middle) == len(low) == len(high) == len(values)
    assert (low <= high).all()
    if not bias.is_unknown:
        assert np.isfinite(found).all()
        assert (low <= middle + 1e-6 * (1 + abs(middle))).all()
        assert (middle <= high + 1e-6 * (1 + abs(middle))).all()
    else:
        assert np.isnan(middle).all()


@pytest.mark.parametrize("masses", [0.0, 1.0, 1e12, np.inf])
@pytest.mark.parametrize(
    "steps", [(0.0, 0.0, 0.0), (5.0, 5.0, 0.0), (-3.0, 2.0, 1.0), (0.0, 0.0, 900.0), (1e6, 4e4, 2e3)]
)
@pytest.mark.parametrize("law", [RoundedGaussian(4**10), DiscreteLaplace(2**10)])
def test_means_and_variances_warn_of_nothing(masses: float, steps: tuple[float, ...], law: Law) -> None:
    """Warnings could depend on people, and a user may have turned warnings into errors."""
    total, rows = Measure(cut("x", 0, 100), Fraction(1)), Measure(ONE, Fraction(1), subject="rows")
    squares = Measure(cut("x * x", 0, 10_000), Fraction(1))
    bias = ClippingBias(np.full(len(LEVELS), masses), 1.0, is_grouped=True)
    noisy = {
        part: NoisySum(np.array([each, 7.0]), law, Fraction(1024), bias)
        for part, each in zip((squares, total, rows), steps, strict=True)
    }
    for aggregate in (Mean(total, rows, 0, 0, 100), Variance(squares, total, rows, 0, 0, 100, True, True)):
        with np.errstate(divide="warn", invalid="warn", over="warn"), warnings.catch_warnings():
            warnings.simplefilter("error")
            found = aggregate.read(noisy).at(Fraction(95, 100))
        assert not np.isnan(found.low).any()
        assert not np.isnan(found.high).any()


@pytest.mark.parametrize("deviation", [8.8, 300.0])
def test_a_histogram_of_nobody_is_not_seen(deviation: float) -> None:
    noise = np.random.default_rng(1).normal(0, deviation, len(EDGES))
    assert seen(noise, deviation) is None
