"""Calibration: enough noise, and no more than one part in 10⁹ too much."""

from __future__ import annotations

from fractions import Fraction

import pytest
from scipy.optimize import brentq
from scipy.stats import norm

from tacit.errors import Refused
from tacit.loss import (
    Approx,
    DiscreteGaussianPair,
    Gdp,
    LaplacePair,
    Loss,
    Pure,
    Zcdp,
    discrete_gaussian_variance,
    gaussian_variance,
    laplace_scale,
    least,
    meets,
)


@pytest.mark.parametrize("epsilon", ["0.001", "0.1", "1", "8.42", "50"])
@pytest.mark.parametrize("delta", ["1e-12", "1e-5", "0.3"])
def test_gaussian_is_enough_and_hardly_more(epsilon: str, delta: str) -> None:
    variance = gaussian_variance(Approx(epsilon, delta))
    assert Gdp(1 / variance).delta(epsilon) <= Fraction(delta)
    assert Gdp((1 + Fraction(2, 10**9)) / variance).delta(epsilon) > Fraction(delta)


def test_gaussian_agrees_with_a_root_finder() -> None:
    def excess(sigma: float) -> float:
        return float(norm.cdf(0.5 / sigma - sigma) - 2.718281828459045 * norm.cdf(-0.5 / sigma - sigma) - 1e-5)

    assert float(gaussian_variance(Approx(1, "1e-5"))) ** 0.5 == pytest.approx(brentq(excess, 1, 10), rel=1e-8)


def test_exact_targets() -> None:
    assert gaussian_variance(Zcdp("0.1"), 3) == 45
    assert gaussian_variance(Gdp("0.25"), 3) == 36
    assert discrete_gaussian_variance(Zcdp("0.5"), 2) == 4
    assert laplace_scale(Pure("0.1"), 2) == 20
    assert gaussian_variance(Approx(1, "1e-5"), 2) == 4 * gaussian_variance(Approx(1, "1e-5"))


def test_discrete_gaussian_uses_its_own_pair() -> None:
    """The continuous calibration is not enough for the discrete noise: its own exact curve says so."""
    target = Approx("5.34", "1.1e-7")
    continuous, own = gaussian_variance(target), discrete_gaussian_variance(target)
    assert not meets(DiscreteGaussianPair(continuous, 1), target)
    assert meets(DiscreteGaussianPair(own, 1), target)
    assert own > continuous


def test_least_finds_the_laplace_scale() -> None:
    scale = least(lambda b: LaplacePair(1 / b), Pure("0.7"))
    assert Fraction(10, 7) <= scale <= Fraction(10, 7) * (1 + Fraction(2, 10**9))
    assert Gdp(1 / least(lambda v: Gdp(1 / v), Zcdp("0.1"))).mu_squared <= Fraction(1, 5)
    assert meets(Pure(1), Gdp(2))


@pytest.mark.parametrize("target", [Pure(1), Approx(1, 1), Zcdp(0), Gdp(0), LaplacePair(Fraction(1))])
def test_targets_this_noise_cannot_meet_are_refused(target: Loss) -> None:
    with pytest.raises(Refused, match="cannot be calibrated"):
        gaussian_variance(target)


def test_no_noise_or_no_end() -> None:
    with pytest.raises(Refused, match="No amount"):
        least(lambda _: Pure(1), Pure("0.5"))
    with pytest.raises(Refused, match="no noise at all"):
        least(lambda _: Pure(1), Pure(2))
    with pytest.raises(Refused):
        laplace_scale(Pure(0))
    with pytest.raises(Refused):
        discrete_gaussian_variance(Pure(1))
