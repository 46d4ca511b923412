"""Bringing several expressions to one kind, so that they can be compared or stand in for each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction

from sqlglot import exp

from tacit.query.expressions.intervals import Interval, hull
from tacit.query.expressions.literals import constant
from tacit.query.expressions.shown import refuse
from tacit.query.expressions.storage import MICROSECONDS_A_DAY, as_float, interval, is_null, null_of, rescaled
from tacit.query.typed import Typed
from tacit.schema.kind import Kind


def unify(node: exp.Expression, *items: Typed) -> tuple[Typed, ...]:
    """The same values as expressions of one kind and scale; refuses what SQL would coerce in surprising ways."""
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
    casts = " or ".join(f"CAST(… AS {_NAMES[kind]})" for kind in sorted(kinds, key=str))
    return refuse(node, why, f"values of one kind: write {casts} around one side.")


_NAMES = {
    Kind.INTEGER: "BIGINT",
    Kind.DECIMAL: "DECIMAL(18, 2)",
    Kind.FLOAT: "DOUBLE",
    Kind.TEXT: "VARCHAR",
    Kind.BOOLEAN: "BOOLEAN",
    Kind.DATE: "DATE",
    Kind.TIMESTAMP: "TIMESTAMP",
}


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
    """A written date or timestamp, read while planning."""
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
        return constant(value.date(), Kind.DATE)
    return constant(value, Kind.TIMESTAMP)


def as_timestamp(item: Typed) -> Typed:
    """A DATE as the TIMESTAMP of its midnight."""
    if is_null(item):
        return null_of(Kind.TIMESTAMP)
    if item.kind is not Kind.DATE:
        return item
    if item.is_constant and item.keys and isinstance(item.keys[0], date):
        return constant(datetime.combine(item.keys[0], datetime.min.time()), Kind.TIMESTAMP)
    bounds = interval(item) * Interval(Fraction(MICROSECONDS_A_DAY), Fraction(MICROSECONDS_A_DAY))
    keys = None
    if item.keys is not None:
        keys = tuple(datetime.combine(key, datetime.min.time()) for key in item.keys if isinstance(key, date))
    sql = f"CAST({item.sql} AS TIMESTAMP)"
    return replace(item, kind=Kind.TIMESTAMP, sql=sql, low=bounds.low, high=bounds.high, keys=keys)


def joined_bounds(items: Sequence[Typed]) -> Interval:
    """The bounds of a value that is one of these."""
    real = [interval(item) for item in items if not is_null(item)]
    return hull(real) if real else Interval(Fraction(0), Fraction(0))
