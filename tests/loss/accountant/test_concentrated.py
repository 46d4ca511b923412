"""The least zCDP of a plan: against enumeration at all orders, both ways round, and never below what must hold."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from tacit.errors import Refused
from tacit.loss import (
    Approx,
    Atom,
    DiscreteLaplacePair,
    Filter,
    FinitePair,
    Gdp,
    Loss,
    Pure,
    Zcdp,
    account,
    binary_response,
    fixed_size,
    gaussian_variance,
    kary_response,
    poisson,
    rho_between,
    zcdp_of,
)
from tacit.loss.accountant.truncation import Clipped, clip
from tacit.loss.distributions.step import Array

ORDERS = 1 + np.geomspace(1e-4, 1e5, 400)
STEPS = (poisson(Gdp(1 / Fraction("2.289") ** 2), Fraction(1, 32)), 320)
LEANING = FinitePair((Atom(*map(Fraction, (3, 0, 1, 0))), Atom(*map(Fraction, (1, 0, 8, 0)))))


def coin(epsilon: float) -> tuple[Array, Array]:
    heads = np.exp(epsilon) / (1 + np.exp(epsilon))
    return np.array([heads, 1 - heads]), np.array([1 - heads, heads])


def options(epsilon: float, count: int) -> tuple[Array, Array]:
    p = np.full(count, 1.0)
    p[0] = np.exp(epsilon)
    return p / p.sum(), np.roll(p, 1) / p.sum()


def geometric(rate: float, shift: int) -> tuple[Array, Array]:
    """Discrete Laplace against itself, its equal ratios merged."""
    k = np.arange(shift + 1)
    end, inner = 1 / (1 + np.exp(-rate)), np.tanh(rate / 2)
    p = np.exp(-rate * k) * np.where((k == 0) | (k == shift), end, inner)
    return p, p[::-1]


def sampled(pair: tuple[Array, Array], rate: float) -> tuple[Array, Array]:
    return (1 - rate) * pair[1] + rate * pair[0], pair[1]


def power(pair: tuple[Array, Array], times: int) -> tuple[Array, Array]:
    p, q = np.ones(1), np.ones(1)
    for _ in range(times):
        p, q = np.outer(p, pair[0]).ravel(), np.outer(q, pair[1]).ravel()
    return p, q


def cut(p: Array, q: Array, delta: float) -> Array:
    """P less the δ of it that exceeds Q most: min(P, e^c·Q) with c by bisection."""
    low, high = 0.0, 50.0
    for _ in range(200):
        middle = (low + high) / 2
        inside = np.maximum(p - np.exp(middle) * q, 0).sum() <= delta
        low, high = (low, middle) if inside else (middle, high)
    return np.minimum(p, np.exp(high) * q)


def exact_rho(p: Array, q: Array, delta: float) -> float:
    """The largest D_α/α of the two laws once each is cut and normalised: orders on a grid, α → 1 and α → ∞."""
    left_p, left_q = cut(p, q, delta), cut(q, p, delta)
    a, b = left_p / left_p.sum(), left_q / left_q.sum()
    found = []
    for one, other in ((a, b), (b, a)):
        ratio = np.log(one / other)
        found.append(float((one * ratio).sum()))  # α → 1
        assert np.log(np.exp(ORDERS[-1] * (ratio - ratio.max()))[ratio == ratio.max()]).max() == 0  # α → ∞: D_∞/∞
        for order in ORDERS:
            exponents = np.log(one) + (order - 1) * ratio
            top = exponents.max()
            found.append((top + np.log(np.exp(exponents - top).sum())) / (order - 1) / order)
    return max(found)


CASES: list[tuple[Loss, Callable[[], tuple[Array, Array]], int]] = [
    (binary_response(1), lambda: coin(1), 4),
    (kary_response(2, 3), lambda: options(2, 3), 4),
    (poisson(binary_response(2), "0.3"), lambda: sampled(coin(2), 0.3), 6),
    (poisson(Pure(1), "0.1"), lambda: sampled(coin(1), 0.1), 8),
    (poisson(kary_response(2, 3), "0.2"), lambda: sampled(options(2, 3), 0.2), 5),
    (poisson(DiscreteLaplacePair("0.5", 3), "0.25"), lambda: sampled(geometric(0.5, 3), 0.25), 5),
    (LEANING, lambda: (np.array([3, 1]) / 4, np.array([1, 8]) / 9), 4),
]


@pytest.mark.parametrize("delta", ["1e-2", "1e-4", "1e-6"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case[0]))
def test_it_is_not_below_what_enumeration_finds_and_hardly_above(
    case: tuple[Loss, Callable[[], tuple[Array, Array]], int], delta: str
) -> None:
    loss, pair, times = case
    p, q = power(pair(), times)
    truth = exact_rho(p, q, float(delta))
    found = zcdp_of([(loss, times)], delta) if loss is not LEANING else _leaning(times, delta)
    assert truth * (1 - 1e-9) <= float(found.rho)
    assert found.exact_delta <= Fraction(delta)
    if found.exact_delta:
        assert float(found.rho) <= 1.06 * truth
    for epsilon in (0.05, 0.2, 0.5, 1.0, 2.0, 4.0):
        hockey = max(np.maximum(p - np.exp(epsilon) * q, 0).sum(), np.maximum(q - np.exp(epsilon) * p, 0).sum())
        assert hockey <= Zcdp(found.rho, found.exact_delta).delta(epsilon) + 1e-12


def _leaning(times: int, delta: str) -> Zcdp:
    from tacit.loss.accountant.concentrated import _least_rho

    numeric = account([(LEANING, times)], same_world=True).numeric
    share = float(delta)
    return Zcdp(Fraction(_least_rho(clip(numeric.steps, numeric.grid(share, 1e-3), share))), delta)


def test_a_twin_that_looks_one_way_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The two directions of the leaning table differ, and one of them alone is not enough."""
    forward = _one_way(monkeypatch)
    p, q = power((np.array([3, 1]) / 4, np.array([1, 8]) / 9), 4)
    worse = exact_rho(p, q, 1e-4)
    assert min(forward(1.0), forward(-1.0)) < 0.99 * worse < worse <= float(_leaning(4, "1e-4").rho)


