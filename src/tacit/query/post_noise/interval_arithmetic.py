"""Arithmetic and comparisons of estimates: points as SQL computes them, intervals that hold every possible value.

Claim: if each operand's interval holds its true value, the result's interval holds the true result, unless that is
NULL. A quotient, root or logarithm has no point where its operand's interval leaves it undefined or unbounded. A
comparison has the result for the values, and the results that the intervals permit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.query.post_noise.estimates import Estimates, Floats


def constant(value: float, size: int, *, whole: bool = False) -> Estimates:
    """The same exact number in every row; nan is NULL, whose interval is unbounded."""
    points = np.full(size, value, np.float64)
    if np.isnan(value):
        return Estimates(points, np.full(size, -np.inf), np.full(size, np.inf), whole)
    return Estimates(points, points, points, whole)


def add(a: Estimates, b: Estimates) -> Estimates:
    return Estimates(a.value + b.value, a.low + b.low, a.high + b.high, a.whole and b.whole)


def negate(a: Estimates) -> Estimates:
    return Estimates(-a.value, -a.high, -a.low, a.whole)


def subtract(a: Estimates, b: Estimates) -> Estimates:
    return add(a, negate(b))


def multiply(a: Estimates, b: Estimates) -> Estimates:
    low, high = _hull([_product(x, y) for x in (a.low, a.high) for y in (b.low, b.high)])
    return Estimates(a.value * b.value, low, high, a.whole and b.whole)


def divide(a: Estimates, b: Estimates) -> Estimates:
    """a / b; without a value where b may be 0, since b may then be arbitrarily small, or 0."""
    upward, downward = b.low > 0, b.high < 0
    touches_up, touches_down = b.low == 0, b.high == 0
    some = (b.low < 0) & (b.high > 0) | touches_up & touches_down
    inverse_low = np.where(touches_down, -np.inf, 1 / np.where(b.high == 0, 1.0, b.high))
    inverse_high = np.where(touches_up, np.inf, 1 / np.where(b.low == 0, 1.0, b.low))
    low, high = _hull([_product(x, y) for x in (a.low, a.high) for y in (inverse_low, inverse_high)])
    corners_low, corners_high = _hull([x / y for x in (a.low, a.high) for y in (b.low, b.high)])
    clear = (upward | downward) & np.isfinite(corners_low) & np.isfinite(corners_high)
    low, high = np.where(clear, corners_low, low), np.where(clear, corners_high, high)
    value = np.where(upward | downward, a.value / b.value, np.nan)
    return Estimates(value, np.where(some, -np.inf, low), np.where(some, np.inf, high))


def absolute(a: Estimates) -> Estimates:
    low, high = np.abs(a.low), np.abs(a.high)
    nearest = np.where((a.low <= 0) & (a.high >= 0), 0.0, np.minimum(low, high))
    return Estimates(np.abs(a.value), nearest, np.maximum(low, high), a.whole)


def root(a: Estimates) -> Estimates:
    """√a, with no point where a may be negative only."""
    value = np.where(a.value >= 0, np.sqrt(np.maximum(a.value, 0)), np.nan)
    high = np.where(a.high >= 0, np.sqrt(np.maximum(a.high, 0)), np.inf)
    return Estimates(value, np.sqrt(np.maximum(a.low, 0)), high)


def logarithm(a: Estimates) -> Estimates:
    value = np.where(a.value > 0, np.log(np.where(a.value > 0, a.value, 1.0)), np.nan)
    low = np.where(a.low > 0, np.log(np.where(a.low > 0, a.low, 1.0)), -np.inf)
    return Estimates(value, low, np.where(a.high > 0, np.log(np.where(a.high > 0, a.high, 1.0)), np.inf))


def rising(function: Callable[[Floats], Floats], *, whole: bool = False) -> Callable[[Estimates], Estimates]:
    """The operation of an increasing function, applied to both ends."""
    return lambda a: Estimates(function(a.value), function(a.low), function(a.high), whole)


def greatest(*columns: Estimates) -> Estimates:
    """The greatest operand that is not NULL, as in DuckDB; an operand that may be NULL does not raise the lower end."""
    value, low, high = columns[0].value, _floor(columns[0]), columns[0].high
    for other in columns[1:]:
        value, low = np.fmax(value, other.value), np.maximum(low, _floor(other))
        high = np.maximum(high, other.high)
    return Estimates(value, low, high, all(column.whole for column in columns))


def least(*columns: Estimates) -> Estimates:
    return negate(greatest(*(negate(column) for column in columns)))


def rounded(a: Floats, digits: int = 0) -> Floats:
    """Rounded to so many digits after the point, halves away from zero as DuckDB's ROUND does."""
    if digits == 0:
        down = np.floor(np.abs(a))
        return np.where(np.isfinite(a), np.copysign(down + (np.abs(a) - down >= 0.5), a), a)
    scale = 10.0 ** abs(digits)
    moved = a * scale if digits > 0 else a / scale
    back = rounded(moved) / scale if digits > 0 else rounded(moved) * scale
    return np.where(np.isfinite(moved), back, a)


