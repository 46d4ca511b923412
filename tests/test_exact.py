"""Parameters come in exactly, or not at all (R08, R35)."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import Failed, Refused
from tacit.exact import exact, nonnegative, positive, probability, proper, whole

READABLE = [
    (0.1, Fraction(1, 10)),
    ("0.1", Fraction(1, 10)),
    ("1/3", Fraction(1, 3)),
    ("1e-7", Fraction(1, 10**7)),
    (Decimal("2.50"), Fraction(5, 2)),
    (Fraction(2, 7), Fraction(2, 7)),
    (np.int64(3), Fraction(3)),
    (np.float64(0.25), Fraction(1, 4)),
    (-4, Fraction(-4)),
]
HOSTILE = [
    float("nan"), float("inf"), -float("inf"), np.nan, Decimal("NaN"), Decimal("Infinity"), "nan", "inf", "1e999999999",
    "1e-999999999", "1/0", "", "ε", "0x10", None, True, False, np.True_, 1j, [1], 10**200, "import os",
]  # fmt: skip


@pytest.mark.parametrize(("written", "meant"), READABLE)
def test_a_number_is_what_was_written(written: object, meant: Fraction) -> None:
    assert exact(written, "epsilon") == meant  # type: ignore[arg-type]


@pytest.mark.parametrize("hostile", HOSTILE, ids=repr)
@pytest.mark.parametrize("read", [exact, positive, nonnegative, probability, proper, whole])
def test_what_is_no_finite_number_is_refused(read: object, hostile: object) -> None:
    if read is whole and type(hostile) is int:
        assert whole(10**200, "n") == 10**200  # integers have no end
        return
    with pytest.raises(Refused):
        read(hostile, "epsilon")  # type: ignore[operator]


def test_three_tenths_fit_into_three_tenths() -> None:
    """R35: 0.1 + 0.1 + 0.1 > 0.3 in floats, and is equal here."""
    assert 0.1 + 0.1 + 0.1 > 0.3
    assert sum((exact(0.1, "epsilon") for _ in range(3)), Fraction(0)) == exact(0.3, "epsilon")


@given(st.floats(allow_nan=False, allow_infinity=False, max_value=1e100, min_value=-1e100))
def test_a_float_comes_back_as_itself(value: float) -> None:
    assert float(exact(value, "x")) == value


@pytest.mark.parametrize(
    ("read", "value"),
    [(positive, 0), (positive, -1), (nonnegative, "-0.1"), (probability, 1.5), (proper, 0), (proper, 1), (whole, -1)],
)
def test_a_number_out_of_range_is_refused(read: object, value: object) -> None:
    with pytest.raises(Refused):
        read(value, "x")  # type: ignore[operator]


def test_a_refusal_says_what_why_and_what_would_be_accepted() -> None:
    with pytest.raises(Refused) as caught:
        positive(-1, "epsilon")
    assert str(caught.value) == "Refused: epsilon = -1. It must be greater than zero. Accepted: epsilon > 0."


def test_a_failure_has_one_constant_message() -> None:
    assert str(Failed()) == str(Failed())
    with pytest.raises(TypeError):
        Failed("a data value")  # type: ignore[call-arg]
