"""Filters: exact sums, componentwise limits, and refusals that name their reason."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import Refused
from tacit.loss import (
    Approx,
    BoundedRange,
    Composition,
    DiscreteGaussianPair,
    DiscreteLaplacePair,
    Gdp,
    LaplacePair,
    Loss,
    Pure,
    Rdp,
    Relation,
    Worst,
    Zcdp,
    binary_response,
)
from tacit.loss.filters.currency import Currency
from tacit.loss.filters.privacy_filter import Filter
from tacit.loss.pairs.repeated_approx import RepeatedApprox
from tacit.loss.sampling.gaussian_renyi import SampledGaussianRenyi

BUDGETS: list[Loss] = [Pure("0.3"), Approx("0.3", "1e-6"), Zcdp("0.3", "1e-6"), Gdp("0.3"), Rdp({"2.5": "0.3"})]


def nth(budget: Loss, n: int) -> Loss:
    """One n-th of a budget, exactly."""
    share = Fraction(1, n)
    if isinstance(budget, Pure):
        return Pure(budget.exact_epsilon * share)
    if isinstance(budget, Approx):
        return Approx(budget.exact_epsilon * share, budget.exact_delta * share)
    if isinstance(budget, Zcdp):
        return Zcdp(budget.rho * share, budget.exact_delta * share)
    if isinstance(budget, Gdp):
        return Gdp(budget.mu_squared * share)
    assert isinstance(budget, Rdp)
    return Rdp({budget.orders[0]: budget.points[0][1] * share})


@pytest.mark.parametrize("n", [1, 3, 7, 1000])
@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_n_spends_of_an_nth_fit_and_one_more_never(budget: Loss, n: int) -> None:
    """R35."""
    part, account = nth(budget, n), Filter(budget)
    assert account.how_many_more(part) == n
    assert account.share(part) == Fraction(1, n)
    for _ in range(n):
        assert account.admits(part)
        account = account.charge(part)
    assert account.spent == budget
    assert account.how_many_more(part) == 0
    assert not account.admits(part)
    assert account.admits(Pure(0))
    assert account.how_many_more(Pure(0)) is None
    with pytest.raises(Refused, match="is left"):
        account.charge(part)
    with pytest.raises(Refused):
        account.charge(nth(budget, 10**30))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.fractions(0, 1), st.fractions(0, Fraction(1, 10))), max_size=12))
def test_a_charge_fits_iff_every_component_fits(charges: list[tuple[Fraction, Fraction]]) -> None:
    """R38, for both accounts that have a δ; and a filter remembers nothing but its sums."""
    for make in (Approx, Zcdp):
        account, epsilon, delta = Filter(make(2, "0.2")), Fraction(0), Fraction(0)
        for e, d in charges:
            fits = epsilon + e <= 2 and delta + d <= Fraction(1, 5)
            assert account.admits(make(e, d)) == fits
            if fits:
                before, account = account, account.charge(make(e, d))
                assert before.used == (epsilon, delta)
                epsilon, delta = epsilon + e, delta + d
        assert account == Filter(make(2, "0.2"), (epsilon, delta))
        assert account.left == make(2 - epsilon, Fraction(1, 5) - delta)


@pytest.mark.parametrize("budget", [Pure(1), Approx(1, "1e-9")], ids=str)
def test_ten_tenths_fit_whatever_they_are_made_of(budget: Loss) -> None:
    """R35 for losses that are no plain ε: their pure ε is asked for as a fraction, not as a float."""
    tenth = Fraction(1, 10)
    makers: list[Loss] = [
        LaplacePair(tenth),
        binary_response(tenth),
        DiscreteLaplacePair(tenth, 1),
        BoundedRange(tenth),
        Composition([LaplacePair(tenth / 2), binary_response(tenth / 2)]),
        Worst([LaplacePair(tenth), binary_response(tenth / 2)]),
        RepeatedApprox(tenth / 5, 0, 5),
    ]
    for loss in makers:
        assert Filter(budget).how_many_more(loss) == 10


def test_a_refused_charge_changes_nothing() -> None:
    """R40."""
    account = Filter(Approx(1, "1e-6")).charge(Approx("0.5", 0))
    before = repr(account)
    with pytest.raises(Refused):
        account.charge(Approx("0.1", "1e-3"))
    assert repr(account) == before
    assert account.admits(Approx("0.5", "1e-6"))


PRICES: list[tuple[Loss, Loss, Loss]] = [
    (Pure(9), LaplacePair(Fraction(1, 2)), Pure("0.5")),
    (Pure(9), binary_response("0.5"), Pure("0.5")),
    (Approx(9, "0.1"), BoundedRange(Fraction(1, 2)), Approx("0.5", 0)),
    (Approx(9, "0.1"), Gdp(1).approx("1e-6"), Gdp(1).approx("1e-6")),
    (Zcdp(9, "0.1"), Gdp(1), Zcdp("0.5")),
    (Zcdp(9, "0.1"), BoundedRange(Fraction(1)), Zcdp("1/8")),
    (Zcdp(9, "0.1"), DiscreteGaussianPair(Fraction(4), 1), Zcdp("1/8")),
    (Zcdp(9, "0.1"), Approx(1, "1e-3"), Approx(1, "1e-3").zcdp()),
    (Zcdp(9, "0.1"), SampledGaussianRenyi(Fraction(1, 10), Fraction(1), 4), Zcdp(2, relation=Relation.ADD_REMOVE)),
    (Zcdp(9, "0.1"), Composition([Gdp(1), Zcdp("0.1", "1e-9")]), Zcdp("0.6", "1e-9")),
    (Zcdp(9, "0.1"), Worst([Gdp(1), Zcdp("0.1", "1e-9")]), Zcdp("0.5", "1e-9")),
    (Gdp(9), Pure(1), Pure(1).gdp()),
    (Rdp({4: 9}), Gdp(1), Rdp({4: 2})),
    (Rdp({4: 9}), Zcdp("0.1"), Rdp({4: "0.4"})),
    (Rdp({4: 9}), Rdp({2: 1, 8: 3}), Rdp({4: Fraction(23, 9)})),
]


@pytest.mark.parametrize(("budget", "loss", "price"), PRICES, ids=str)
def test_a_loss_is_charged_in_the_accounts_own_currency(budget: Loss, loss: Loss, price: Loss) -> None:
    account = Filter(budget)
    assert account.price(loss) == price
    assert account.charge(loss).spent == price


@pytest.mark.parametrize(("budget", "loss", "price"), PRICES, ids=str)
def test_a_price_is_never_below_the_loss(budget: Loss, loss: Loss, price: Loss) -> None:
    for delta in ("1e-9", "1e-5", "0.01"):
        if loss.epsilon(delta) < math.inf:
            assert price.epsilon(delta) >= loss.epsilon(delta) * (1 - 1e-9)


def test_shares_are_exact() -> None:
    account = Filter(Zcdp("0.3", "1e-6"))
    assert account.share(Zcdp("0.1")) == Fraction(1, 3)
    assert account.share(Zcdp("0.1", "5e-7")) == Fraction(1, 2)
    assert account.charge(Zcdp("0.1")).share(Zcdp("0.1")) == Fraction(1, 3)  # of the whole budget, not of the rest
    assert account.share(Zcdp("0.6")) == 2
    with pytest.raises(Refused, match="does not have"):
        Filter(Zcdp("0.3")).share(Zcdp("0.1", "1e-9"))
    assert not Filter(Zcdp("0.3")).admits(Zcdp("0.1", "1e-9"))
    assert Filter(Zcdp("0.3")).how_many_more(Zcdp("0.1", "1e-9")) == 0


INVALID: list[tuple[Loss, str]] = [
    (LaplacePair(Fraction(1)), r"2602\.06756"),
    (binary_response(1), r"2602\.15815"),
    (RepeatedApprox("0.1", "0.001", 30), r"2602\.06756"),
    (Composition([Gdp(1), Pure(1)]), "Rogers"),
    (Worst([Gdp(1), Pure(1)]), "Whitehouse"),
    (BoundedRange(Fraction(1)), r"2602\.15815"),
    (SampledGaussianRenyi(Fraction(1, 10), Fraction(1)), r"2602\.15815"),
    (Rdp({2: 1, 3: 2}), "Feldman"),
]


@pytest.mark.parametrize(("budget", "reason"), INVALID, ids=str)
def test_an_invalid_filter_cannot_be_made(budget: Loss, reason: str) -> None:
    """R36."""
    with pytest.raises(Refused, match=reason):
        Filter(budget)


INADMISSIBLE: list[tuple[Loss, Loss, str]] = [
    (Pure(1), Gdp(1), "no upper end"),
    (Pure(1), Approx(1, "1e-9"), "no upper end"),
    (Pure(1), Zcdp(1), "no upper end"),
    (Approx(1, "1e-6"), Gdp("0.01"), "approx"),
    (Approx(1, "1e-6"), DiscreteGaussianPair(Fraction(100), 1), r"2602\.06756"),
    (Zcdp(1), Rdp({2: 1}), "at every order"),
    (Gdp(1), Approx("0.1", "1e-9"), "at every ε"),
    (Gdp(1), Zcdp("0.01"), "at every ε"),
    (Gdp(1), DiscreteGaussianPair(Fraction(100), 1), r"2602\.06756"),
    (Rdp({4: 1}), Rdp({2: "0.1"}), "unknown"),
    (Rdp({4: 1}), Approx("0.1", "1e-9"), "unbounded"),
    (Rdp({4: 1}), Zcdp("0.1", "1e-9"), "unbounded"),
]


@pytest.mark.parametrize(("budget", "loss", "reason"), INADMISSIBLE, ids=str)
def test_a_loss_without_a_sound_price_is_refused(budget: Loss, loss: Loss, reason: str) -> None:
    """R36: neither priced, admitted nor charged; and the refusal says why."""
    account = Filter(budget)
    for ask in (account.admits, account.charge, account.share, account.how_many_more, account.price):
        with pytest.raises(Refused, match=reason):
            ask(loss)


def test_what_is_no_filter_is_refused() -> None:
    """R08: no state over the budget, below zero or inexact."""
    over: list[object] = [
        (Fraction(2),),
        (Fraction(-1),),
        (math.nan,),
        (0.5,),
        (Fraction(0), Fraction(0)),
        [Fraction(0)],
    ]
    for used in over:
        with pytest.raises(Refused):
            Filter(Pure(1), used)  # type: ignore[arg-type]  # that is the point
    for budget in (1, None, "1", Filter(Pure(1))):
        with pytest.raises(Refused):
            Filter(budget)  # type: ignore[arg-type]  # likewise
    for loss in (1, None, math.nan):
        with pytest.raises(Refused):
            Filter(Pure(1)).admits(loss)  # type: ignore[arg-type]  # likewise


def test_it_reads_well() -> None:
    account = Filter(Zcdp("0.3", "1e-6")).charge(Zcdp("0.1"))
    assert str(account) == "ρ = 0.1 of ρ = 0.3, δ = 1e-06"
    assert isinstance(account.currency, Currency)
    assert str(account.currency) == "zCDP (ρ, δ) by sums"
    assert [str(Filter(budget).currency) for budget in (Pure(1), Approx(1, 0), Gdp(1), Rdp({2: 1}))] == [
        "pure ε by sums",
        "(ε, δ) by sums",
        "Gaussian μ² by sums",
        "Rényi divergence of order 2 by sums",
    ]
