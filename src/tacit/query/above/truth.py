"""Conditions on uncertain numbers: what the point values say, and what the intervals leave possible."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.query.above.estimates import Estimates

Bools: TypeAlias = NDArray[np.bool_]


@frozen(eq=False)
class Truth:
    """A column of SQL's three truth values: what the points say, and what the intervals leave possible.

    Where a row is neither true nor false it is NULL. What the points say is always among what may be.
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
    """column IS NULL: where there is too little to say, the value may exist all the same."""
    absent = np.isnan(column.value)
    return Truth(absent, ~absent, absent, np.ones_like(absent), np.zeros_like(absent))


def _compared(left: Estimates, right: Estimates, holds: Bools, may_true: Bools, may_false: Bools) -> Truth:
    absent = np.isnan(left.value) | np.isnan(right.value)
    true, false = holds & ~absent, ~holds & ~absent
    return Truth(true, false, may_true | true, may_false | false, absent)
