"""Bounds of a column, as the numbers that the emitted SQL clamps to."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from fractions import Fraction

from tacit.errors import Refused
from tacit.schema.kind import Kind
from tacit.schema.numbers import number_from

LARGEST_INTEGER = 2**63 - 1
_LARGEST_SCALED = 2**126
_EPOCH = datetime(1970, 1, 1)


def bound_from(value: object, kind: Kind, scale: int) -> Fraction:
    """A declared end: a number; for a date the days since 1970-01-01, for a timestamp the microseconds."""
    if kind is Kind.DATE:
        return Fraction((date_from(value) - _EPOCH.date()).days)
    if kind is Kind.TIMESTAMP:
        return Fraction((moment_from(value) - _EPOCH) // timedelta(microseconds=1))
    if not kind.is_number:
        raise Refused(f"a bound of a {kind}", f"A {kind} has no least or largest value.", "no min and no max here.")
    if isinstance(value, str):
        raise Refused("a bound", "It is text.", "a number without quotation marks.")
    return _within_type(number_from(value, "bound"), kind, scale)


def _within_type(bound: Fraction, kind: Kind, scale: int) -> Fraction:
    if kind is Kind.FLOAT:
        return bound
    steps = bound * 10**scale
    if steps.denominator != 1:
        digits = f"at most {scale} digits after the point" if scale else "a whole number"
        raise Refused("a bound", "It lies between two values that the column can have.", f"{digits}.")
    largest = LARGEST_INTEGER if kind is Kind.INTEGER else _LARGEST_SCALED
    if not abs(steps) <= largest:
        raise Refused("a bound", "It is larger than the column's type can hold.", f"at most {largest // 10**scale}.")
    return bound


def date_from(value: object) -> date:
    """A day, without a time."""
    if not isinstance(value, date) or isinstance(value, datetime):
        raise Refused("a date", "It is not a day.", "a day such as 2020-01-31, unquoted.")
    return value


def moment_from(value: object) -> datetime:
    """A moment, without a time zone."""
    if not isinstance(value, datetime) or value.tzinfo is not None:
        raise Refused(
            "a timestamp",
            "It is not a moment without time zone.",
            "a moment such as 2020-01-31T00:00:00, unquoted.",
        )
    return value
