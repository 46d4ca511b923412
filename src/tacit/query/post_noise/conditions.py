"""Conditions: comparisons, AND, OR, NOT and IS NULL."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from typing import Any, Final, TypeAlias

import numpy as np

from tacit.frozen import frozen
from tacit.query.post_noise import interval_arithmetic
from tacit.query.post_noise.estimates import Estimates, Keys
from tacit.query.post_noise.expression import Column, Constant, EvaluationFrame, Expression, as_numbers, moment
from tacit.query.post_noise.interval_arithmetic import Truth
from tacit.schema.kind import Key, Kind

Value: TypeAlias = Key | float | None

_ON_NUMBERS: Final[Mapping[str, Callable[[Estimates, Estimates], Truth]]] = {
    "<": interval_arithmetic.less,
    "<=": interval_arithmetic.at_most,
    "=": interval_arithmetic.equal,
}
_ON_KEYS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
}
_LARGE: Final = 2**53
_FAMILIES: Final = (str, date, (int, float))  # values of one family have an order


@frozen
class Comparison(Expression):
    """left < right, left <= right or left = right."""

    sign: str
    left: Expression
    right: Expression
    kind: Kind | None = Kind.BOOLEAN

    @property
    def parts(self) -> tuple[Expression, ...]:
        return self.left, self.right

    def over(self, frame: EvaluationFrame) -> Truth:
        left, right = self.left.over(frame), self.right.over(frame)
        if isinstance(left, Keys) or isinstance(right, Keys):
            left, right = _as_written(self.left, left, frame.size), _as_written(self.right, right, frame.size)
        if isinstance(left, Keys) and isinstance(right, Keys):
            rows = [_compared(self.sign, x, y) for x, y in zip(left.values, right.values, strict=True)]
            return Truth.exactly(np.array([row is True for row in rows]), np.array([row is False for row in rows]))
        return _ON_NUMBERS[self.sign](as_numbers(left), as_numbers(right))


@frozen
class Not(Expression):
    """NOT operand."""

    operand: Expression
    kind: Kind | None = Kind.BOOLEAN

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.operand,)

    def over(self, frame: EvaluationFrame) -> Truth:
        return ~self.operand.truth(frame)


@frozen
class Both(Expression):
    """left AND right, in SQL's three-valued logic."""

    left: Expression
    right: Expression
    kind: Kind | None = Kind.BOOLEAN

    @property
    def parts(self) -> tuple[Expression, ...]:
        return self.left, self.right

    def over(self, frame: EvaluationFrame) -> Truth:
        return self.left.truth(frame) & self.right.truth(frame)


@frozen
class Missing(Expression):
    """operand IS NULL; a number is NULL where it has no value."""

    operand: Expression
    kind: Kind | None = Kind.BOOLEAN

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.operand,)

    def over(self, frame: EvaluationFrame) -> Truth:
        column = self.operand.over(frame)
        if isinstance(column, Estimates) and self.aggregates:
            return interval_arithmetic.missing(column)
        if isinstance(column, Truth):
            absent = ~(column.true | column.false)
            return Truth(absent, ~absent, column.may_null, column.may_true | column.may_false, absent & False)
        if isinstance(column, Estimates):
            absent = np.isnan(column.value)
        else:
            absent = np.array([value is None for value in column.values], np.bool_)
        return Truth.exactly(absent, ~absent)


def either(left: Expression, right: Expression) -> Expression:
    """left OR right."""
    return Not(Both(Not(left), Not(right)))


def _as_written(side: Expression, column: Column, size: int) -> Column:
    """A whole number as it is written, where a double might be another one."""
    value = side.value if isinstance(side, Constant) else None
    return Keys((value,) * size, Kind.INTEGER) if type(value) is int and abs(value) >= _LARGE else column


def _compared(sign: str, left: Value, right: Value) -> bool | None:
    if left is None or right is None:
        return None
    left, right = _alongside(left, right), _alongside(right, left)
    alike = any(isinstance(left, family) and isinstance(right, family) for family in _FAMILIES)
    return _ON_KEYS[sign](left, right) if alike else None


def _alongside(value: Key | float, other: Key | float) -> Key | float:
    """The value in a form comparable with the other: a date as its midnight, a text beside a date as that date."""
    if isinstance(value, str) and isinstance(other, date):
        value = moment(value) or value
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime.combine(value, time())
    return value