def _one_way(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], float]:
    honest = Clipped.divergence

    def rho(sign: float) -> float:
        def alone(self: Clipped, order: float) -> float:
            own = self.p if sign > 0 else self.q
            moment = float((own * np.exp((order - 1) * sign * self.ratios)).sum())
            return float(np.log(moment)) / (order - 1)

        monkeypatch.setattr(Clipped, "divergence", alone)
        found = float(_leaning(4, "1e-4").rho)
        monkeypatch.setattr(Clipped, "divergence", honest)
        return found

    return rho


def test_a_plan_that_is_not_cut_has_no_such_rho() -> None:
    """Uncut, the sampled steps need 320/2σ² = 30.5: the binding order is infinite."""
    loss, times = STEPS
    with pytest.raises(Refused):
        loss.zcdp()
    assert times * float(Gdp(1 / Fraction("2.289") ** 2).mu_squared) / 2 > 30
    assert loss.rdp(4000) * times / 4000 > 20


@pytest.mark.parametrize("delta", ["1e-5", "1e-6", "1e-7", "1e-8"])
def test_sampled_steps_cost_what_the_gaussian_of_equal_promise_does(delta: str) -> None:
    """(1, 1e-5)-private steps; 0.46 through ε and 30.5 unsampled."""
    assert account([STEPS]).epsilon("1e-5").upper <= 1
    gaussian = 1 / (2 * gaussian_variance(Approx(1, "1e-5")))
    found = rho_between([STEPS], delta)
    assert Fraction(found.upper) <= Fraction(101, 100) * gaussian
    assert 0.8 * found.upper <= found.lower <= found.upper
    assert zcdp_of([STEPS], delta).epsilon("1e-5" if delta != "1e-5" else "2e-5") <= 1.2


def test_no_order_is_missed() -> None:
    """Between the orders tried, on a grid fifty times as fine."""
    loss, times = STEPS
    numeric = account([(loss, times)]).numeric
    clipped, rho = clip(numeric.steps, numeric.grid(1e-6, 1e-3), 1e-6), float(zcdp_of([STEPS], "1e-6").rho)
    assert all(clipped.divergence(order) <= rho * order for order in 1 + np.geomspace(1e-3, 1e3, 8000))
    assert clipped.largest <= rho * 1e3


def test_an_account_takes_the_plan_as_one_charge() -> None:
    """The whole clinic's budget, of which the unsampled ρ would be a hundred times the whole."""
    budget = Filter(Zcdp("0.261", "2.5e-6"))
    plan = zcdp_of([STEPS], "1e-6")
    assert budget.charge(plan).spent == plan
    assert budget.how_many_more(plan) == 2  # by its δ


def test_what_needs_no_delta_keeps_its_own_rho() -> None:
    assert zcdp_of([(Gdp("0.1"), 3)], "1e-6") == Zcdp("0.15")
    assert zcdp_of([(Zcdp("0.1"), 3), (Gdp("0.25"), 1)], "1e-6") == Zcdp("0.425")
    assert zcdp_of([], "1e-6") == Zcdp(0)


def test_the_lower_end_allows_the_whole_tail() -> None:
    """A coin's own ρ needs no δ, and with a large one much less is enough: the lower end must say so."""
    found = rho_between([(binary_response(1), 4)], "1e-2")
    assert found.lower <= exact_rho(*power(coin(1), 4), 1e-2) <= found.upper


def test_mixed_plans_and_fixed_size_samples() -> None:
    found = zcdp_of([(fixed_size(Gdp(1), "0.01"), 1000), (Gdp("0.01"), 3)], "1e-6")
    assert 0.1 < float(found.rho) < 0.2
    with pytest.raises(Refused, match="under both"):
        zcdp_of([(fixed_size(Gdp(1), "0.01"), 1), STEPS], "1e-6")


def test_what_gives_everything_away_more_often_is_refused() -> None:
    for parts in ([(poisson(Approx("0.1", "1e-3"), "0.5"), 2)], [(Zcdp(1, "1e-5"), 1)]):
        with pytest.raises(Refused):
            zcdp_of(parts, "1e-6")
