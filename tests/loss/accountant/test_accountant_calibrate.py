"""Calibration: what is returned was certified, and a little less noise (or one more step) is not."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tacit.errors import Refused
from tacit.loss import Approx, DiscreteGaussianPair, Gdp, LaplacePair, Loss, Pure, gaussian_variance
from tacit.loss.accountant import account, largest_rate, least_parameter, most_times
from tacit.loss.sampling.subsampled import poisson

Parts = list[tuple[Loss, int]]


def noisy(sigma: Fraction) -> Parts:
    return [(poisson(Gdp(1 / sigma**2), "0.01"), 1000)]


def test_the_least_sigma() -> None:
    sigma = least_parameter(noisy, 2, "1e-5")
    found = account(noisy(sigma)).epsilon("1e-5", "1e-4")
    assert found.lower <= 2
    assert found.upper <= 2 + 1e-4
    assert found.upper >= 2 - 2e-3
    assert account(noisy(sigma * Fraction(99, 100))).epsilon("1e-5", "1e-4").lower > 2


def test_a_closed_form_is_met() -> None:
    sigma = least_parameter(lambda s: [(Gdp(1 / s**2), 10)], 1, "1e-6", within="1e-6")
    exact = gaussian_variance(Approx(1, "1e-6")) * 10
    assert exact <= sigma**2 <= exact * Fraction(100001, 100000)


def test_laplace_and_mixed_plans() -> None:
    scale = least_parameter(lambda b: [(LaplacePair(1 / b), 500), (Gdp(Fraction(1, 400)), 20)], 3, "1e-6")
    plan: Parts = [(LaplacePair(1 / scale), 500), (Gdp(Fraction(1, 400)), 20)]
    assert 3 - 2e-3 <= account(plan).epsilon("1e-6").upper <= 3 + 1e-3


def test_a_plan_whose_noise_hides_nothing_at_first() -> None:
    """The search passes through scales that the accountant refuses."""
    variance = least_parameter(lambda v: [(DiscreteGaussianPair(v, 100), 50)], 1, "1e-5", within="1e-2")
    assert account([(DiscreteGaussianPair(variance, 100), 50)]).epsilon("1e-5", "1e-2").lower <= 1


def test_the_largest_rate() -> None:
    rate = largest_rate(lambda q: [(poisson(Gdp(1), q), 1000)], 2, "1e-5")
    assert 2 - 2e-3 <= account([(poisson(Gdp(1), rate), 1000)]).epsilon("1e-5", "1e-4").upper <= 2 + 1e-4
    assert largest_rate(lambda q: [(poisson(Gdp(1), q), 1)], 100, "1e-5") == 1


def test_the_most_steps() -> None:
    count = most_times(lambda k: [(poisson(Gdp(1), "0.01"), k)], 2, "1e-5")
    assert account([(poisson(Gdp(1), "0.01"), count)]).epsilon("1e-5", "1e-5").lower <= 2
    assert account([(poisson(Gdp(1), "0.01"), count + 2)]).epsilon("1e-5", "1e-5").upper > 2 - 1e-3
    assert most_times(lambda k: [(Pure(2), k)], 1, "1e-6") == 0
    assert most_times(lambda k: [(Pure("0.1"), k)], 1, "1e-12") == 10


@pytest.mark.parametrize("target", [0, -1, float("nan"), float("inf"), True, None])
def test_no_target_that_is_none(target: object) -> None:
    with pytest.raises(Refused):
        least_parameter(noisy, target, "1e-5")  # type: ignore[arg-type]  # that is the test


def test_a_promise_that_no_noise_keeps() -> None:
    with pytest.raises(Refused):
        least_parameter(lambda b: [(LaplacePair(1 / b), 10), (Pure(3), 5)], 1, "1e-6")
