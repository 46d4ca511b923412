"""Intervals that join clipping bias and noise: compared with closed forms, SciPy and draws."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.special import log_ndtr, ndtr
from scipy.stats import laplace, norm

from tacit.query.aggregates.clipping_bias import LEVELS, ClippingBias, Sign, mean_bias, square_factors
from tacit.query.aggregates.normal_law import log_normal_below, normal_below

NINETY_FIVE = Fraction(95, 100)
NOTHING = np.zeros(len(LEVELS))


def nothing_cut(kept: float) -> ClippingBias:
    """The bias of amounts that no limit cuts."""
    return ClippingBias(NOTHING, kept, is_grouped=False)


def test_the_normal_law_is_scipys() -> None:
    """As close as its docstrings say, also between the places of the table and beyond its end."""
    standard = np.concatenate([np.linspace(-36.9, 36.9, 9973), [-50.0, -38.0, 40.0]])
    assert np.abs(normal_below(standard) - ndtr(standard)).max() < 1e-6
    far = standard[standard > -37]
    assert np.abs(log_normal_below(far) - log_ndtr(far)).max() < 1e-5
    assert log_normal_below(np.array([-50.0])) == pytest.approx(log_ndtr(-50.0), rel=1e-3)


@pytest.mark.parametrize(("laplacian", "law"), [(False, norm), (True, laplace(scale=0.5**0.5))])
def test_where_nothing_was_cut_the_noise_is_all(laplacian: bool, law: norm) -> None:
    """By group more may be missed above than below, but no more in all than is said."""
    bias = ClippingBias(NOTHING, 100.0, is_grouped=True)
    middle, low, high = bias.joined(np.array([50.0]), 3.0, NINETY_FIVE, Sign.ADDS, laplace=laplacian)
    assert middle[0] == 0.0
    missed = law.cdf(low[0] / 3) + law.sf(high[0] / 3)
    assert missed == pytest.approx(0.05, abs=1e-4)


def test_the_ends_are_quantiles_of_noise_plus_what_was_cut() -> None:
    """Against 10⁶ draws of both; the deviation of an end's level is 0.0002, and 0.002 is ten of them."""
    random = np.random.default_rng(3)
    masses = np.exp(np.linspace(-1, 4, len(LEVELS)))
    bias = ClippingBias(masses, 1000.0, is_grouped=False)
    _, low, high = bias.joined(np.array([900.0]), 5.0, Fraction(9, 10), Sign.ADDS, laplace=False)
    edges = np.concatenate([[0.0], (LEVELS[1:] + LEVELS[:-1]) / 2, [1.0]])
    drawn = random.choice(masses, 10**6, p=np.diff(edges)) + random.normal(0, 5, 10**6)
    assert (drawn < low[0]).mean() == pytest.approx(0.1 * 0.42, abs=0.002)
    assert (drawn > high[0]).mean() == pytest.approx(0.1 * 0.23, abs=0.002)


def test_many_groups_are_read_as_few_are() -> None:
    """Between the places of the grid the ends are interpolated."""
    bias = ClippingBias(np.geomspace(1, 1e4, len(LEVELS)), 1e5, is_grouped=True)
    values = np.geomspace(10, 5e4, 200)
    many = bias.joined(values, 40.0, NINETY_FIVE, Sign.ADDS, laplace=False)
    few = [bias.joined(values[place : place + 1], 40.0, NINETY_FIVE, Sign.ADDS, laplace=False) for place in range(200)]
    for column, ends in enumerate(many):
        alone = np.array([each[column][0] for each in few])
        assert np.abs(ends - alone).max() < 0.05 * (np.abs(alone).max() + 40)


def test_more_that_was_cut_makes_wider_intervals() -> None:
    values = np.array([500.0])
    widths = []
    for most in (0.0, 10.0, 100.0, 1000.0):
        bias = ClippingBias(np.linspace(0, most, len(LEVELS)), 1e4, is_grouped=False)
        _, low, high = bias.joined(values, 5.0, NINETY_FIVE, Sign.ADDS, laplace=False)
        widths.append(float(high[0] - low[0]))
    assert widths == sorted(widths)
    assert widths[0] < widths[-1]


def test_a_mean_moves_up_where_its_sum_lost_more_than_its_rows() -> None:
    lost = ClippingBias(np.full(len(LEVELS), 100.0), 900.0, is_grouped=False)
    shift, deviation = mean_bias(lost, nothing_cut(100.0), is_positive=True)
    assert 0 < shift < 1.0  # the mean of those left is 9, of all 10
    assert deviation > 0
    assert mean_bias(lost, nothing_cut(100.0), is_positive=False)[0] == 0.0
    assert mean_bias(nothing_cut(900.0), nothing_cut(100.0), is_positive=True) == (0.0, 0.0)


def test_squares_grow_by_what_they_lost_more_than_rows() -> None:
    lost = ClippingBias(np.full(len(LEVELS), 250.0), 750.0, is_grouped=False)
    assert square_factors(lost, nothing_cut(10.0), NINETY_FIVE) == pytest.approx((4 / 3, 4 / 3, 4 / 3))
    unknown = ClippingBias(NOTHING + np.inf, 1.0, is_grouped=False)
    assert np.isnan(square_factors(unknown, nothing_cut(10.0), NINETY_FIVE)[0])


def test_over_groups_some_bear_none_of_what_squares_lost_and_some_far_more() -> None:
    """One factor for all groups would be 4/3; a group without a person who has much keeps its variance."""
    lost = ClippingBias(np.full(len(LEVELS), 250.0), 750.0, is_grouped=True)
    middle, low, high = square_factors(lost, nothing_cut(10.0), NINETY_FIVE)
    assert low == 1.0
    assert 1.0 < middle < 4 / 3 + 0.2
    assert high > 2.0
