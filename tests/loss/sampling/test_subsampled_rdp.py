"""Rényi divergences of the Poisson-sub-sampled Gaussian, against quadrature in both directions."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import mpmath
import pytest

from tacit.errors import Refused
from tacit.loss import Gdp, Rdp, Relation, compose
from tacit.loss.sampling.gaussian_renyi import HIGHEST, SampledGaussianRenyi, poisson_gaussian_rdp


def quadrature(rate: Fraction, variance: Fraction, order: Fraction) -> tuple[mpmath.mpf, mpmath.mpf]:
    """D_α both ways round, by integration; x^a − 1 − a(x−1) has the mean of x^a − 1 and loses no digits to the 1."""
    q, v, a = (mpmath.mpf(x.numerator) / x.denominator for x in (rate, variance, order))
    s = mpmath.sqrt(v)

    def excess(z: mpmath.mpf, power: mpmath.mpf) -> mpmath.mpf:
        above = q * mpmath.expm1((2 * z - 1) / (2 * v))
        return mpmath.npdf(z, 0, s) * (mpmath.expm1(power * mpmath.log1p(above)) - power * above)

    meeting = mpmath.mpf(1) / 2 + v * mpmath.log(1 / q - 1)
    ends = sorted({-14 * s, mpmath.mpf(0), meeting, a / 2, a, a + 14 * s, max(meeting, a) + 15 * s})
    forth, back = (mpmath.quad(lambda z, power=power: excess(z, power), ends) for power in (a, 1 - a))
    return mpmath.log1p(forth) / (a - 1), mpmath.log1p(back) / (a - 1)


def cases(seed: int, count: int) -> list[tuple[Fraction, Fraction, Fraction]]:
    chance = random.Random(seed)
    found = []
    for _ in range(count):
        rate = Fraction(round(10 ** chance.uniform(-4, -0.02), 6)).limit_denominator(10**6)
        variance = Fraction(round(10 ** chance.uniform(-1, 1.5), 3)).limit_denominator(1000)
        order = 1 + Fraction(round(10 ** chance.uniform(-2, 1.3), 3)).limit_denominator(1000)
        found.append((rate, variance, order))
    return found + [(Fraction(1, 100), Fraction(1), Fraction(n)) for n in (2, 3, 17)]


@pytest.mark.parametrize(("rate", "variance", "order"), cases(7, 9))
def test_it_is_the_worse_direction_and_never_below(rate: Fraction, variance: Fraction, order: Fraction) -> None:
    found = poisson_gaussian_rdp(rate, variance, order)
    with mpmath.workdps(30):
        forth, back = quadrature(rate, variance, order)
        assert found >= forth * (1 - mpmath.mpf(10) ** -16)
        assert found == pytest.approx(float(forth), rel=1e-10)
        assert back <= forth


@pytest.mark.long
@pytest.mark.parametrize(("rate", "variance", "order"), cases(8, 300))
def test_it_is_never_below_on_many_more(rate: Fraction, variance: Fraction, order: Fraction) -> None:
    test_it_is_the_worse_direction_and_never_below(rate, variance, order)


def test_whole_orders_continue_fractional_ones() -> None:
    for order in (2, 5, 20):
        near = poisson_gaussian_rdp("0.05", 1, Fraction(order) + Fraction(1, 10**9))
        assert poisson_gaussian_rdp("0.05", 1, order) == pytest.approx(near, rel=1e-7)


def test_it_rises_with_the_order_and_the_rate_and_falls_with_the_noise() -> None:
    orders = [poisson_gaussian_rdp("0.1", 1, Fraction(n, 4)) for n in range(5, 80)]
    rates = [poisson_gaussian_rdp(Fraction(n, 20), 1, "3.5") for n in range(21)]
    noises = [poisson_gaussian_rdp("0.1", Fraction(n, 4), "3.5") for n in range(1, 30)]
    assert orders == sorted(orders)
    assert rates == sorted(rates)
    assert rates[0] == 0.0
    assert rates[-1] == Gdp(1).rdp("3.5")
    assert noises == sorted(noises, reverse=True)


def test_beyond_the_highest_order_the_gaussian_bounds_it() -> None:
    assert poisson_gaussian_rdp("0.1", 1, HIGHEST + 1) == Gdp(1).rdp(HIGHEST + 1)
    assert poisson_gaussian_rdp("0.1", 1, 500) <= Gdp(1).rdp(500)


@pytest.mark.parametrize(
    ("rate", "variance", "times", "delta", "truth", "excess"),
    [
        ("0.01", 1, 1000, "1e-5", 1.82823, 0.28),
        ("0.01", 1, 100_000, "1e-5", 25.5730, 1.7),
        (Fraction(256, 60000), "1.21", 14100, "1e-5", 2.38507, 0.23),
        ("0.001", "0.36", 100_000, "1e-7", 7.78140, 0.84),
    ],
)
def test_training_runs(rate: str, variance: str, times: int, delta: str, truth: float, excess: float) -> None:
    """The cases A1 to A4: above the truth, by no more than Rényi accounting must lose."""
    loss = SampledGaussianRenyi(rate, variance, times)  # type: ignore[arg-type]  # numbers as written are read
    epsilon = loss.epsilon(delta)
    assert truth < epsilon < truth + excess
    assert loss.delta(epsilon) == pytest.approx(float(delta), rel=1e-6)


def test_the_found_order_is_the_best() -> None:
    loss = SampledGaussianRenyi(Fraction(1, 100), Fraction(1), 1000)
    best = loss.epsilon("1e-5")
    for order in (Fraction(n, 2) for n in range(3, 60)):
        assert Rdp({order: Fraction(loss.rdp(order))}).epsilon("1e-5") >= best * (1 - 1e-9)


def test_as_other_losses() -> None:
    loss = SampledGaussianRenyi(Fraction(1, 10), Fraction(4), 10)
    assert loss.listed().epsilon("1e-5") == pytest.approx(loss.epsilon("1e-5"), rel=0.01)
    assert loss.listed().epsilon("1e-5") >= loss.epsilon("1e-5")
    assert loss.tradeoff("0.1") > Gdp(Fraction(10, 4)).tradeoff("0.1")
    assert loss.gdp() == Gdp(Fraction(10, 4), relation=Relation.ADD_REMOVE)
    assert loss.zcdp().rho == Fraction(10, 8)
    assert compose(loss, Gdp(1)).epsilon("1e-5") > loss.epsilon("1e-5")
    assert loss.group(2).rdp(4) >= loss.rdp(8)
    assert loss.group(1) is loss
    nothing = SampledGaussianRenyi(Fraction(0), Fraction(1), 10)
    assert nothing.epsilon("1e-9") == nothing.delta(0) == 0.0
    assert loss.epsilon(0) == math.inf
    assert loss.epsilon(1) == 0.0


@pytest.mark.parametrize(
    ("rate", "variance", "order"),
    [
        (math.nan, 1, 2),
        (-0.1, 1, 2),
        (1.1, 1, 2),
        (0.1, 0, 2),
        (0.1, -1, 2),
        (0.1, math.nan, 2),
        (0.1, 1, 1),
        (0.1, 1, math.inf),
        (True, 1, 2),
        (0.1, 1, "x"),
    ],
)
def test_what_is_no_parameter_is_refused(rate: float, variance: float, order: float) -> None:
    """R08."""
    with pytest.raises(Refused):
        poisson_gaussian_rdp(rate, variance, order)
