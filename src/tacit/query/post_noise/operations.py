"""Operations on numbers, and choices between values: CASE, COALESCE and NULLIF.

The interval of a choice spans every branch that the intervals of the conditions leave possible.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np

from tacit.frozen import frozen
from tacit.query.post_noise import interval_arithmetic
from tacit.query.post_noise.estimates import Estimates, Keys
from tacit.query.post_noise.expression import Column, Constant, EvaluationFrame, Expression, as_keys, as_numbers
from tacit.query.post_noise.interval_arithmetic import Bools, Truth, equal
from tacit.schema.kind import Kind

OPERATIONS: Final[Mapping[str, Callable[..., Estimates]]] = {
    "add": interval_arithmetic.add,
    "subtract": interval_arithmetic.subtract,
    "multiply": interval_arithmetic.multiply,
    "divide": interval_arithmetic.divide,
    "negate": interval_arithmetic.negate,
    "absolute": interval_arithmetic.absolute,
    "root": interval_arithmetic.root,
    "logarithm": interval_arithmetic.logarithm,
    "exponential": interval_arithmetic.rising(np.exp),
    "floor": interval_arithmetic.rising(np.floor, whole=True),
    "ceiling": interval_arithmetic.rising(np.ceil, whole=True),
    "to whole": interval_arithmetic.rising(np.rint, whole=True),  # CAST to an integer: halves go to the even one
    "to float": lambda a: Estimates(a.value, a.low, a.high),
    "greatest": interval_arithmetic.greatest,
    "least": interval_arithmetic.least,
}


@frozen
class Operation(Expression):
    """One of OPERATIONS on numbers."""

    name: str
    operands: tuple[Expression, ...]
    kind: Kind | None = Kind.FLOAT

    @property
    def parts(self) -> tuple[Expression, ...]:
        return self.operands

    def over(self, frame: EvaluationFrame) -> Estimates:
        return OPERATIONS[self.name](*(operand.numbers(frame) for operand in self.operands))


@frozen
class Rounded(Expression):
    """A number rounded to so many digits after the point, halves away from zero.

    `room` are the digits that a cast leaves before the point; None where it is no cast. Noise is not cut to it.
    """

    operand: Expression
    digits: int = 0
    room: int | None = None
    kind: Kind | None = Kind.FLOAT

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.operand,)

    def over(self, frame: EvaluationFrame) -> Estimates:
        column = self.operand.numbers(frame)
        value, low, high = (
            interval_arithmetic.rounded(end, self.digits) for end in (column.value, column.low, column.high)
        )
        return Estimates(value, low, high, column.whole or self.digits <= 0)


@frozen
class Case(Expression):
    """CASE WHEN condition THEN value … ELSE otherwise END.

    The values of the conditions select the value; the interval spans every branch that the conditions' intervals leave
    possible. Values other than numbers may depend on keys only, since they have no interval.
    """

    branches: tuple[tuple[Expression, Expression], ...]
    otherwise: Expression
    kind: Kind | None

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (*(part for branch in self.branches for part in branch), self.otherwise)

    def over(self, frame: EvaluationFrame) -> Column:
        conditions = [condition.truth(frame) for condition, _ in self.branches]
        values = [value for _, value in self.branches] + [self.otherwise]
        columns = [as_keys(value.over(frame)) for value in values]
        taken, possible = _branches(conditions, frame.size)
        if any(isinstance(column, Keys) and not column.type.is_number for column in columns):
            rows = np.argmax(taken, axis=0)
            exact = [column.values if isinstance(column, Keys) else (None,) * frame.size for column in columns]
            return Keys(tuple(exact[branch][row] for row, branch in enumerate(rows)), self.kind)
        return _spanned(
            [_nothing(value) for value in values], [as_numbers(column) for column in columns], taken, possible
        )


@frozen
class Coalesce(Expression):
    """The first of the numbers that has a value."""

    operands: tuple[Expression, ...]
    kind: Kind | None = Kind.FLOAT

    @property
    def parts(self) -> tuple[Expression, ...]:
        return self.operands

    def over(self, frame: EvaluationFrame) -> Estimates:
        result = self.operands[0].numbers(frame)
        exact = not self.operands[0].aggregates  # an exact NULL has no true value
        for operand in self.operands[1:]:
            other, absent = operand.numbers(frame), np.isnan(result.value)
            low = other.low if exact else np.minimum(result.low, other.low)
            high = other.high if exact else np.maximum(result.high, other.high)
            result = Estimates(
                np.where(absent, other.value, result.value),
                np.where(absent, low, result.low),
                np.where(absent, high, result.high),
                result.whole and other.whole,
            )
            exact = exact and not operand.aggregates
        return result


@frozen
class NullIf(Expression):
    """The number, but NULL where it equals another."""

    operand: Expression
    other: Expression
    kind: Kind | None = Kind.FLOAT

    @property
    def parts(self) -> tuple[Expression, ...]:
        return self.operand, self.other

    def over(self, frame: EvaluationFrame) -> Estimates:
        column = self.operand.numbers(frame)
        same = equal(column, self.other.numbers(frame)).true
        return Estimates(np.where(same, np.nan, column.value), column.low, column.high, column.whole)


def _branches(conditions: Sequence[Truth], size: int) -> tuple[Bools, Bools]:
    """For each branch and row: whether the values take it, and whether the intervals permit it."""
    open_still, may_be_open = np.ones(size, np.bool_), np.ones(size, np.bool_)
    taken, possible = [], []
    for condition in conditions:
        taken.append(open_still & condition.true)
        possible.append(may_be_open & condition.may_true)
        open_still = open_still & ~condition.true
        may_be_open = may_be_open & (condition.may_false | condition.may_null)
    return np.stack([*taken, open_still]), np.stack([*possible, may_be_open])


def _spanned(nothing: Sequence[bool], columns: Sequence[Estimates], taken: Bools, possible: Bools) -> Estimates:
    value = np.full(taken.shape[1], np.nan)
    low, high = np.full(taken.shape[1], np.inf), np.full(taken.shape[1], -np.inf)
    for is_nothing, column, here, maybe in zip(nothing, columns, taken, possible | taken, strict=True):
        if not is_nothing:
            value = np.where(here, column.value, value)
            low = np.where(maybe, np.minimum(low, column.low), low)
            high = np.where(maybe, np.maximum(high, column.high), high)
    unknown = low > high
    low, high = np.where(unknown, -np.inf, low), np.where(unknown, np.inf, high)
    return Estimates(value, low, high, all(column.whole for column in columns))


def _nothing(value: Expression) -> bool:
    return isinstance(value, Constant) and value.value is None
