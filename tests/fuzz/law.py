"""The claim of `Typed`, checked on a column of values from an engine."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

from tacit.query.sql.values.domains import domain
from tacit.query.sql.values.storage import number_of
from tacit.query.sql.values.typed import LONGEST, Typed
from tacit.schema.kind import Kind


def exact(column: Sequence[object], item: Typed) -> list[object]:
    """The values, such that equal ones compare equal and others do not: −0.0 differs from 0.0."""
    if item.kind is Kind.FLOAT:
        return [value if value is None else repr(value) for value in column]
    if item.kind in (Kind.INTEGER, Kind.DECIMAL):
        return [int(value) if isinstance(value, (int, Decimal)) else value for value in column]
    return list(column)


def fault(item: Typed, column: Sequence[object]) -> str | None:
    """The violation of the expression's claim by the values; None if there is none."""
    values = {value for value in column if value is not None}
    if not item.nullable and len(values) < len(column) and None in column:
        return "NULL"
    if not values:
        return None
    if (wrong := _wrong_kind(item, values)) is not None:
        return wrong
    known = domain(item)
    if known is not None and (others := {_unscaled(item, value) for value in values} - set(known)):
        return f"outside its domain: {min(map(repr, others))[:80]}"
    if item.kind is Kind.TEXT:
        longest = max(len(str(value)) for value in values)
        return f"{longest} letters, not {item.longest}" if longest > min(item.longest, LONGEST) else None
    if item.kind is Kind.BOOLEAN:
        return None
    numbers = [_number(item, value) for value in values]
    low, high = min(numbers), max(numbers)
    if item.low is not None and low < item.low:
        return f"below its bound: {low} < {item.low}"
    return f"above its bound: {high} > {item.high}" if item.high is not None and high > item.high else None


def _wrong_kind(item: Typed, values: set[object]) -> str | None:
    for value in values:
        if item.kind is Kind.FLOAT:
            is_own = isinstance(value, float) and math.isfinite(value)
        elif item.kind is Kind.TEXT:
            is_own = isinstance(value, str)
        elif item.kind is Kind.BOOLEAN:
            is_own = isinstance(value, bool)
        elif item.kind.is_time:
            is_own = isinstance(value, date) and isinstance(value, datetime) == (item.kind is Kind.TIMESTAMP)
        else:
            is_own = isinstance(value, (int, Decimal)) and not isinstance(value, bool) and value == int(value)
        if not is_own:
            return f"not {item.kind}: {value!r}"[:80]
    return None


def _unscaled(item: Typed, value: object) -> object:
    if item.kind is Kind.DECIMAL and isinstance(value, (int, Decimal)):
        return Fraction(int(value), 10**item.scale)
    return int(value) if item.kind is Kind.INTEGER and isinstance(value, Decimal) else value


def _number(item: Typed, value: object) -> Fraction:
    if isinstance(value, date):
        return number_of(value)
    assert isinstance(value, (int, float, Decimal))
    return Fraction(value) / 10**item.scale
