"""Certified reals: the direction of every rounding, and decisions that wait until they are certain."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from tacit.noise.ball import ball, between, down, first_true, fraction_down, fraction_up, less, precision, up

fractions = st.fractions(min_value=-(10**9), max_value=10**9, max_denominator=10**9)


@given(fractions)
def test_floats_bracket_the_number_closely_as_dyadics_and_as_the_decimals_they_are_written_as(value: Fraction) -> None:
    with precision(256):
        high, low = up(ball(value)), down(ball(value))
    assert Fraction(low) <= value <= Fraction(high)
    assert Fraction(repr(low)) <= value <= Fraction(repr(high))
    assert high - low <= 3 * math.ulp(max(abs(high), abs(low)))


@given(fractions, st.integers(2, 100))
def test_fractions_bracket_the_ball_within_the_bits_asked(value: Fraction, bits: int) -> None:
    with precision(256):
        high, low = fraction_up(ball(value), bits), fraction_down(ball(value), bits)
    assert low <= value <= high
    assert high - low <= abs(value) * Fraction(4, 1 << bits)


def test_what_is_not_finite_rounds_to_the_far_side() -> None:
    assert up(arb("nan")) == math.inf
    assert down(arb("nan")) == -math.inf
    assert up(arb(10) ** 400) == math.inf
    assert down(arb(10) ** 400) <= 1.7976931348623157e308


def test_the_precision_is_restored_even_after_an_error() -> None:
    before = ctx.prec
    with pytest.raises(ValueError, match="1000"), precision(1000):
        raise ValueError(str(ctx.prec))
    assert ctx.prec == before


def test_threads_do_not_see_each_others_precision() -> None:
    def seen(bits: int) -> bool:
        for _ in range(200):
            with precision(bits):
                if ctx.prec != bits or arb(2).sqrt().rel_accuracy_bits() < bits - 4:
                    return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(seen, [64, 100, 500, 1000] * 4))


def test_less_goes_on_until_it_is_certain() -> None:
    close = Fraction(1, 3) + Fraction(1, 10**300)
    assert less(lambda: ball(Fraction(1, 3)), lambda: ball(close))
    assert not less(lambda: ball(close), lambda: ball(Fraction(1, 3)))
    assert not less(lambda: ball(2), lambda: ball(2))


def test_between_holds_both_ends() -> None:
    joined = between(ball(1), ball(3))
    assert all(joined.contains(ball(value)) for value in (1, 2, 3))


@given(st.integers(-50, 50), st.integers(0, 10**12))
def test_first_true_finds_the_least(low: int, distance: int) -> None:
    assert first_true(lambda x: x >= low + distance, low) == low + distance
