"""Variances and deviations of groups with few rows, or none: nothing is told, or the ends are those of what may be."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.query.aggregates.aggregate import Law, Measure, NoisySum
from tacit.query.aggregates.clipping_bias import LEVELS, ClippingBias
from tacit.query.aggregates.variance import Variance
from tacit.query.sql.clamp import ONE

_NINETY_FIVE = Fraction(95, 100)
_ONE = Fraction(1)
_SQUARES, _TOTAL, _ROWS = (Measure(ONE, _ONE, subject=name) for name in ("squares", "total x", "rows"))
_MOST = 55.0  # the standard deviation of rows at both bounds, 0 and 110, of which half are at each
_OF_TWO = _MOST * 2**0.5  # the same as it is told of a sample, of two rows


def ends(rows: np.ndarray, law: Law, *, is_sample: bool, is_usual: bool = False) -> tuple[np.ndarray, ...]:
    """What is told of groups whose noisy numbers of rows are these, each row at one of the bounds."""
    bias = ClippingBias(np.geomspace(1, 9, len(LEVELS)), 1e3, is_grouped=True) if is_usual else None
    sums = {
        _ROWS: NoisySum(rows, law, _ONE, bias),
        _TOTAL: NoisySum(rows * 55, law, Fraction(1, 110), bias),
        _SQUARES: NoisySum(rows * 6050, law, Fraction(1, 12100), bias),
    }
    variance = Variance(_SQUARES, _TOTAL, _ROWS, 0, 0, 110, is_sample, is_root=True)
    found = variance.read(sums).at(_NINETY_FIVE)
    return found.value, found.low, found.high


@pytest.mark.parametrize("law", [RoundedGaussian(Fraction(100)), DiscreteLaplace(Fraction(7))])
@pytest.mark.parametrize("is_usual", [False, True])
def test_of_an_empty_group_nothing_is_told(law: Law, *, is_usual: bool) -> None:
    """The noise of the number of rows stood in the upper end: 55.03 or 56.3, and two rows could have 77.8."""
    rows = np.array([-40.0, -1.0, 0.0, 1.0, 1.5, 2.0, 2.01, 3.0, 7.0, 15.0])
    for is_sample, most in ((True, _OF_TWO), (False, _MOST)):
        value, low, high = ends(rows, law, is_sample=is_sample, is_usual=is_usual)
        assert np.isnan(value).all()
        assert (low == 0).all()
        assert high == pytest.approx(np.full(len(rows), most))


def test_the_upper_end_of_a_sample_is_that_of_the_fewest_rows_there_may_be() -> None:
    """Of 24 rows, told with noise of ± 20, there may be 4: a sample of half at each bound deviates by 63.5, not 56."""
    law = RoundedGaussian(Fraction(100))
    value, _, high = ends(np.array([24.0, 60.0, 1e5]), law, is_sample=True)
    assert np.isfinite(value).all()
    assert high[0] >= _MOST * (4 / 3) ** 0.5
    assert high[2] == pytest.approx(_MOST, rel=1e-3)


def test_where_noise_alone_reaches_no_variance_the_interval_with_the_cut_does() -> None:
    """The reach down to 0 is no deviation of the noise: added to squares that were cut off it ended above 0."""
    law, masses, variances = RoundedGaussian(Fraction(100)), np.geomspace(50, 900, len(LEVELS)), np.arange(3) * 300.0
    squares = ClippingBias(masses, 1e3, is_grouped=True)
    rows = ClippingBias(masses / 100, 1e3, is_grouped=True)
    sums = {
        _ROWS: NoisySum(np.full(3, 60.0), law, _ONE, rows),
        _TOTAL: NoisySum(np.zeros(3), law, Fraction(1, 110), rows),
        _SQUARES: NoisySum(60 * variances, law, Fraction(1, 12100), squares),
    }
    bare = {part: NoisySum(each.steps, law, each.scale) for part, each in sums.items()}
    variance = Variance(_SQUARES, _TOTAL, _ROWS, 0, 0, 110, is_sample=False, is_root=False)
    alone, joined = (variance.read(each).at(_NINETY_FIVE) for each in (bare, sums))
    assert (alone.low == 0).all()
    assert (joined.low == 0).all()
    assert (joined.value[1:] > alone.value[1:]).all()
