"""Sums of rational powers of e: their arithmetic, and signs that no float could tell."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.loss.pairs.neyman_pearson import ExponentialSum

small = st.fractions(min_value=-3, max_value=3, max_denominator=6)
sums = st.builds(ExponentialSum.of, st.lists(st.tuples(small, small), max_size=5))


def value(found: ExponentialSum) -> float:
    return sum(float(c) * math.exp(r) for r, c in found.terms)


@given(sums, sums)
def test_arithmetic_is_that_of_the_numbers(left: ExponentialSum, right: ExponentialSum) -> None:
    assert value(left + right) == pytest.approx(value(left) + value(right), abs=1e-9)
    assert value(left - right) == pytest.approx(value(left) - value(right), abs=1e-9)
    assert value(left * right) == pytest.approx(value(left) * value(right), abs=1e-9, rel=1e-9)
    assert left - left == ExponentialSum(())
    assert (left - right).is_positive() == (value(left) - value(right) > 1e-9) or abs(value(left) - value(right)) < 1e-9


@given(sums)
def test_zero_is_told_from_nearly_zero(found: ExponentialSum) -> None:
    tiny = ExponentialSum.of([(Fraction(0), Fraction(1, 10**40))])
    assert not (found - found).is_positive()
    assert (found - found + tiny).is_positive()
    assert not (found - tiny - found).is_positive()


@given(sums, small)
def test_rational_ratios_are_found(found: ExponentialSum, number: Fraction) -> None:
    if found.terms:
        assert found.scaled(number).share_of(found) == number
        assert found.scaled(Fraction(1), number).log_ratio_to(found) == number


def test_irrational_ratios_are_not() -> None:
    one, e = ExponentialSum.of([(Fraction(0), Fraction(1))]), ExponentialSum.of([(Fraction(1), Fraction(1))])
    assert e.share_of(one) is None
    assert (e + e).log_ratio_to(one) is None
    assert (one + e).share_of(one + e + e) is None
    assert (one + e).log_ratio_to(one + e * e) is None
