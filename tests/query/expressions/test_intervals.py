"""Interval arithmetic holds every value it should, and its ends are reached."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.query.sql.values.exact_intervals import Interval, doubles, hull, quotient, widened

_NUMBERS = st.fractions(-50, 50, max_denominator=12)


@st.composite
def _interval_and_point(draw: st.DrawFn) -> tuple[Interval, Fraction]:
    low, point, high = sorted(draw(st.tuples(_NUMBERS, _NUMBERS, _NUMBERS)))
    is_open = draw(st.tuples(st.booleans(), st.booleans()))
    return Interval(None if is_open[0] else low, None if is_open[1] else high), point


@given(_interval_and_point(), _interval_and_point(), st.integers(0, 5))
def test_every_result_lies_inside(
    first: tuple[Interval, Fraction], second: tuple[Interval, Fraction], exponent: int
) -> None:
    """R16: whatever values two expressions have within their bounds, the result is within the computed ones."""
    (a, x), (b, y) = first, second
    assert (a + b).holds(x + y)
    assert (a - b).holds(x - y)
    assert (a * b).holds(x * y)
    assert (-a).holds(-x)
    assert abs(a).holds(abs(x))
    assert (a**exponent).holds(x**exponent)
    assert hull((a, b)).holds(x)
    assert hull((a, b)).holds(y)
    if y != 0:
        assert quotient(a, b, None).holds(x / y)
        assert quotient(a, b, Fraction(1, 12)).holds(x / y) or abs(y) < Fraction(1, 12)


@given(_interval_and_point())
def test_rounding_to_doubles_keeps_the_rounded_value_inside(given_interval: tuple[Interval, Fraction]) -> None:
    """Ends are rounded as the values are; `widened` leaves room for a library's last digit."""
    bounds, value = given_interval
    assert doubles(bounds).holds(Fraction(float(value)))
    assert widened(bounds).holds(value)


@pytest.mark.parametrize(
    ("a", "b", "least", "low", "high"),
    [
        ((0, 20), (0, 4), 1, 0, 20),
        ((-20, 20), (-4, 4), 1, -20, 20),
        ((1, 20), (2, 4), None, Fraction(1, 4), 10),
        ((1, 20), (0, 4), None, 0, None),
        ((-1, 20), (0, 4), None, None, None),
        ((1, 20), (-4, 0), None, None, 0),
        ((0, 20), (0, None), 1, 0, 20),
    ],
)
def test_quotients_are_as_tight_as_the_divisor_allows(
    a: tuple[int, int], b: tuple[int, int | None], least: int | None, low: object, high: object
) -> None:
    """The smallest step of an integer divisor bounds the quotient; a float divisor near 0 does not."""
    end = None if b[1] is None else Fraction(b[1])
    found = quotient(Interval(Fraction(a[0]), Fraction(a[1])), Interval(Fraction(b[0]), end), least and Fraction(least))
    assert (found.low, found.high) == (low, high)


def test_a_bound_beyond_doubles_is_no_bound() -> None:
    """What doubles cannot hold is unbounded, and guarded in SQL."""
    assert doubles(Interval(Fraction(0), Fraction(10) ** 400)) == Interval(Fraction(0), None)
