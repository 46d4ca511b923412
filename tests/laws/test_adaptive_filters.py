"""An analyst who chooses every release, and its price, after seeing the earlier answers, against each filter (R36)."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache, lru_cache

import numpy as np
import pytest
from tests.laws.adversary import Release, release_of, worst_delta, worst_moment, worst_overrun

from tacit.errors import Refused
from tacit.loss import Approx, FinitePair, Gdp, Pure, Rdp, Zcdp, binary_response, forced_response, optimal_response
from tacit.loss.filters.privacy_filter import Filter, Odometer
from tacit.loss.pairs.symmetric_tables import symmetric_product, table_of

TARGETS = (0.0, 0.2, 0.5, 0.9, 1.3)


def coin(epsilon: str) -> Release:
    return release_of(Pure(epsilon), binary_response(epsilon))


def response(epsilon: str, delta: str) -> Release:
    return release_of(Approx(epsilon, delta), optimal_response(epsilon, delta))


DIE = forced_response("1/2", "3/8", "1/8")  # its two directions differ
DICE = [release_of(Pure(DIE.epsilon(0)), DIE), release_of(Pure(DIE.epsilon(0)), DIE, turned=True)]
COINS = [coin("0.25"), coin("0.5"), coin("0.9")]
PURE_MENU = [*COINS, *DICE]
MENU = [*COINS, response("0", "0.05"), response("0.3", "0.02"), response("0.8", "0.1")]


@pytest.mark.parametrize("budget", ["1", "1.25", "1.8"])
def test_pure(budget: str) -> None:
    account = Filter(Pure(budget))
    for target in TARGETS:
        assert worst_delta(account, PURE_MENU, target, 4) <= Pure(budget).delta(target) + 1e-12
    assert worst_delta(account, PURE_MENU, float(budget), 6) <= 1e-12


@pytest.mark.parametrize(("epsilon", "delta"), [("1", "0.1"), ("1.3", "0.12"), ("0.6", "0.2")])
def test_basic(epsilon: str, delta: str) -> None:
    account = Filter(Approx(epsilon, delta))
    found = worst_delta(account, MENU, float(epsilon), 4)
    assert 0.8 * float(delta) < found <= float(delta) + 1e-12


@pytest.mark.parametrize(("rho", "delta"), [("0.3", "0"), ("0.5", "0.1"), ("0.6", "0.2")])
def test_zcdp(rho: str, delta: str) -> None:
    budget = Zcdp(rho, delta)
    for target in TARGETS:
        assert worst_delta(Filter(budget), MENU + DICE, target, 3) <= budget.delta(target) + 1e-12
    if budget.exact_delta == 0:
        for order in (1.01, 1.5, 2, 5, 30):
            found = worst_moment(Filter(budget), PURE_MENU, order, 5)
            assert found <= float(rho) * order + 1e-12


def test_the_zcdp_test_could_fail() -> None:
    """With coins that claim half their ρ the same enumeration exceeds the budget."""
    liars = [Release(Zcdp(one.claim.zcdp().rho / 2), one.outcomes) for one in COINS]
    assert worst_moment(Filter(Zcdp("0.4")), liars, 1.01, 5) > 0.4 * 1.01


@pytest.mark.parametrize("order", ["3/2", "2", "8"])
def test_renyi_at_one_order(order: str) -> None:
    budget = Rdp({order: "0.6"})
    account = Filter(budget)
    found = worst_moment(account, PURE_MENU, float(Fraction(order)), 6)
    assert 0.45 < found <= 0.6 + 1e-12
    for target in TARGETS:
        assert worst_delta(account, PURE_MENU, target, 3) <= budget.delta(target) + 1e-12


@pytest.mark.parametrize("squared", ["0.5", "1", "1.4"])
def test_gdp(squared: str) -> None:
    budget = Gdp(squared)
    for target in TARGETS:
        assert worst_delta(Filter(budget), PURE_MENU, target, 4) <= budget.delta(target) + 1e-12


def test_gaussians_split_by_what_was_seen() -> None:
    """Simulation: after a loss above its mean the analyst spends half of the rest, else a tenth, and at last the rest.

    The truth is exactly the Gaussian of the budget. 200,000 runs of a mean in [0, 1]: by Hoeffding it is off by more
    than 0.0076 with probability below 1e-9 in each direction.
    """
    runs, margin = 200_000, 0.0076
    rng = np.random.default_rng(11)
    left, loss = np.ones(runs), np.zeros(runs)
    for step in range(6):
        share = np.where(loss > 0.5 * (1 - left), 0.5, 0.1) if step < 5 else np.ones(runs)
        squared = left * share
        loss += squared / 2 + np.sqrt(squared) * rng.standard_normal(runs)
        left -= squared
    for target in (0.0, 0.5, 1.0):
        found = float(np.mean(np.maximum(0.0, -np.expm1(np.minimum(0.0, target - loss)))))
        assert abs(found - Gdp(1).delta(target)) <= margin


class NaturalFilter:
    """The broken twin: it admits while the exact privacy-loss distribution of the path is (ε, δ)-private."""

    def __init__(self, epsilon: str, delta: str, path: tuple[FinitePair, ...] = ()) -> None:
        self.epsilon, self.delta, self.path = epsilon, delta, path

    def admits(self, pair: FinitePair) -> bool:
        return _composed_satisfies((*self.path, pair), self.epsilon, self.delta)

    def charge(self, pair: FinitePair) -> NaturalFilter:
        return NaturalFilter(self.epsilon, self.delta, (*self.path, pair))


@lru_cache(maxsize=1000)
def _composed_satisfies(path: tuple[FinitePair, ...], epsilon: str, delta: str) -> bool:
    return symmetric_product(path).satisfies(epsilon, delta)


def test_the_natural_filter_is_not_valid() -> None:
    """First a coin of ε = 1/2. If it speaks for the person, then a coin of ε = 1; if not, a response that tells all
    with probability 0.179. On either path the composition is (1, 0.18)-private, exactly; the whole is (1, 0.246).
    """
    first, bold, tell = binary_response("1/2"), binary_response(1), table_of(Approx(0, "0.179"))
    assert tell is not None
    rule = NaturalFilter("1", "0.18").charge(first)
    assert rule.admits(bold)
    assert rule.admits(tell)
    assert not rule.charge(bold).admits(tell)

    starts = release_of(Pure("1/2"), first).outcomes
    follow = {True: release_of(Pure(1), bold).outcomes, False: release_of(Approx(0, "0.179"), tell).outcomes}
    reached = math.fsum(p * r * max(0.0, -math.expm1(1 - x - y)) for p, x in starts for r, y in follow[x > 0])
    assert reached == pytest.approx(0.2467, abs=1e-4)
    assert reached > 0.18 * 1.3


def test_enumeration_finds_the_natural_filters_fault_by_itself() -> None:
    """The same backward search, handed the natural rule, exceeds its δ; handed the valid rule, it never does."""
    tables = [binary_response("1/2"), binary_response(1), table_of(Approx(0, "0.179"))]
    pairs = [pair for pair in tables if pair is not None]
    outcomes = [release_of(Pure(0), pair).outcomes for pair in pairs]

    @cache
    def value(path: tuple[int, ...], gap: float) -> float:
        best = -math.expm1(gap) if gap < 0 else 0.0
        if len(path) == 3 or gap == -math.inf:
            return best
        rule = NaturalFilter("1", "0.18", tuple(pairs[i] for i in path))
        for i, pair in enumerate(pairs):
            if rule.admits(pair):
                after = tuple(sorted((*path, i)))
                best = max(best, math.fsum(p * value(after, round(gap - x, 12)) for p, x in outcomes[i]))
        return best

    assert value((), 1.0) > 0.24
    valid = [coin("1/2"), coin("1"), response("0", "0.179")]
    assert worst_delta(Filter(Approx(1, "0.18")), valid, 1.0, 4) <= 0.18 + 1e-12


def test_no_curve_is_taken_as_a_filter() -> None:
    with pytest.raises(Refused, match=r"2602\.06756"):
        Filter(symmetric_product([binary_response("1/2"), binary_response(1)]))


@pytest.mark.parametrize("order", ["2", "8"])
def test_a_renyi_odometer_is_right_at_all_times(order: str) -> None:
    slack = Fraction(1, 5)

    def read(state: Filter) -> float:
        return float(Odometer(state, slack).read().exact_epsilon)

    assert worst_overrun(Filter(Rdp({order: 3})), read, PURE_MENU, 4) <= 0.2 + 1e-12


def test_basic_and_zcdp_odometers_are_right_at_all_times() -> None:
    slack = Fraction(1, 10)

    def read(state: Filter) -> float:
        return float(Odometer(state, slack).read().exact_epsilon)

    found = worst_overrun(Filter(Approx(2, "0.15")), read, MENU, 4)
    assert 0.1 < found <= 0.15 + 1e-12
    assert worst_overrun(Filter(Zcdp(2, "0.1")), read, MENU, 4) <= 0.1 + 0.1 + 1e-12
    assert worst_overrun(Filter(Pure(2)), read, PURE_MENU, 4) == 0.0
    assert worst_overrun(Filter(Gdp(2)), read, PURE_MENU, 4) <= 0.1 + 1e-12


def test_a_zcdp_odometer_over_many_scales_and_its_broken_twin() -> None:
    """Gaussian steps over 40 doublings of Σρ; the twin reads the bound that holds at one time only.

    40,000 runs; by Hoeffding a frequency is off by more than 0.0161 with probability below 1e-9.
    """
    runs, margin, slack = 40_000, 0.0161, Fraction(1, 5)
    sums = [2.0 ** (n / 4 - 40) for n in range(161)]
    steps = np.diff([0.0, *sums])
    odometer = Odometer(Filter(Zcdp(1)), slack)
    readings, naive = [], []
    for total in sums:
        odometer = Odometer(Filter(Zcdp(1), (Fraction(total), Fraction(0))), slack)
        readings.append(float(odometer.read().exact_epsilon))
        naive.append(total + 2 * math.sqrt(total * math.log(5)))
    rng = np.random.default_rng(5)
    loss, over, over_naive = np.zeros(runs), np.zeros(runs, dtype=bool), np.zeros(runs, dtype=bool)
    for step, reading, twin in zip(steps, readings, naive, strict=True):
        loss += step + math.sqrt(2 * step) * rng.standard_normal(runs)
        over |= loss > reading
        over_naive |= loss > twin
    assert float(np.mean(over)) <= 0.2 + margin
    assert float(np.mean(over_naive)) > 0.2 + margin
