"""Groups through the trade-off curve."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tacit.loss import Approx, Gdp, Loss, Pure, Zcdp, group_tradeoff

ALPHAS = ["0", "1e-6", "0.01", "0.2", "0.7", "1"]


@pytest.mark.parametrize("loss", [Approx("0.3", "1e-5"), Approx(1, "0.01"), Pure("0.2"), Approx(0, "0.05")])
@pytest.mark.parametrize("people", [1, 2, 5, 12])
def test_never_worse_than_the_closed_bound(loss: Approx, people: int) -> None:
    for alpha in ALPHAS:
        assert group_tradeoff(loss, people, alpha) >= loss.group(people).tradeoff(alpha) * (1 - 1e-12) - 1e-15


def test_strictly_better_somewhere() -> None:
    loss = Approx(1, "0.01")
    assert group_tradeoff(loss, 3, "0.1") > loss.group(3).tradeoff("0.1") * 2


@pytest.mark.parametrize("people", [1, 2, 3, 7])
def test_gaussian_groups_are_exactly_k_mu(people: int) -> None:
    for alpha in ALPHAS:
        through, closed = group_tradeoff(Gdp("0.1"), people, alpha), Gdp("0.1").group(people).tradeoff(alpha)
        assert closed * (1 - 1e-12) - 1e-15 <= through <= closed * (1 + 1e-15)


def test_composing_f_with_itself_is_not_the_group_curve() -> None:
    """The broken twin: f∘f instead of 1−(1−f)∘(1−f) promises a miss rate that two people's worlds do not have."""
    loss, alpha = Gdp(1), "0.3"
    twin = loss.tradeoff(Fraction(loss.tradeoff(alpha)))
    assert twin > loss.group(2).tradeoff(alpha)


@pytest.mark.parametrize("loss", [Zcdp("0.1"), Pure(1)])
def test_one_person_is_the_curve_itself(loss: Loss) -> None:
    assert loss.tradeoff("0.2") * (1 - 1e-15) <= group_tradeoff(loss, 1, "0.2") <= loss.tradeoff("0.2")
