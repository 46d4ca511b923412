"""Optimal composition of different (ε, δ), against enumeration, equal parts and what is known to be above."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import Refused
from tacit.loss import Approx, Gdp, Pure, compose
from tacit.loss.pairs.optimal_composition import MixedApprox, optimal_composition
from tacit.loss.pairs.repeated_approx import RepeatedApprox

PARTS = st.lists(
    st.builds(
        Approx, st.fractions(0, 2, max_denominator=20), st.sampled_from([Fraction(0), Fraction(1, 100), Fraction(1, 7)])
    ),
    min_size=1,
    max_size=6,
)


def murtagh_vadhan(parts: list[Approx], target: Fraction) -> mpmath.mpf:
    """Their Theorem 1.5: a sum over all subsets, as it is written."""
    numbers = [mpmath.mpf(p.exact_epsilon.numerator) / p.exact_epsilon.denominator for p in parts]
    t = mpmath.mpf(target.numerator) / target.denominator
    total = mpmath.mpf(0)
    for signs in product((0, 1), repeat=len(parts)):
        inside = sum((e for e, s in zip(numbers, signs, strict=True) if s), mpmath.mpf(0))
        outside = sum((e for e, s in zip(numbers, signs, strict=True) if not s), mpmath.mpf(0))
        total += max(mpmath.mpf(0), mpmath.e**inside - mpmath.e ** (t + outside))
    total /= mpmath.fprod(1 + mpmath.e**e for e in numbers)
    kept = mpmath.fprod(1 - mpmath.mpf(p.exact_delta.numerator) / p.exact_delta.denominator for p in parts)
    return 1 - kept * (1 - total)


@settings(max_examples=60, deadline=None)
@given(PARTS, st.fractions(0, 4, max_denominator=30))
def test_the_curve_is_the_sum_over_subsets(parts: list[Approx], target: Fraction) -> None:
    with mpmath.workdps(50):
        truth = murtagh_vadhan(parts, target)
        low, high = MixedApprox(parts).delta_between(target)
        assert low <= truth + mpmath.mpf(10) ** -45
        assert high >= truth - mpmath.mpf(10) ** -45
        assert high - low <= 1e-15
        assert optimal_composition(parts).delta(target) == pytest.approx(high, abs=1e-15)


@settings(max_examples=60, deadline=None)
@given(PARTS, st.fractions(0, 1, max_denominator=40))
def test_epsilon_is_certified_and_least(parts: list[Approx], delta: Fraction) -> None:
    loss = MixedApprox(parts)
    found = loss.epsilon(delta)
    if found == math.inf:
        assert 1 - math.prod(1 - part.exact_delta for part in parts) > delta
    else:
        assert loss.delta_between(found)[0] <= delta
        if found > 1e-9:
            assert loss.delta_between(found * (1 - 1e-9))[1] > delta


@settings(max_examples=40, deadline=None)
@given(PARTS)
def test_it_is_never_above_the_sums(parts: list[Approx]) -> None:
    summed = compose(*parts)
    assert isinstance(summed, Approx)
    exact = optimal_composition(parts)
    assert exact.epsilon(summed.exact_delta) <= float(summed.exact_epsilon) * (1 + 1e-15)
    for target in (Fraction(0), Fraction(1, 2), Fraction(2)):
        assert exact.delta(target) <= summed.delta(target) * (1 + 1e-12)


@settings(max_examples=30, deadline=None)
@given(PARTS)
def test_its_other_currencies_are_above_it_and_add_up(parts: list[Approx]) -> None:
    exact = optimal_composition(parts)
    concentrated = exact.zcdp()
    assert concentrated.rho == sum(part.zcdp().rho for part in parts)
    for target in (Fraction(0), Fraction(1, 2), Fraction(2)):
        assert concentrated.delta(target) >= exact.delta_between(target)[0]
    if concentrated.exact_delta == 0:
        assert exact.gdp().mu_squared == sum(part.gdp().mu_squared for part in parts)
        for target in (Fraction(0), Fraction(1, 2), Fraction(2)):
            assert exact.gdp().delta(target) >= exact.delta_between(target)[0]
    else:
        with pytest.raises(Refused):
            exact.gdp()


def test_equal_parts_are_the_repeated_release() -> None:
    assert optimal_composition([Approx("0.1", "0.001")] * 30) == RepeatedApprox("0.1", "0.001", 30)
    assert MixedApprox([Approx("0.1", "0.001")] * 30).epsilon("0.035") == pytest.approx(1.157007168, abs=1e-9)


def test_steps_of_one_size_stay_cheap() -> None:
    """2^40 patterns, but only a few hundred total losses."""
    loss = MixedApprox([Pure(Fraction(1 + i % 4, 100)) for i in range(40)])
    assert len(loss.losses) == 101
    assert 0.05 < loss.epsilon("1e-3") < 1


def test_the_vertices_lie_on_the_curve() -> None:
    loss = MixedApprox([Approx("0.4", "0.1"), Approx("0.7", 0), Approx(1, "0.01")])
    for alarms, misses in loss.vertices():
        assert loss.tradeoff(alarms) == pytest.approx(misses, abs=1e-13)


def test_what_cannot_be_enumerated_is_refused() -> None:
    with pytest.raises(Refused, match="#P-hard"):
        MixedApprox([Pure(Fraction(1, 100 + 7 * i)) for i in range(30)])
    with pytest.raises(Refused, match="#P-hard"):
        MixedApprox([*[Pure(1)] * 400, *[Pure("0.123")] * 400])
    with pytest.raises(Refused):
        optimal_composition([Gdp(1)])  # type: ignore[list-item]  # that is the point


def test_nothing_costs_nothing() -> None:
    assert optimal_composition([]).delta(0) == 0.0
    assert optimal_composition([]).epsilon(0) == 0.0
    loss = MixedApprox([Pure(1), Approx("0.5", "0.1")])
    slack, rest = loss.core()
    assert slack >= Fraction(1, 10)
    assert rest.epsilon(0) == 1.5
    assert loss.rdp(2) == math.inf
    assert rest.rdp(2) == pytest.approx(Pure(1).rdp(2) + Pure("0.5").rdp(2))
