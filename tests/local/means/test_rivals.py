"""Other reports of a number: their variances by integration of their densities, and an exact one-bit report."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest

from tacit.errors import Refused
from tacit.local.means.optimal_mean import (
    best_mean,
    hybrid_variance,
    laplace_variance,
    one_bit,
    one_bit_variance,
    piecewise_variance,
)


def piecewise_moments(epsilon: float, x: float) -> tuple[float, float, float]:
    """Total, mean and variance of the density itself: e^ε times as high within C − 1 of its own place as elsewhere."""
    s = mpmath.exp(epsilon / 2)
    wide = (s + 1) / (s - 1)
    high = (s**2 - s) / (2 * s + 2)
    left = (wide + 1) / 2 * x - (wide - 1) / 2
    right = left + wide - 1

    def moment(power: int) -> mpmath.mpf:
        pieces = ((-wide, left, high / s**2), (left, right, high), (right, wide, high / s**2))
        return sum(height * (b ** (power + 1) - a ** (power + 1)) / (power + 1) for a, b, height in pieces)

    return float(moment(0)), float(moment(1)), float(moment(2) - moment(1) ** 2)


@pytest.mark.parametrize("epsilon", [0.25, 1, 3, 6])
@pytest.mark.parametrize("value", [-1, -0.4, 0, 1])
def test_the_piecewise_formula_is_that_of_its_density(epsilon: float, value: float) -> None:
    total, mean, variance = piecewise_moments(epsilon, value)
    assert total == pytest.approx(1)
    assert mean == pytest.approx(value, abs=1e-12)
    assert piecewise_variance(epsilon, value) == pytest.approx(variance)


@pytest.mark.parametrize(("epsilon", "known"), [(1, 4.29), (2, 1.042), (3, 0.432), (4, 0.219)])
def test_the_hybrid_has_its_known_variance_everywhere(epsilon: int, known: float) -> None:
    found = [hybrid_variance(epsilon, Fraction(k, 10)) for k in range(-10, 11)]
    assert min(found) == pytest.approx(max(found))
    assert max(found) == pytest.approx(known, abs=6e-3 if epsilon == 1 else 6e-4)


@pytest.mark.parametrize("epsilon", ["0.001", "0.2", "1", "2", "4"])
def test_the_one_bit_report_is_exact_and_has_its_formula(epsilon: str) -> None:
    response = one_bit(epsilon)
    for k in range(-4, 5):
        assert float(response.variance(Fraction(k, 4))) == pytest.approx(one_bit_variance(epsilon, Fraction(k, 4)))
    assert response.worst_variance == response.reach**2


@pytest.mark.parametrize("epsilon", ["0.1", "1/4", "1/2", "3/4", "1", "3/2", "2", "5/2", "3", "4", "5", "6", "8"])
def test_the_best_beats_them_all(epsilon: str) -> None:
    worst = float(best_mean(epsilon).worst_variance)
    for rival in (one_bit_variance, piecewise_variance, hybrid_variance, laplace_variance):
        assert worst < max(rival(epsilon, value) for value in (-1, 0, 1))


def test_values_beyond_are_refused() -> None:
    for rival in (one_bit_variance, piecewise_variance, hybrid_variance, laplace_variance):
        with pytest.raises(Refused):
            rival(1, 2)
