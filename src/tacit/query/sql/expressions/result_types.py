"""The type of a result: operands are converted to one kind, and a number is computed in a type that its bounds fit.

Operands of one kind can be compared or replace each other. A type that fits the bounds cannot overflow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction

from sqlglot import exp

from tacit.query.sql.expressions.leaves import constant, exact_constant, float_constant
from tacit.query.sql.values.exact_intervals import Interval, hull
from tacit.query.sql.values.refusal import refuse
from tacit.query.sql.values.storage import (
    as_float,
    as_type,
    integer_type,
    interval,
    is_null,
    null_of,
    rescaled,
    sql_type,
    stored,
)
from tacit.query.sql.values.typed import Typed
from tacit.schema.kind import Key, Kind


def unify(node: exp.Expression, *items: Typed) -> tuple[Typed, ...]:
    """The same values as expressions of one kind and scale.

    Combinations that SQL would coerce in surprising ways are refused.
    """
    kinds = {item.kind for item in items if not is_null(item)}
    if not kinds:
        return tuple(null_of(items[0].kind, items[0].scale) for _ in items)
    if all(kind.is_number for kind in kinds):
        return _numbers(node, items, kinds)
    if any(kind.is_time for kind in kinds) and all(kind.is_time or kind is Kind.TEXT for kind in kinds):
        return _times(node, items, kinds)
    if len(kinds) > 1:
        raise _mixed(node, kinds)
    (kind,) = kinds
    return tuple(null_of(kind) if is_null(item) else item for item in items)


def _mixed(node: exp.Expression, kinds: set[Kind]) -> Exception:
    names = sorted(str(kind) for kind in kinds)
    why = f"It mixes {' and '.join(names)}, which engines turn into each other in surprising ways."
    casts = " or ".join(f"CAST(… AS {kind.traits.cast})" for kind in sorted(kinds, key=str))
    return refuse(node, why, f"values of one kind: write {casts} around one side.")


def _numbers(node: exp.Expression, items: Sequence[Typed], kinds: set[Kind]) -> tuple[Typed, ...]:
    if Kind.FLOAT in kinds:
        return tuple(as_float(item) for item in items)
    scale = max(item.scale for item in items)
    kind = Kind.DECIMAL if scale else Kind.INTEGER
    return tuple(null_of(kind, scale) if is_null(item) else rescaled(item, scale, node) for item in items)


def _times(node: exp.Expression, items: Sequence[Typed], kinds: set[Kind]) -> tuple[Typed, ...]:
    parsed = [_parse(node, item) if item.kind is Kind.TEXT and not is_null(item) else item for item in items]
    if all(item.kind is Kind.DATE or is_null(item) for item in parsed):
        return tuple(null_of(Kind.DATE) if is_null(item) else item for item in parsed)
    return tuple(as_timestamp(item) for item in parsed)


def _parse(node: exp.Expression, item: Typed) -> Typed:
    """A quoted date beside a date."""
    if not (item.is_constant and item.keys):
        raise refuse(node, "It compares a text with a time.", "CAST(… AS DATE) around the text.")
    return parse_time(node, str(item.keys[0]))


def parse_time(node: exp.Expression, text: str, kind: Kind | None = None) -> Typed:
    """A literal date or timestamp, read while planning."""
    try:
        value: date | datetime = datetime.fromisoformat(text.strip())
    except ValueError:
        accepted = "a date such as '2024-01-31', or a time such as '2024-01-31 12:00:00'."
        raise refuse(node, "The text is not a date.", accepted) from None
    assert isinstance(value, datetime)
    if value.tzinfo is not None:
        raise refuse(node, "Times here have no zone.", "the time in UTC, such as '2024-01-31 12:00:00'.")
    is_day = len(text.strip()) <= 10
    if kind is Kind.DATE or (kind is None and is_day):
        return constant(value.date())
    return constant(value)


def as_timestamp(item: Typed) -> Typed:
    """A DATE as the TIMESTAMP of its midnight."""
    if is_null(item):
        return null_of(Kind.DATE.with_clock)
    if item.kind is not Kind.DATE:
        return item
    if item.is_constant and item.keys and isinstance(item.keys[0], date):
        return constant(datetime.combine(item.keys[0], datetime.min.time()))
    kind = item.kind.with_clock
    steps = Fraction(kind.time_scale.steps_a_day)
    bounds = interval(item) * Interval(steps, steps)
    keys = None
    if item.keys is not None:
        keys = tuple(datetime.combine(key, datetime.min.time()) for key in item.keys if isinstance(key, date))
    sql = f"CAST({item.sql} AS {kind.traits.sql})"
    return replace(item, kind=kind, sql=sql, low=bounds.low, high=bounds.high, keys=keys)


def joined_bounds(items: Sequence[Typed]) -> Interval:
    """The bounds of a value that is one of these."""
    real = [interval(item) for item in items if not is_null(item)]
    return hull(real) if real else Interval(Fraction(0), Fraction(0))


_TOO_LARGE = "Its values may need more than 126 bits, because of the bounds of what it is made of."
_CURE = "narrower bounds (min and max) in the description, or LEAST and GREATEST around its parts."


def exact_result(
    node: exp.Expression,
    operands: Sequence[Typed],
    bounds: Interval,
    formula: Callable[..., str],
    scale: int = 0,
    nullable: bool = False,
    keys: tuple[Key, ...] | None = None,
    through: Interval | None = None,
) -> Typed:
    """An INTEGER or DECIMAL: the operands are cast to a type that also holds the result, before the operation.

    `through`, if given, has the bounds of the formula's intermediate integers.
    """
    kind = Kind.DECIMAL if scale else Kind.INTEGER
    if any(is_null(item) for item in operands):
        return null_of(kind, scale)
    result = Typed(kind, "", bounds.low, bounds.high, nullable or any(item.nullable for item in operands), scale, keys)
    own = integer_type(stored(result))
    if own is None:
        raise refuse(node, _TOO_LARGE, _CURE)
    is_constant = all(item.is_constant for item in operands)
    if is_constant and not result.nullable and bounds.low is not None and bounds.low == bounds.high:
        return exact_constant(bounds.low, scale)
    middle = own if through is None else integer_type(through)
    if middle is None:
        raise refuse(node, _TOO_LARGE, _CURE)
    wide = "HUGEINT" if "HUGEINT" in (own, middle, *map(sql_type, operands)) else "BIGINT"
    sql = formula(*(as_type(item, wide) for item in operands))
    if wide != own:
        sql = f"CAST({sql} AS {own})"
    return Typed(kind, sql, bounds.low, bounds.high, result.nullable, scale, keys, is_constant)


def float_result(sql: str, bounds: Interval, operands: Sequence[Typed], nullable: bool = False) -> Typed:
    """A FLOAT: within `bounds` by arithmetic, or NULL where it is not finite."""
    if any(is_null(item) for item in operands):
        return null_of(Kind.FLOAT)
    may_be_null = nullable or any(item.nullable for item in operands)
    is_constant = all(item.is_constant for item in operands)
    if is_constant and not may_be_null and bounds.low is not None and bounds.low == bounds.high:
        return float_constant(bounds.low)
    if bounds.is_bounded:
        return Typed(Kind.FLOAT, sql, bounds.low, bounds.high, may_be_null, is_constant=is_constant)
    guarded = f"(CASE WHEN isfinite({sql}) THEN {sql} END)"
    return Typed(Kind.FLOAT, guarded, bounds.low, bounds.high, True, is_constant=is_constant)
