"""Composition: closed families, mixtures bounded by exact products, and parts that nobody may under-price."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import mpmath
import pytest

from tacit.errors import Refused
from tacit.loss import (
    Approx,
    BoundedRange,
    Composition,
    DiscreteGaussianPair,
    Gdp,
    LaplacePair,
    Loss,
    Pure,
    Rdp,
    Zcdp,
    compose,
    post_processed,
)


def test_families_are_closed() -> None:
    assert compose(Pure("0.1"), Pure("0.2")) == Pure("0.3")
    assert compose(Pure("0.1"), Approx("0.2", "1e-6"), Approx(1, "1e-7")) == Approx("1.3", "1.1e-6")
    assert compose(Zcdp("0.1"), Zcdp("0.2", "1e-9")) == Zcdp("0.3", "1e-9")
    assert compose(Gdp(1), Gdp(3)) == Gdp(4)
    assert compose(Rdp({2: 1, 4: 3}), Rdp({2: 1, 4: 1})) == Rdp({2: 2, 4: 4})
    assert compose(Rdp({2: 1, 8: 3}), Rdp({4: 1})).orders == (2, 4)  # type: ignore[attr-defined]  # it is an Rdp
    assert compose() == Pure(0)
    assert compose(Approx(1, "0.7"), Approx(1, "0.7")) == Approx(2, 1)


def test_many_small_spends_add_up_exactly() -> None:
    """R35: a tenth ten times is one, and 10^-17 does not vanish."""
    assert compose(*[Pure(0.1)] * 10) == Pure(1)
    assert compose(Pure(1), Pure(1e-17)) != Pure(1)


@pytest.fixture(autouse=True)
def _digits() -> Iterator[None]:
    with mpmath.workdps(40):
        yield


def coin(epsilon: float) -> list[tuple[mpmath.mpf, mpmath.mpf]]:
    e = mpmath.exp(epsilon)
    return [(e / (1 + e), 1 / (1 + e)), (1 / (1 + e), e / (1 + e))]


def test_a_mixture_never_undercuts_the_exact_product() -> None:
    """Pure(1/2) with Gdp(1): the product pair's δ(ε), each coin outcome shifting the Gaussian's ε."""
    loss = compose(Pure("0.5"), Gdp(1))

    def gaussian(shifted: mpmath.mpf) -> mpmath.mpf:
        tail = mpmath.ncdf
        return tail(mpmath.mpf("0.5") - shifted) - mpmath.exp(shifted) * tail(-mpmath.mpf("0.5") - shifted)

    for epsilon in (0.0, 0.4, 1.0, 3.0, 5.0):
        truth = mpmath.fsum(p * gaussian(epsilon - mpmath.log(p / q)) for p, q in coin(0.5))
        found = loss.delta(epsilon)
        assert truth <= found
        assert found <= truth * mpmath.mpf("1.02")
        assert loss.epsilon(Fraction(found)) <= epsilon + 1e-3  # each answer is within its gap, on a grid of its own


def test_separate_parts_are_tighter_than_their_sum() -> None:
    parts = Composition([Pure("0.1")] * 50)
    assert parts.epsilon("1e-6") < 3.7 < Pure(5).epsilon("1e-6")
    exact = [  # fifty coins: the number of heads is all that matters
        (math.comb(50, k) * math.exp(0.1 * (50 - k)), math.comb(50, k) * math.exp(0.1 * k)) for k in range(51)
    ]
    total = (1 + math.exp(0.1)) ** 50
    for epsilon in (0.5, 2.0, 3.0):
        truth = sum(max(0.0, p - math.exp(epsilon) * q) for p, q in exact) / total
        assert parts.delta(epsilon) >= truth
    assert parts.epsilon(0) == pytest.approx(5)


MIXTURES: list[tuple[Loss, ...]] = [
    (Pure(1), Zcdp("0.1")),
    (Approx(1, "1e-6"), Gdp("0.2"), Zcdp("0.1", "1e-7")),
    (LaplacePair(Fraction(1)), BoundedRange(Fraction(1))),
    (DiscreteGaussianPair(Fraction(9), 1), Rdp({2: "0.1", 8: "0.4", 32: 2})),
]


@pytest.mark.parametrize("parts", MIXTURES)
def test_a_mixture_costs_at_least_each_part_and_answers_consistently(parts: tuple[Loss, ...]) -> None:
    loss = compose(*parts)
    for epsilon, part in product(("0.1", "1", "3"), parts):
        assert loss.delta(epsilon) >= part.delta(epsilon) * (1 - 1e-12)
    for alpha, part in product(("0.01", "0.4"), parts):
        assert 0 <= loss.tradeoff(alpha) <= part.tradeoff(alpha) * (1 + 1e-12)
    deltas = [loss.delta(epsilon) for epsilon in ("0", "0.5", "1", "2", "4", "8")]
    assert deltas == sorted(deltas, reverse=True)
    for delta in ("1e-5", "0.01", "0.3"):
        epsilon = loss.epsilon(delta)
        assert epsilon < math.inf
        assert loss.delta(Fraction(epsilon)) <= float(delta) * (1 + 1e-5)


def test_rdp_adds_and_slack_makes_it_infinite() -> None:
    assert compose(Pure(1), Gdp(1)).rdp(3) == pytest.approx(Pure(1).rdp(3) + 1.5)
    assert compose(Approx(1, "1e-9"), Gdp(1)).rdp(3) == math.inf
    assert compose(Approx(1, "1e-9"), Gdp(1)).epsilon("1e-10") == math.inf
    assert compose(Approx(1, "1e-9"), Gdp(1)).epsilon("1e-5") < Gdp(1).epsilon("5e-6") + 1


def test_slack_never_leaves_the_curve() -> None:
    loss = compose(Approx(1, "0.01"), Gdp("0.01"), Zcdp("0.01", "0.002"))
    assert 0.012 <= loss.delta(20) <= 0.01201
    assert loss.delta(0) >= 0.01 + 0.99 * Pure(1).delta(0)
    assert loss.core()[0] == Fraction(12, 1000)
    assert loss.tradeoff(0) <= 0.988


def test_currencies_of_a_mixture() -> None:
    loss = compose(Pure(1), Gdp("0.5"), Zcdp("0.1", "1e-8"))
    assert loss.zcdp() == Zcdp(Pure(1).zcdp().rho + Fraction("0.35"), "1e-8")
    assert compose(Pure(1), Gdp("0.5")).gdp() == Gdp(Pure(1).gdp().mu_squared + Fraction(1, 2))
    with pytest.raises(Refused):
        loss.gdp()
    assert compose(Pure(1), Gdp(1)).group(2) == compose(Pure(2), Gdp(4))


def test_post_processing_is_free() -> None:
    loss = compose(Pure(1), Gdp(1))
    assert post_processed(loss) is loss
    assert "costs nothing more" in (post_processed.__doc__ or "")


def test_a_mixture_reads_well() -> None:
    assert str(compose(Gdp(1), Pure("0.5"))) == "μ = 1 with ε = 0.5"
