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
