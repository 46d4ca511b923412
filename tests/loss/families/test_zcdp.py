"""zCDP: the improved conversion, sound against exact members of the family and better than the older ones."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import mpmath
import pytest

from tacit.errors import Refused
from tacit.loss import Approx, Gdp, Pure, Zcdp, optimal_response
from tacit.loss.families.rdp import delta_at, epsilon_at
from tacit.noise.ball import ball, precision

RHOS = ["0.0001", "0.05", "0.5", "3", "40"]


def mp_epsilon(rho: float, delta: float) -> float:
    """The least of the conversion over the order, by mpmath, on a fine grid refined around its best point."""

    def at(u: mpmath.mpf) -> mpmath.mpf:
        a = 1 + mpmath.exp(u)
        return rho * a + mpmath.log((a - 1) / a) - (mpmath.log(delta) + mpmath.log(a)) / (a - 1)

    best = min((at(mpmath.mpf(k) / 20), k) for k in range(-200, 300))[1]
    left, right = mpmath.mpf(best - 1) / 20, mpmath.mpf(best + 1) / 20
    for _ in range(120):
        a, b = left + (right - left) / 3, right - (right - left) / 3
        left, right = (left, b) if at(a) < at(b) else (a, right)
    return float(max(mpmath.mpf(0), at(left)))


@pytest.fixture(autouse=True)
def _digits() -> Iterator[None]:
    with mpmath.workdps(30):
        yield


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("delta", ["1e-12", "1e-5", "0.1"])
def test_epsilon_is_the_best_conversion(rho: str, delta: str) -> None:
    found, best = Zcdp(rho).epsilon(delta), mp_epsilon(float(rho), float(delta))
    assert best * (1 - 1e-12) <= found <= best * (1 + 1e-12) + 1e-15


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("delta", ["1e-12", "1e-5", "0.1"])
def test_it_beats_the_classical_conversion(rho: str, delta: str) -> None:
    """Bun–Steinke: ε = ρ + 2√(ρ ln(1/δ))."""
    classical = float(rho) + 2 * math.sqrt(float(rho) * math.log(1 / float(delta)))
    assert Zcdp(rho).epsilon(delta) < classical


@pytest.mark.parametrize("rho", RHOS)
def test_it_never_undercuts_a_member_of_the_family(rho: str) -> None:
    """The Gaussian of μ² = 2ρ is exactly ρ-zCDP, and the coin of the right ε nearly so."""
    loss, gaussian = Zcdp(rho), Gdp(2 * Fraction(rho))
    for delta in ("1e-12", "1e-5", "0.1", "0.6"):
        assert loss.epsilon(delta) >= gaussian.epsilon(delta)
    for epsilon in ("0", "0.3", "2", "20"):
        assert loss.delta(epsilon) >= gaussian.delta(epsilon)
    for alpha in ("0.001", "0.3", "0.9"):
        assert loss.tradeoff(alpha) <= gaussian.tradeoff(alpha)


def test_the_conversion_holds_pointwise() -> None:
    """(1−e^{ε−L})₊ ≤ e^{(α−1)(L−ε)}·(1−1/α)^{α−1}/α for every L: the whole proof, on a grid."""
    for alpha in (1.1, 2.0, 5.0, 40.0):
        constant = (1 - 1 / alpha) ** (alpha - 1) / alpha
        for step in range(-400, 401):
            x = step / 40  # L − ε
            assert max(0.0, 1 - math.exp(-x)) <= math.exp((alpha - 1) * x) * constant * (1 + 1e-12)
    with precision(128):
        order, divergence = Fraction(3), ball(1)
        delta = delta_at(order, divergence, Fraction(2))
        back = epsilon_at(order, divergence, Fraction(float(delta.mid())))
    assert float(back.mid()) == pytest.approx(2, rel=1e-14)


def test_delta_and_epsilon_are_inverse() -> None:
    for rho in RHOS:
        for epsilon in ("0.5", "2", "9"):
            delta = Zcdp(rho).delta(epsilon)
            if 0 < delta < 1:
                assert Zcdp(rho).epsilon(Fraction(delta)) <= float(epsilon) * (1 + 1e-9)


def test_slack_is_set_apart_first() -> None:
    loss = Zcdp("0.1", "1e-6")
    assert loss.epsilon("1e-6") == math.inf == loss.epsilon(0)
    left = (Fraction(1, 10**5) - Fraction(1, 10**6)) / (1 - Fraction(1, 10**6))
    assert loss.epsilon("1e-5") == Zcdp("0.1").epsilon(left)
    assert loss.delta(2) >= 1e-6 + Zcdp("0.1").delta(2) * (1 - 1e-6) * (1 - 1e-15)
    assert loss.rdp(2) == math.inf
    assert Zcdp(0, "0.25").delta(0) == 0.25
    assert Zcdp(1, 1).delta(5) == 1.0


def test_slack_bounds_the_optimal_response() -> None:
    """(ε, δ) as approximate zCDP never promises more than (ε, δ) itself delivers."""
    for epsilon, delta in (("0.1", "1e-6"), ("1", "0.01"), ("4", "0.2")):
        pair, bound = optimal_response(epsilon, delta), Approx(epsilon, delta).zcdp()
        for at in ("0", "0.05", "0.7", "3.9", "6"):
            assert bound.delta(at) >= pair.delta(at)


def test_group_and_refusal() -> None:
    assert Zcdp("0.1").group(3) == Zcdp("0.9")
    assert Gdp("0.2").group(3).zcdp() == Gdp("0.2").zcdp().group(3)
    assert Zcdp("0.1", "1e-6").group(1) == Zcdp("0.1", "1e-6")
    with pytest.raises(Refused, match="not proven"):
        Zcdp("0.1", "1e-6").group(2)


def test_extremes_find_a_good_order() -> None:
    assert Zcdp("1e-100").epsilon("1e-9") < 1e-48
    assert Zcdp("1e100").epsilon("1e-9") == pytest.approx(1e100, rel=1e-9)
    assert Zcdp(0).epsilon(0) == 0.0 == Zcdp(0).delta(0)
    assert Pure("1e-100").zcdp().rho <= Fraction(1, 10**200)
