"""Pure and Approx: the exact curves of the worst (ε, δ) release."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import mpmath
import pytest

from tacit.errors import Refused
from tacit.loss import Approx, Gdp, Pure, Zcdp, optimal_response


@pytest.fixture(autouse=True)
def _digits() -> Iterator[None]:
    with mpmath.workdps(60):
        yield


GRID = [(Fraction(1, 1000), Fraction(0)), (Fraction(1, 2), Fraction(1, 10**9)), (Fraction(1), Fraction(1, 10)),
        (Fraction(5), Fraction(0)), (Fraction(30), Fraction(1, 10**6))]  # fmt: skip


def mp(value: Fraction | float) -> mpmath.mpf:
    value = Fraction(value)
    return mpmath.mpf(value.numerator) / value.denominator


def worst_response(epsilon: Fraction, delta: Fraction) -> list[tuple[mpmath.mpf, mpmath.mpf]]:
    """(p, q) of the four outputs of the optimal response: two give everything away, two are the coin."""
    e, d = mpmath.exp(mp(epsilon)), mp(delta)
    return [(d, mpmath.mpf(0)), (mpmath.mpf(0), d), ((1 - d) * e / (1 + e), (1 - d) / (1 + e)),
            ((1 - d) / (1 + e), (1 - d) * e / (1 + e))]  # fmt: skip


@pytest.mark.parametrize(("epsilon", "delta"), GRID)
@pytest.mark.parametrize("at", ["0", "0.001", "0.3", "1", "4.5", "29", "31"])
def test_delta_enumerates_the_worst_response(epsilon: Fraction, delta: Fraction, at: str) -> None:
    truth = mpmath.fsum(
        max(mpmath.mpf(0), p - mpmath.exp(mp(Fraction(at))) * q) for p, q in worst_response(epsilon, delta)
    )
    found = mp(Approx(epsilon, delta).delta(at))
    tiny = mpmath.mpf("1e-55")
    assert truth - tiny <= found <= truth * (1 + mpmath.mpf("1e-12")) + tiny


@pytest.mark.parametrize(("epsilon", "delta"), GRID)
def test_epsilon_inverts_delta(epsilon: Fraction, delta: Fraction) -> None:
    loss = Approx(epsilon, delta)
    for share in (Fraction(0), Fraction(1, 10**7), Fraction(1, 3), Fraction(2, 3), Fraction(1)):
        target = delta + share * (1 - delta)
        found = loss.epsilon(target)
        assert loss.delta(Fraction(found)) <= target * (1 + Fraction(1, 10**15))
        assert found == 0 or target < loss.delta(0)
        if found > 0:
            assert loss.delta(Fraction(found) * (1 - Fraction(1, 10**9))) > target
    assert loss.epsilon(delta) == pytest.approx(float(epsilon), rel=1e-15)
    if delta > 0:
        assert loss.epsilon(delta / 2) == math.inf


@pytest.mark.parametrize(("epsilon", "delta"), GRID)
@pytest.mark.parametrize("alpha", ["0", "1e-9", "0.1", "0.5", "0.97", "1"])
def test_tradeoff_is_the_privacy_region(epsilon: Fraction, delta: Fraction, alpha: str) -> None:
    a, d, e = mp(Fraction(alpha)), mp(delta), mpmath.exp(mp(epsilon))
    truth = max(mpmath.mpf(0), 1 - d - e * a, (1 - d - a) / e)
    found = mp(Approx(epsilon, delta).tradeoff(alpha))
    tiny = mpmath.mpf("1e-55")
    assert truth * (1 - mpmath.mpf("1e-12")) - tiny <= found <= truth + tiny


@pytest.mark.parametrize("epsilon", ["0.001", "0.5", "2", "40"])
@pytest.mark.parametrize("order", ["1.000000001", "1.5", "2", "64", "100000"])
def test_rdp_is_that_of_the_coin(epsilon: str, order: str) -> None:
    e, a = mp(Fraction(epsilon)), mp(Fraction(order))
    p = mpmath.exp(e) / (1 + mpmath.exp(e))
    with mpmath.workdps(80):
        truth = mpmath.log(p**a * (1 - p) ** (1 - a) + (1 - p) ** a * p ** (1 - a)) / (a - 1)
    found = mp(Pure(epsilon).rdp(order))
    assert truth * (1 - mpmath.mpf("1e-40")) <= found <= truth * (1 + mpmath.mpf("1e-12"))


def test_rdp_of_a_positive_delta_is_infinite() -> None:
    assert Approx(1, "1e-9").rdp(2) == math.inf
    slack, rest = Approx(1, "1e-9").core()
    assert (slack, rest) == (Fraction(1, 10**9), Pure(1))


def test_it_is_the_optimal_response() -> None:
    pair, loss = optimal_response("0.7", "0.01"), Approx("0.7", "0.01")
    for at in ("0", "0.2", "0.69", "0.7", "3"):
        assert pair.delta(at) == pytest.approx(loss.delta(at), rel=1e-14)


@pytest.mark.parametrize("epsilon", ["0.0001", "0.1", "1", "3", "50"])
def test_pure_to_zcdp_is_the_least_rho(epsilon: str) -> None:
    """ρ = ε·tanh(ε/2) bounds the coin at every order, is below ε²/2, and any smaller ρ fails near order 1."""
    loss, exact = Pure(epsilon), Fraction(epsilon)
    rho = loss.zcdp().rho
    assert rho <= exact**2 / 2
    for order in ("1.0000001", "1.01", "1.5", "2", "7", "300"):
        assert Fraction(loss.rdp(order)) <= rho * Fraction(order) * (1 + Fraction(1, 10**14))
    assert Fraction(loss.rdp("1.0000001")) > rho * Fraction("0.999999") * Fraction("1.0000001")


@pytest.mark.parametrize("epsilon", ["0.01", "1", "6"])
def test_pure_to_gdp_lies_above_at_every_epsilon_and_touches(epsilon: str) -> None:
    loss = Pure(epsilon)
    gaussian = loss.gdp()
    for at in ("0", "0.005", "0.3", "0.99", "2", "5.9"):
        assert gaussian.delta(at) >= loss.delta(at)
    assert gaussian.delta(0) == pytest.approx(loss.delta(0), rel=1e-12)


def test_delta_has_no_gaussian_bound() -> None:
    with pytest.raises(Refused, match="no μ bounds"):
        Approx(1, "1e-6").gdp()
    assert Pure(0).gdp() == Gdp(0)
    assert Approx(0, "0.1").zcdp() == Zcdp(0, "0.1")


def test_group_is_the_geometric_series() -> None:
    assert Pure("0.3").group(4) == Pure("1.2")
    assert Approx(0, "0.1").group(3) == Approx(0, "0.3")
    three = Approx(1, "1e-6").group(3)
    exact = mp(Fraction(1, 10**6)) * (1 + mpmath.e + mpmath.e**2)
    assert three.exact_epsilon == 3
    assert exact <= mp(three.exact_delta) <= exact * (1 + mpmath.mpf("1e-15"))
    assert Approx(1, "0.5").group(10**6).exact_delta == 1


def test_losses_read_as_a_person_writes_them() -> None:
    assert str(Approx("0.5", "1e-9")) == "ε = 0.5, δ = 1e-09"
    assert repr(Pure("0.5")) == "Pure(ε = 0.5)"
    assert str(Pure(10**100)) == "ε = 1e+100"
    assert str(Zcdp("0.1", Fraction(1, 10**400))) == "ρ = 0.1, δ = 1e-400"
    assert str(Gdp(4)) == "μ = 2"


def test_fields_are_exact() -> None:
    loss = Approx(0.1, 1e-17)
    assert (loss.exact_epsilon, loss.exact_delta) == (Fraction(1, 10), Fraction(1, 10**17))
    assert hash(Approx(0.1, 0)) == hash(Approx("1/10", 0))
    with pytest.raises(AttributeError):
        loss.exact_epsilon = Fraction(0)  # type: ignore[misc]  # frozen is what is tested
