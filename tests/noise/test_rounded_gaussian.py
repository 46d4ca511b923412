"""The mean square of the rounded Gaussian: never above σ² + 1/12, and near it where σ is not small."""

from __future__ import annotations

from fractions import Fraction
from math import exp, isqrt, pi

import pytest

from tacit.noise.ball import Ball, ball, precision
from tacit.noise.gaussian_law import RoundedGaussian

VARIANCES = [Fraction(1, 100), Fraction(1, 20), Fraction(1, 4), Fraction(1), Fraction(7, 3), Fraction(400)]


def mean_square(law: RoundedGaussian) -> Ball:
    """E X² = Σ (2x − 1)·2P(X ≥ x), up to what lies beyond 16σ."""
    farthest = 16 * (isqrt(int(law.variance)) + 1)
    return sum((2 * (2 * x - 1) * law.tail(x) for x in range(1, farthest)), ball(0))


@pytest.mark.parametrize("variance", VARIANCES)
def test_a_twelfth_more_than_the_variance_is_never_exceeded(variance: Fraction) -> None:
    law = RoundedGaussian(variance)
    with precision(256):
        found = mean_square(law)
        assert not found > ball(law.mean_square_up)
        assert variance > 3 or found < ball(law.mean_square_up)  # beyond, they differ by less than 256 bits can show
    if variance >= 1:
        assert float(found) == pytest.approx(float(law.mean_square_up), rel=1e-7)
        assert not found <= ball(variance)  # the variance of the real Gaussian is no bound


def test_the_series_that_proves_it_is_exact() -> None:
    """σ² + 1/12 − Σ_m (−1)^{m+1} (4σ² + 1/(πm)²)·e^{−2π²m²σ²}."""
    for variance in (Fraction(1, 20), Fraction(1, 4)):
        wide = float(variance)
        terms = ((-1) ** (m + 1) * (4 * wide + (pi * m) ** -2) * exp(-2 * (pi * m) ** 2 * wide) for m in range(1, 40))
        assert float(mean_square(RoundedGaussian(variance))) == pytest.approx(wide + 1 / 12 - sum(terms), abs=1e-12)
