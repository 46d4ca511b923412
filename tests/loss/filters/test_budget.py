"""An (ε, δ) promise turned into a budget: kept, and nearly the largest that keeps it."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest

from tacit.errors import Refused
from tacit.loss import Gdp, Zcdp
from tacit.loss import calibration as budget
from tacit.loss.calibration import budget_from, gaussian_budget_from


@pytest.mark.parametrize(
    ("epsilon", "delta", "reserve"),
    list(product(["1e-6", "0.1", "1", "20"], ["1e-12", "1e-6", "0.1"], ["0", "1/4", "9/10"])),
)
def test_the_promise_is_kept_and_hardly_more(epsilon: str, delta: str, reserve: str) -> None:
    found = budget_from(epsilon, delta, reserve)
    assert found.exact_delta == Fraction(reserve) * Fraction(delta)
    assert Fraction(found.epsilon(delta)) <= Fraction(epsilon)
    larger = Zcdp(found.rho * Fraction(10**6 + 1, 10**6), found.exact_delta)
    assert Fraction(larger.epsilon(delta)) > Fraction(epsilon)


@pytest.mark.parametrize("guess", [math.inf, math.nan, 0.0, -1.0, 1e9, 0.04])
def test_a_guess_that_is_off_breaks_no_promise(guess: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """R08: the guess decides what is tried first; what is returned was certified."""
    exact = budget_from(1, "1e-6")
    assert exact.rho > Fraction(0.015)
    monkeypatch.setattr(budget, "rho_near", lambda *_: guess)
    found = budget_from(1, "1e-6")
    assert Fraction(found.epsilon("1e-6")) <= 1
    assert abs(found.rho / exact.rho - 1) < Fraction(1, 10**12)


def test_the_guess_is_close_enough_to_need_no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search takes fifty certified steps, and a budget is read at every start of the command."""

    def search(*_: object) -> Fraction:
        raise AssertionError("the search was needed")

    monkeypatch.setattr(budget, "_largest", search)
    for epsilon, delta in product(["1e-6", "0.01", "1", "4", "20", "400", "1e5"], ["1e-60", "1e-12", "1e-7", "0.9"]):
        budget_from(epsilon, delta)


def test_the_reserve_costs_little() -> None:
    whole, kept = budget_from(1, "1e-6", 0), budget_from(1, "1e-6")
    assert kept.exact_delta == Fraction(1, 4 * 10**6)
    assert float(whole.rho) * 0.97 < float(kept.rho) < float(whole.rho)


def test_a_gaussian_budget_admits_more() -> None:
    """Decision 5: 10–15% more when all noise is Gaussian."""
    gaussian, concentrated = gaussian_budget_from(1, "1e-6"), budget_from(1, "1e-6", 0)
    assert gaussian.delta(1) <= 1e-6
    assert Gdp(gaussian.mu_squared * Fraction(1000001, 1000000)).delta(1) > 1e-6
    assert 1.10 < gaussian.mu_squared / (2 * concentrated.rho) < 1.2


@pytest.mark.parametrize("bad", [math.nan, math.inf, -1, 0, "x", True])
def test_what_is_no_promise_is_refused(bad: float) -> None:
    """R08."""
    for ask in (
        lambda: budget_from(bad, "1e-6"),
        lambda: budget_from(1, bad),
        lambda: gaussian_budget_from(bad, "0.1"),
    ):
        with pytest.raises(Refused):
            ask()
    for reserve in (1, 2, -1, math.nan):
        with pytest.raises(Refused):
            budget_from(1, "1e-6", reserve)
    with pytest.raises(Refused):
        budget_from(1, 1)
