"""Expressions over keys and noisy aggregates: a small immutable tree that knows what it rests on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from tacit.frozen import frozen
from tacit.query.above.estimates import Estimates, Groups, Keys
from tacit.query.above.intervals import constant
from tacit.query.above.truth import Truth
from tacit.schema.kind import Key, Kind

Column: TypeAlias = Estimates | Keys | Truth


@frozen(eq=False)
class Frame:
    """What an expression is evaluated over: each aggregate with intervals at the confidence its share allows."""

    keys: Mapping[str, Keys]
    aggregates: Mapping[str, Estimates]
    size: int


class Expression(ABC):
    """A value for every group, with an interval that holds it if every aggregate's interval holds."""

    kind: Kind | None  # BOOLEAN for a condition, FLOAT for any number, or a key's kind; None if only its values show it

    @property
    def parts(self) -> tuple[Expression, ...]:
        """The expressions it is made of."""
        return ()

    @property
    def aggregates(self) -> frozenset[str]:
        """The different aggregates it rests on."""
        return frozenset().union(*(part.aggregates for part in self.parts))

    @abstractmethod
    def over(self, frame: Frame) -> Column: ...

    def numbers(self, frame: Frame) -> Estimates:
        return as_numbers(self.over(frame))

    def truth(self, frame: Frame) -> Truth:
        return as_truth(self.over(frame))


@frozen
class KeyColumn(Expression):
    """A group key."""

    name: str
    kind: Kind | None = None

    def over(self, frame: Frame) -> Keys:
        found = frame.keys[self.name]
        return found if found.kind is not None else Keys(found.values, self.kind)


@frozen
class Aggregate(Expression):
    """An aggregate of the private rows, after the noise."""

    name: str
    kind: Kind | None = Kind.FLOAT

    @property
    def aggregates(self) -> frozenset[str]:
        return frozenset((self.name,))

    def over(self, frame: Frame) -> Estimates:
        return frame.aggregates[self.name]


@frozen
class Constant(Expression):
    """A literal; None is NULL."""

    value: Key | float | None
    kind: Kind | None = None

    def over(self, frame: Frame) -> Column:
        if self.value is None:
            return constant(np.nan, frame.size, whole=True)
        if isinstance(self.value, int | float) and not isinstance(self.value, bool):
            return constant(float(self.value), frame.size, whole=isinstance(self.value, int))
        return Keys((self.value,) * frame.size, self.kind)


def evaluate(expression: Expression, groups: Groups, confidence: Fraction) -> Column:
    """The expression's column, whose every interval misses with probability at most 1 − confidence.

    Of m aggregates each may miss with an m-th part of that (union bound), so that all hold together often enough.
    """
    share = 1 - (1 - confidence) / max(1, len(expression.aggregates))
    aggregates = {name: _settled(groups.aggregates[name].at(share)) for name in sorted(expression.aggregates)}
    with np.errstate(all="ignore"):  # inf − inf and 0·inf are met with, and settled, on the way
        return expression.over(Frame(groups.keys, aggregates, groups.size))


def _settled(column: Estimates) -> Estimates:
    """The column with infinite ends where it had none."""
    low, high = (
        np.where(np.isnan(column.low), -np.inf, column.low),
        np.where(np.isnan(column.high), np.inf, column.high),
    )
    return Estimates(column.value, low, high, column.whole)


def as_numbers(column: Column) -> Estimates:
    """A column as numbers: keys that are numbers are exact, a condition is 1 or 0, anything else says nothing."""
    if isinstance(column, Estimates):
        return column
    if isinstance(column, Truth):
        value = np.where(column.true, 1.0, np.where(column.false, 0.0, np.nan))
        sure = ~column.may_null
        low = np.where(sure, np.where(column.may_false, 0.0, 1.0), 0.0)
        return Estimates(value, low, np.where(column.may_true, 1.0, 0.0), whole=True)
    value = np.array([float(x) if isinstance(x, int | float) else np.nan for x in column.values], np.float64)
    unknown = np.isnan(value)
    low, high = np.where(unknown, -np.inf, value), np.where(unknown, np.inf, value)
    return Estimates(value, low, high, whole=column.type in (Kind.INTEGER, Kind.BOOLEAN))


def as_truth(column: Column) -> Truth:
    """A column as a condition: what is neither a condition nor a boolean key is NULL."""
    if isinstance(column, Truth):
        return column
    values = column.values if isinstance(column, Keys) else (None,) * len(column)
    true = np.array([value is True for value in values], np.bool_)
    return Truth.exactly(true, np.array([value is False for value in values], np.bool_))


def as_keys(column: Column) -> Estimates | Keys:
    """A column with its condition, if it is one, as booleans."""
    if not isinstance(column, Truth):
        return column
    values = (None if not (yes or no) else bool(yes) for yes, no in zip(column.true, column.false, strict=True))
    return Keys(tuple(values), Kind.BOOLEAN)
