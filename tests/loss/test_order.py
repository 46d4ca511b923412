"""`fits` and `dominates`."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from tacit.errors import Refused
from tacit.loss import (
    Approx,
    BoundedRange,
    DiscreteGaussianPair,
    Gdp,
    LaplacePair,
    Loss,
    Pure,
    Rdp,
    Zcdp,
    binary_response,
    compose,
    dominates,
    fits,
    kary_response,
)


def test_fits_is_componentwise() -> None:
    """R38: a smaller ε does not buy a larger δ."""
    budget = Approx(1, "1e-6")
    assert fits(Approx(1, "1e-6"), budget)
    assert fits(Pure("0.5"), budget)
    assert not fits(Approx("0.1", "2e-6"), budget)
    assert not fits(Approx("1.0000000001", 0), budget)
    assert not fits(Approx("0.5", "1e-300"), Pure(1))
    assert not fits(Zcdp("0.01", "1e-5"), Zcdp("0.1", "1e-6"))
    assert fits(Gdp(1), Gdp(1))
    assert not fits(Gdp("1.0001"), Gdp(1))
    assert fits(Rdp({2: 1, 8: 2}), Rdp({4: 2}))
    assert not fits(Rdp({2: 1}), Rdp({2: 1, 4: 9}))


@pytest.mark.parametrize("share", [3, 7, 49, 1000])
def test_n_spends_of_a_share_fit_and_one_more_never(share: int) -> None:
    """R35."""
    for budget, part in ((Pure("0.3"), Pure(Fraction(3, 10 * share))), (Zcdp("0.1"), Zcdp(Fraction(1, 10 * share)))):
        assert fits(compose(*[part] * share), budget)
        assert not fits(compose(*[part] * (share + 1)), budget)


CURRENCIES: list[Loss] = [Pure(1), Zcdp(1), Gdp(1), Rdp({2: 1}), LaplacePair(Fraction(1))]


def test_other_currencies_are_refused_with_the_cure() -> None:
    for cost, budget in product(CURRENCIES, CURRENCIES):
        if type(cost) is not type(budget):
            with pytest.raises(Refused, match="converted first"):
                fits(cost, budget)


def on_a_grid(above: Loss, below: Loss) -> bool:
    return all(above.delta(e) >= below.delta(e) * (1 - 1e-12) for e in (k / 20 for k in range(160)))


APPROXES = [Approx(e, d) for e, d in product(("0", "0.4", "1", "2.5"), ("0", "0.01", "0.3", "1"))]


def test_approx_order_agrees_with_the_curves() -> None:
    for above, below in product(APPROXES, APPROXES):
        assert dominates(above, below) == on_a_grid(above, below)


EXACT: list[Loss] = [
    Pure(1),
    Approx("0.5", "0.2"),
    Gdp(1),
    Gdp("0.04"),
    LaplacePair(Fraction(1)),
    LaplacePair(Fraction(1, 2)),
    binary_response("0.8"),
    kary_response(1, 5),
    DiscreteGaussianPair(Fraction(4), 1),
]


def test_an_answer_is_never_wrong() -> None:
    answered = 0
    for above, below in product(EXACT, EXACT):
        try:
            answer = dominates(above, below)
        except Refused:
            continue
        answered += 1
        assert answer == on_a_grid(above, below), (above, below)
    assert answered >= 60  # of 81


def test_known_orders() -> None:
    assert dominates(Pure(1), LaplacePair(Fraction(1)))
    assert not dominates(LaplacePair(Fraction(1)), Pure(1))
    assert dominates(Pure(1).gdp(), Pure(1))
    assert not dominates(Gdp(Pure(1).gdp().mu_squared * (1 - Fraction(1, 10**15))), Pure(1))
    assert dominates(Approx(1, "0.127"), Gdp(1))
    assert not dominates(Approx(1, "0.126"), Gdp(1))
    assert not dominates(Gdp(1), DiscreteGaussianPair(Fraction(1), 1))
    assert dominates(LaplacePair(Fraction(2)), LaplacePair(Fraction(1)))
    assert not dominates(Pure(100), Gdp("0.0001"))
    assert dominates(Approx(3, "1e-2"), Zcdp("0.1"))
    assert dominates(Pure(1), BoundedRange(Fraction(1)))
    assert dominates(Zcdp("0.2", "1e-6"), Zcdp("0.1"))
    assert not dominates(Zcdp("0.1"), Zcdp("0.2"))
    assert not dominates(Zcdp(5, "1e-9"), Zcdp("0.1", "1e-8"))
    assert dominates(Rdp({2: 1}), Rdp({2: "0.5", 4: 3}))


@pytest.mark.parametrize(
    ("above", "below"),
    [(Zcdp("0.1", "1e-6"), Zcdp("0.2")), (Zcdp(1), Gdp(1)), (Rdp({2: 1}), Rdp({2: 2})), (Gdp(1), Approx(1, "1e-9"))],
)
def test_the_undecided_is_refused(above: Loss, below: Loss) -> None:
    with pytest.raises(Refused, match="Neither a proof nor a counterexample"):
        dominates(above, below)
