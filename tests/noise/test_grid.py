"""The public grid: rounding is exact, total, and moves no two values farther apart than the sensitivity says (R02)."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import Refused
from tacit.noise.grid import Grid, whole_steps_down, wrapped

TOP, BOTTOM = 2**63 - 1, -(2**63)
EXPONENTS = st.integers(-60, 60)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


def nearest(value: float | int, grid: Grid) -> int:
    """⌊x/step + ½⌋ in fractions, saturated."""
    return min(max(math.floor(Fraction(value) / grid.step + Fraction(1, 2)), BOTTOM), TOP)


@given(FLOATS, EXPONENTS)
def test_rounding_is_the_exact_one(value: float, exponent: int) -> None:
    grid = Grid(exponent)
    assert int(grid.round(value)) == nearest(value, grid)


@given(st.integers(BOTTOM, TOP), st.integers(-3, 60))
def test_integers_are_rounded_exactly_even_beyond_a_float(value: int, exponent: int) -> None:
    grid = Grid(exponent)
    assert int(grid.round(np.array([value]))[0]) == nearest(value, grid)
    assert int(grid.round(value)) == nearest(value, grid)


def test_neighbouring_integers_beyond_a_float_stay_neighbours() -> None:
    """Through a float 2^53 + 2 and 2^53 + 3 would become 2 steps apart."""
    pair = np.array([2**53 + 2, 2**53 + 3])
    assert np.diff(Grid(0).round(pair)) == 1
    assert np.diff(np.rint(pair.astype(float)))[0] == 2
    assert Grid(0).round(np.array([2**64 - 1], np.uint64)) == TOP


def moved_too_far(steps_of: object, low: Fraction, high: Fraction, grid: Grid) -> bool:
    assert callable(steps_of)
    moved = abs(int(steps_of(float(high))) - int(steps_of(float(low))))
    return moved > math.ceil(abs(high - low) / grid.step)


@given(st.fractions(-100, 100, max_denominator=64), st.fractions(-100, 100, max_denominator=64), st.integers(-5, 5))
def test_no_two_values_move_apart(first: Fraction, second: Fraction, exponent: int) -> None:
    grid = Grid(exponent)
    exactly = [Fraction(float(value)) for value in (first, second)]
    assert not moved_too_far(grid.round, *exactly, grid)


@given(FLOATS, FLOATS, EXPONENTS)
def test_no_two_floats_of_any_size_move_apart(first: float, second: float, exponent: int) -> None:
    grid = Grid(exponent)
    assert not moved_too_far(grid.round, Fraction(first), Fraction(second), grid)


def test_rounding_half_to_even_is_caught() -> None:
    assert moved_too_far(np.rint, Fraction(1, 2), Fraction(3, 2), Grid(0))


@given(st.integers(-1000, 1000), st.fractions(-50, 50, max_denominator=32), st.integers(-5, 5))
def test_rounding_commutes_with_whole_steps(steps: int, value: Fraction, exponent: int) -> None:
    grid = Grid(exponent)
    at = Fraction(float(value))
    assert int(grid.round(float(at + steps * grid.step))) == int(grid.round(float(at))) + steps


@pytest.mark.parametrize("dimension", [1, 2, 3])
@pytest.mark.parametrize("sensitivity", [Fraction(1, 4), Fraction(1), Fraction(5, 4), Fraction(2)])
def test_sensitivity_in_steps_by_brute_force(dimension: int, sensitivity: Fraction) -> None:
    """All moves of sixteenths of a step from all such places: the bounds hold, and the ℓ₁ bound is attained."""
    grid, limit = Grid(0), int(16 * sensitivity)
    moved = [0] * (limit + 1)
    for place, length, sign in product(range(16), range(limit + 1), (1, -1)):
        steps = abs(int(grid.round((place + sign * length) / 16)) - int(grid.round(place / 16)))
        moved[length] = max(moved[length], steps)
    farthest_l1 = farthest_l2 = 0
    for lengths in product(range(limit + 1), repeat=dimension):
        if sum(lengths) <= limit:
            farthest_l1 = max(farthest_l1, sum(moved[length] for length in lengths))
        if sum(length**2 for length in lengths) <= limit**2:
            farthest_l2 = max(farthest_l2, sum(moved[length] ** 2 for length in lengths))
    assert farthest_l1 == grid.l1_steps_up(sensitivity, dimension)
    assert farthest_l2 <= grid.l2_steps_up(sensitivity, dimension) ** 2


def test_sensitivity_that_forgets_the_rounding_is_caught() -> None:
    """Two coordinates moved by a quarter of a step each may both jump: ℓ₁ distance 2, not ⌈½⌉."""
    steps = Grid(0).round([0.25, 0.25]) - Grid(0).round([0.5, 0.5])
    assert np.abs(steps).sum() == 2 > math.ceil(Fraction(1, 2))
    assert Grid(0).l1_steps_up(Fraction(1, 2), 2) == 2


def test_everything_is_rounded_to_something() -> None:
    poison = np.array([np.nan, np.inf, -np.inf, -0.0, 1e308, -1e308, 5e-324])
    for exponent in (-200, -3, 0, 7, 200):
        steps = Grid(exponent).round(poison)
        assert steps.dtype == np.int64
        assert steps[0] == steps[3] == 0
        assert list(steps[1:3]) == [TOP, BOTTOM]
        assert steps[4] == nearest(1e308, Grid(exponent))
    assert Grid(0).round([]).size == 0
    assert Grid(0).round(np.float32(2.5)) == 3


@given(st.fractions(Fraction(1, 10**30), 10**30))
def test_the_coarsest_grid_below(size: Fraction) -> None:
    step = Grid.below(size).step
    assert step <= size < 2 * step


@given(st.integers(-(2**53), 2**53), EXPONENTS)
def test_places_are_multiples_of_the_step(steps: int, exponent: int) -> None:
    grid = Grid(exponent)
    assert Fraction(grid.place_one(steps)) == steps * grid.step
    assert Fraction(float(grid.place(np.array([steps]))[0])) == steps * grid.step


def test_refusals() -> None:
    for exponent in (-201, 201):
        with pytest.raises(Refused):
            Grid(exponent)
    for size in (0, -1, float("nan"), float("inf"), True):
        with pytest.raises(Refused):
            Grid.below(size)
    with pytest.raises(Refused):
        Grid(0).round(np.array([1.5], np.longdouble))
    assert whole_steps_down(Fraction(7, 2)) == 3


@pytest.mark.parametrize("exponent", [0.5, True, "a", None, float("nan"), 201, -201])
def test_exponents_are_whole(exponent: int) -> None:
    with pytest.raises(Refused):
        Grid(exponent)


def test_a_numpy_exponent_is_a_plain_one() -> None:
    assert type(Grid(np.int64(-4)).exponent) is int


def test_draws_beyond_a_word_wrap_and_are_not_cut() -> None:
    """What is added modulo 2^64 hides behind noise of any size; noise that was cut would show it as it is."""
    wide = np.array([1 << 70, -(1 << 70) - 5, (1 << 63) + 1, -3], object)
    assert wrapped(wide).tolist() == [0, -5, 1 - (1 << 63), -3]
    moved = wrapped(wide) + np.array([7, 7, 7, 7])
    assert moved.tolist() == wrapped(wide + 7).tolist()
