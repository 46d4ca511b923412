"""Records are read for themselves, by functions that cannot fail."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import Refused
from tacit.mechanisms.inputs import count_keys, in_key_order, key_text, present, read_key, reals, total

ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(10**300, 10**320),
    st.floats(),
    st.text(st.characters()),
    st.binary(),
    st.complex_numbers(),
    st.decimals(allow_nan=True),
    st.fractions(),
    st.dates(),
    st.lists(st.integers(), max_size=2),
    st.builds(np.float32, st.floats(width=32)),
    st.builds(np.longdouble, st.floats()),
    st.builds(np.int8, st.integers(-128, 127)),
)


@given(st.lists(ANYTHING, max_size=12), ANYTHING)
def test_no_record_changes_how_another_is_read(records: list[object], another: object) -> None:
    """R22, R26: whatever is in the list, adding one record adds what that record alone would give."""
    alone, before, after = reals([another]), reals(records), reals([*records, another])
    assert np.array_equal(after, [*before, *alone], equal_nan=True)
    assert present([*records, another]) == present(records) + present([another])
    assert count_keys([*records, another]) == count_keys(records) + count_keys([another])
    assert present([another]) in (0, 1)
    assert sum(count_keys([another]).values()) in (0, 1)
    assert in_key_order(count_keys(records)) == in_key_order(reversed(list(count_keys(records))))


def test_numbers_of_every_kind() -> None:
    given_ = [1, 2.5, True, Fraction(1, 4), Decimal("0.5"), np.float32(3), 10**400, -(10**400), Decimal("sNaN"), None]
    expected = [1, 2.5, 1, 0.25, 0.5, 3, math.inf, -math.inf, math.nan, math.nan]
    assert np.array_equal(reals(given_), expected, equal_nan=True)
    assert np.array_equal(reals(np.array(given_, object)), expected, equal_nan=True)
    assert reals(np.array([2**64 - 1], np.uint64))[0] == 2.0**64


@given(st.lists(st.integers(-(2**62), 2**62), max_size=50))
def test_totals_are_exact(integers: list[int]) -> None:
    assert total(np.array(integers, np.int64)) == sum(integers)


@given(st.lists(st.one_of(st.integers(-5, 5), st.booleans()), max_size=30))
def test_arrays_and_lists_hold_the_same_keys(items: list[int]) -> None:
    assert count_keys(items) == count_keys(np.array([int(item) for item in items], np.int64))
    assert count_keys([str(item) for item in items]) == count_keys(np.array([str(item) for item in items], np.str_))
    assert count_keys(np.array(items, np.float64) + 0.0) == count_keys(items)


def test_keys_print_on_one_line() -> None:
    printed = {7: "7", "é": "é", "": "''", " x": "' x'", "a\tb": "'a\\tb'", "\ud800": "'\\ud800'"}
    assert {key: key_text(key) for key in printed} == printed


@pytest.mark.parametrize("dtype", ["datetime64[s]", "complex128", "S3", "V2"])
def test_types_that_are_no_numbers_are_refused(dtype: str) -> None:
    with pytest.raises(Refused):
        reals(np.zeros(2, dtype))
    with pytest.raises(Refused):
        count_keys(np.zeros(2, dtype))


class Odd(int):
    """A record whose type is its own, and whose text would tell."""

    def __float__(self) -> float:
        raise RuntimeError("secret")

    __int__ = __float__  # type: ignore[assignment]  # both raise


def test_a_record_of_a_type_of_its_own_is_missing() -> None:
    for odd in (Odd(3), np.timedelta64(3, "D"), np.timedelta64(3), Decimal("sNaN")):
        assert np.isnan(reals([odd, 1.0])).tolist() == [True, False]
        assert read_key(odd) is None
