"""The Gaussian curve against mpmath at fifty digits: never below the truth, never more than 1e-12 above."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import mpmath
import pytest

from tacit.loss import Gdp
from tacit.loss.families.gdp import cumulative, quantile
from tacit.noise.ball import ball, precision


@pytest.fixture(autouse=True)
def _digits() -> Iterator[None]:
    with mpmath.workdps(60):
        yield


MUS = [Fraction(1, 1000), Fraction(1, 10), Fraction(1), Fraction(3), Fraction(20)]
EPSILONS = [Fraction(0), Fraction(1, 10**6), Fraction(1, 10), Fraction(1), Fraction(5), Fraction(17), Fraction(200)]


def mp(value: Fraction | float) -> mpmath.mpf:
    value = Fraction(value)
    return mpmath.mpf(value.numerator) / value.denominator


def phi(x: mpmath.mpf) -> mpmath.mpf:
    return mpmath.erfc(-x / mpmath.sqrt(2)) / 2


def true_delta(mu: Fraction, epsilon: Fraction) -> mpmath.mpf:
    """Balle–Wang at enough digits that the difference of its two terms keeps fifty."""
    with mpmath.workdps(300):
        m, e = mp(mu), mp(epsilon)
        return phi(m / 2 - e / m) - mpmath.exp(e) * phi(-m / 2 - e / m)


@pytest.mark.parametrize("mu", MUS)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_delta_is_the_exact_curve_rounded_up(mu: Fraction, epsilon: Fraction) -> None:
    truth, (low, high) = true_delta(mu, epsilon), Gdp.from_mu(mu).delta_between(epsilon)
    assert mp(low) <= truth <= mp(high)
    assert mp(high) <= truth * (1 + mpmath.mpf("1e-12")) or high == 5e-324
    assert Gdp.from_mu(mu).delta(epsilon) == high


def test_the_curve_is_the_integral_of_its_definition() -> None:
    """δ(ε) = E_P[(1−e^{ε−L})₊] by quadrature, with no use of the closed form."""
    mu, epsilon = mpmath.mpf(1), mpmath.mpf("0.7")
    with mpmath.workdps(30):
        start = epsilon / mu + mu / 2  # where the loss μx − μ²/2 of N(μ,1) against N(0,1) passes ε
        integral = mpmath.quad(
            lambda x: mpmath.npdf(x, mu, 1) * (1 - mpmath.exp(epsilon - (mu * x - mu**2 / 2))), [start, 6, 20]
        )
    assert abs(Gdp(1).delta("0.7") - integral) < 1e-15


@pytest.mark.parametrize("mu", MUS)
@pytest.mark.parametrize("delta", [Fraction(1, 10**12), Fraction(1, 10**5), Fraction(1, 10), Fraction(9, 10)])
def test_epsilon_is_the_exact_inverse_rounded_up(mu: Fraction, delta: Fraction) -> None:
    epsilon = Gdp.from_mu(mu).epsilon(delta)
    assert true_delta(mu, Fraction(epsilon)) <= mp(delta)
    if epsilon > 0:
        just_below = Fraction(epsilon) * (1 - Fraction(1, 10**12))
        assert true_delta(mu, just_below) > mp(delta)


@pytest.mark.parametrize("mu", MUS)
@pytest.mark.parametrize("alpha", [Fraction(1, 10**9), Fraction(1, 20), Fraction(1, 2), Fraction(99, 100)])
def test_tradeoff_is_exact_and_rounded_down(mu: Fraction, alpha: Fraction) -> None:
    with mpmath.workdps(60):
        cut = mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * mp(alpha))
        truth = phi(cut - mp(mu))
    found = mp(Gdp.from_mu(mu).tradeoff(alpha))
    assert truth * (1 - mpmath.mpf("1e-12")) <= found <= truth * (1 + mpmath.mpf("1e-50"))


def test_phi_and_its_inverse_are_certified() -> None:
    with precision(200):
        for x in [Fraction(-40), Fraction(-3), Fraction(0), Fraction(1, 7), Fraction(5)]:
            middle = cumulative(ball(x))
            assert quantile(middle).contains(ball(x))
            assert abs(mpmath.mpf(middle.mid().str(50, radius=False)) / phi(mp(x)) - 1) < mpmath.mpf("1e-44")
        assert not quantile(ball(0)).is_finite()


def test_a_broken_curve_would_be_caught() -> None:
    """The classical tail bound used as if it were the curve lies outside the bracket."""
    mu, epsilon = Fraction(1), Fraction(1)
    tail_only = float(phi(mp(mu) / 2 - mp(epsilon) / mp(mu)))  # forgets the second term
    low, high = Gdp.from_mu(mu).delta_between(epsilon)
    assert not low <= tail_only <= high


def test_extremes_stay_sound() -> None:
    assert Gdp(0).delta(0) == 0.0 == Gdp(0).epsilon(0)
    assert Gdp(1).epsilon(0) == math.inf
    assert Gdp(1).epsilon(1) == 0.0
    assert Gdp("1e100").delta(1) == 1.0
    assert 0 < Gdp("1e-300").delta("1e100") <= 5e-324