def _floor(a: Estimates) -> Floats:
    return np.where(np.isnan(a.value), -np.inf, a.low)


def _product(x: Floats, y: Floats) -> Floats:
    """x·y, where 0 times anything (even ∞) is 0."""
    return np.where((x == 0) | (y == 0), 0.0, x * y)


def _hull(corners: list[Floats]) -> tuple[Floats, Floats]:
    stacked = np.stack(corners)
    unknown = np.isnan(stacked).any(axis=0)
    low, high = stacked.min(axis=0, initial=np.inf), stacked.max(axis=0, initial=-np.inf)
    return np.where(unknown, -np.inf, low), np.where(unknown, np.inf, high)


Bools: TypeAlias = NDArray[np.bool_]


@frozen(eq=False)
class Truth:
    """A column of SQL's three truth values: the result for the values, and the results that the intervals permit.

    Where a row is neither true nor false it is NULL. The result for the values is always among those permitted.
    """

    true: Bools
    false: Bools
    may_true: Bools
    may_false: Bools
    may_null: Bools

    @classmethod
    def exactly(cls, true: Bools, false: Bools) -> Truth:
        return cls(true, false, true, false, ~(true | false))

    def __invert__(self) -> Truth:
        return Truth(self.false, self.true, self.may_false, self.may_true, self.may_null)

    def __and__(self, other: Truth) -> Truth:
        unsure = (self.may_null & (other.may_null | other.may_true)) | (other.may_null & self.may_true)
        return Truth(
            self.true & other.true,
            self.false | other.false,
            self.may_true & other.may_true,
            self.may_false | other.may_false,
            unsure,
        )

    def __or__(self, other: Truth) -> Truth:
        return ~(~self & ~other)


def less(left: Estimates, right: Estimates) -> Truth:
    """left < right."""
    return _compared(left, right, left.value < right.value, (left.low < right.high), (left.high >= right.low))


def at_most(left: Estimates, right: Estimates) -> Truth:
    """left ≤ right."""
    return ~less(right, left)


def equal(left: Estimates, right: Estimates) -> Truth:
    """left = right."""
    meet = (left.low <= right.high) & (right.low <= left.high)
    same = (left.low == left.high) & (right.low == right.high) & (left.low == right.low)
    return _compared(left, right, left.value == right.value, meet, ~same)


def missing(column: Estimates) -> Truth:
    """column IS NULL: where a number has no value, the true one may exist nevertheless."""
    absent = np.isnan(column.value)
    return Truth(absent, ~absent, absent, np.ones_like(absent), np.zeros_like(absent))


def _compared(left: Estimates, right: Estimates, holds: Bools, may_true: Bools, may_false: Bools) -> Truth:
    absent = np.isnan(left.value) | np.isnan(right.value)
    true, false = holds & ~absent, ~holds & ~absent
    return Truth(true, false, may_true | true, may_false | false, absent)
