"""Expressions over keys and noisy aggregates: an immutable tree with its aggregates and literals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import datetime
from fractions import Fraction
from math import isfinite
from typing import TypeAlias

import numpy as np
from sqlglot import exp

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.post_noise.estimates import Estimates, Groups, Keys
from tacit.query.post_noise.interval_arithmetic import Truth, constant
from tacit.schema.kind import PARSED, TIMES, Key, Kind

_DAY = 10  # letters of a day, as it is written

Column: TypeAlias = Estimates | Keys | Truth


@frozen(eq=False)
class EvaluationFrame:
    """The values an expression is evaluated on: each aggregate with intervals at its share of the confidence."""

    keys: Mapping[str, Keys]
    aggregates: Mapping[str, Estimates]
    size: int


class Expression(ABC):
    """A value for every group, with an interval that holds it if every aggregate's interval holds."""

    kind: Kind | None  # BOOLEAN for a condition, FLOAT for any number, or a key's kind; None if only its values show it

    @property
    def parts(self) -> tuple[Expression, ...]:
        """Its sub-expressions."""
        return ()

    @property
    def aggregates(self) -> frozenset[str]:
        """The distinct aggregates that it depends on."""
        return frozenset().union(*(part.aggregates for part in self.parts))

    @property
    def keys(self) -> frozenset[str]:
        """The distinct keys that it reads, outside of aggregates."""
        return frozenset().union(*(part.keys for part in self.parts))

    @abstractmethod
    def over(self, frame: EvaluationFrame) -> Column: ...

    def numbers(self, frame: EvaluationFrame) -> Estimates:
        return as_numbers(self.over(frame))

    def truth(self, frame: EvaluationFrame) -> Truth:
        return as_truth(self.over(frame))


@frozen
class KeyReference(Expression):
    """A group key."""

    name: str
    kind: Kind | None = None

    @property
    def keys(self) -> frozenset[str]:
        return frozenset((self.name,))

    def over(self, frame: EvaluationFrame) -> Keys:
        found = frame.keys[self.name]
        return found if found.kind is not None else Keys(found.values, self.kind)


@frozen
class AggregateReference(Expression):
    """An aggregate of the private rows, after the noise."""

    name: str
    kind: Kind | None = Kind.FLOAT

    @property
    def aggregates(self) -> frozenset[str]:
        return frozenset((self.name,))

    def over(self, frame: EvaluationFrame) -> Estimates:
        return frame.aggregates[self.name]


@frozen
class Constant(Expression):
    """A literal; None is NULL."""

    value: Key | float | None
    kind: Kind | None = None

    def over(self, frame: EvaluationFrame) -> Column:
        if self.value is None:
            return constant(np.nan, frame.size, whole=True)
        if isinstance(self.value, int | float) and not isinstance(self.value, bool):
            return constant(float(self.value), frame.size, whole=isinstance(self.value, int))
        return Keys((self.value,) * frame.size, self.kind)


def evaluate(expression: Expression, groups: Groups, confidence: Fraction) -> Column:
    """The expression's column, whose every interval misses with probability at most 1 − confidence.

    Each of m aggregates misses with at most an m-th part of that, so that all hold together (union bound).
    """
    share = 1 - (1 - confidence) / max(1, len(expression.aggregates))
    aggregates = {name: _settled(groups.aggregates[name].at(share)) for name in sorted(expression.aggregates)}
    with np.errstate(all="ignore"):  # inf − inf and 0·inf occur and are handled below
        return expression.over(EvaluationFrame(groups.keys, aggregates, groups.size))


def _settled(column: Estimates) -> Estimates:
    """The column with infinite ends where it had none."""
    low, high = (
        np.where(np.isnan(column.low), -np.inf, column.low),
        np.where(np.isnan(column.high), np.inf, column.high),
    )
    return Estimates(column.value, low, high, column.whole, column.time)


def as_numbers(column: Column) -> Estimates:
    """A column as numbers: numeric keys are exact, a condition is 1 or 0, anything else is unknown."""
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
    """A column as a condition; NULL unless it is a condition or a boolean key."""
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


def literal(node: exp.Expr) -> Constant:
    """The constant for a literal."""
    if isinstance(node, exp.Null):
        return Constant(None)
    if isinstance(node, exp.Boolean):
        return Constant(bool(node.this), Kind.BOOLEAN)
    if node.args.get("is_string"):
        return Constant(str(node.this), Kind.TEXT)
    value = float(node.this)
    if not isfinite(value):
        raise Refused("a literal beyond any number", "It overflows a double.", "numbers up to 1e308.")
    return Constant(int(node.this) if str(node.this).isdecimal() else value, Kind.FLOAT)


def negative(number: Constant) -> Constant:
    """Minus a literal number."""
    assert isinstance(number.value, int | float)
    return Constant(-number.value, number.kind)


def whole_literal(node: exp.Expr, what: str) -> int:
    """The whole number of a literal, signed or not."""
    sign, inner = (-1, node.this) if isinstance(node, exp.Neg) else (1, node)
    if not (isinstance(inner, exp.Literal) and not inner.is_string and inner.this.isdecimal() and len(inner.this) < 19):
        raise Refused(f"{what} as {node.sql(dialect='duckdb')}", "It must be known beforehand.", "a whole number.")
    return sign * int(inner.this)


def cast_literal(node: exp.Expr) -> Constant:
    """DATE '…' and TIMESTAMP '…'."""
    to = node.args["to"].this
    kind = PARSED.get(str(getattr(to, "value", to)).upper())
    if kind is None or not kind.is_time:
        raise Refused(
            node.sql(dialect="duckdb"), "A text is cast to dates only.", "DATE '2024-12-31' or a number as such."
        )
    return _time(node.this.this, kind)


def as_date_like(side: Expression, other: Expression) -> Expression:
    """A text compared with a time is read as what it writes: a day, or a moment, beside which a day is its midnight."""
    if isinstance(side, Constant) and isinstance(side.value, str) and other.kind in TIMES:
        return _time(side.value, Kind.DATE if len(side.value.strip()) <= _DAY else Kind.DATE.with_clock)
    return side


def _time(text: str, kind: Kind) -> Constant:
    found = moment(text)
    if found is None:
        accepted = "'2024-12-31' or '2024-12-31 18:00:00', without a time zone."
        raise Refused(f"'{text}' as a {kind}", "It is not written as one.", accepted)
    return Constant(found.date() if kind is Kind.DATE else found, kind)


def moment(text: str) -> datetime | None:
    """The timestamp that a text spells, midnight if it spells a date; None if it spells neither."""
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return found if found.tzinfo is None else None
