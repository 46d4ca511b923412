"""Rényi privacy at listed orders: interpolation, conversion, groups."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from tacit.errors import Refused
from tacit.loss import Gdp, LaplacePair, Loss, Pure, Rdp, Zcdp


def listed(loss: Loss, orders: list[int | float | Fraction]) -> Rdp:
    return Rdp([(order, Fraction(loss.rdp(order))) for order in orders])


@pytest.mark.parametrize("loss", [Pure(1), LaplacePair(Fraction(2)), Gdp("0.3")])
def test_between_listed_orders_the_line_bounds_the_truth(loss: Loss) -> None:
    sparse = listed(loss, [Fraction(3, 2), 3, 10, 100])
    for order in ("1.01", "1.4", "1.5", "2", "2.9", "5", "60", "100"):
        assert sparse.rdp(order) >= loss.rdp(order) * (1 - 1e-15)
    assert loss.rdp(3) <= sparse.rdp(3) <= loss.rdp(3) * (1 + 1e-15)
    assert sparse.rdp("100.5") == math.inf


def test_the_line_is_straight_in_the_right_quantity() -> None:
    """(α−1)D_α is convex, D_α alone is not: interpolating D itself would undercut a curve that touches."""
    loss = Rdp({2: 1, 3: 2})
    assert loss.bound(Fraction(5, 2)) == Fraction(1 * 1 + 2 * 2, 2) / Fraction(3, 2)
    assert loss.bound("1.25") == 1


def test_conversion_is_the_best_listed_order() -> None:
    orders = [Fraction(k, 10) for k in range(11, 150)]
    loss, exact = listed(Zcdp("0.5"), orders), Zcdp("0.5")
    for delta in ("1e-8", "1e-5", "1e-2"):
        assert exact.epsilon(delta) * (1 - 1e-12) <= loss.epsilon(delta) <= exact.epsilon(delta) * 1.001
    for epsilon in ("1", "3", "6"):
        assert exact.delta(epsilon) * (1 - 1e-12) <= loss.delta(epsilon) <= exact.delta(epsilon) * 1.01
    assert loss.tradeoff("0.1") <= exact.tradeoff("0.1") + 1e-12
    assert loss.tradeoff("0.1") >= exact.tradeoff("0.1") - 1e-3


def test_group_is_mironovs_proposition_and_sound() -> None:
    single = listed(Gdp("0.04"), [2, 4, 8, 16, 64])
    for people in (2, 3, 4):
        grouped, truth = single.group(people), Gdp("0.04").group(people)
        for order in grouped.orders:
            assert grouped.rdp(order) >= truth.rdp(order)
    assert single.group(2).orders == (2, 4, 8, 32)
    assert Rdp({3: 1, 4: 2, 8: 5}).group(2) == Rdp({2: 6, 4: 15})
    assert Rdp({7: 1, 8: 2}).group(3) == Rdp({2: 18}) == Rdp({7: 1, 8: 2}).group(4)
    with pytest.raises(Refused, match="none is left"):
        single.group(64)


def test_costless_and_empty() -> None:
    assert Rdp({2: 0}).epsilon(0) == 0.0 == Rdp({2: 0}).delta(0)
    assert Rdp({2: 0}).tradeoff("0.25") == 0.75
    assert Rdp({2: 1}).epsilon(0) == math.inf
    assert Rdp([(2, 3), (2, 1)]) == Rdp({2: 1})
    assert Rdp({2: 5, 8: 1}) == Rdp({2: 1, 8: 1})
    with pytest.raises(Refused, match="bounds nothing"):
        Rdp({})
