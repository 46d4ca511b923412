"""Values in whole steps: total on every number, in order, and never farther apart than the grid allows (R05, R07)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import Refused
from tacit.mechanisms.inputs import in_steps
from tacit.noise.grid import Grid

TOP = 2**62 - 1


@given(st.integers(-(2**80), 2**80), st.integers(0, 2**80))
def test_integers_keep_their_order_and_distance(value: int, distance: int) -> None:
    low, high = (int(in_steps(each, None)) for each in (value, value + distance))
    assert 0 <= high - low <= distance
    low, high = (int(step) for step in in_steps([value, value + distance], Grid(0)))
    assert 0 <= high - low <= distance


@given(st.floats(allow_nan=False), st.floats(allow_nan=False), st.integers(-30, 30))
def test_floats_keep_their_order(one: float, other: float, exponent: int) -> None:
    low, high = (int(step) for step in in_steps([min(one, other), max(one, other)], Grid(exponent)))
    assert -TOP <= low <= high <= TOP


def test_every_kind_of_number_is_taken() -> None:
    assert in_steps([2**63, -1], None).tolist() == [TOP, -1]
    assert in_steps(np.array([2**64 - 1, 3], np.uint64), None).tolist() == [TOP, 3]
    assert in_steps(np.uint64(5), None).shape == ()
    assert in_steps([np.int8(3), 4], None).tolist() == [3, 4]
    assert in_steps([math.nan, math.inf, -math.inf], Grid(0)).tolist() == [0, TOP, -TOP]
    assert in_steps([10**400, 0.5], Grid(-1)).tolist() == [2**54, 1]
    assert in_steps(np.array([0.5, 1], np.float32), Grid(-1)).tolist() == [1, 2]
    assert in_steps([], None).shape == (0,)


@pytest.mark.parametrize(
    "wrong",
    [
        "1",
        [True],
        [None],
        [1j],
        [[1], [2, 3]],
        [np.timedelta64(1)],
        np.ma.array([1]),
        np.array([True]),
        np.array(["a"]),
        None,
    ],
)
def test_what_is_no_number_is_refused(wrong: object) -> None:
    for grid in (None, Grid(0)):
        with pytest.raises(Refused):
            in_steps(wrong, grid)  # type: ignore[arg-type]  # that is the point
    with pytest.raises(Refused):
        in_steps([0.5], None)
