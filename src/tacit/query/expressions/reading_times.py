"""The enforcing read of dates and timestamps: within the declared bounds, and always within the years 1 to 9999."""

from __future__ import annotations

from fractions import Fraction

from tacit.query.expressions.storage import (
    FIRST_DAY,
    FIRST_MICROSECOND,
    LAST_DAY,
    LAST_MICROSECOND,
    literal_sql,
    time_of,
)
from tacit.query.typed import Typed
from tacit.schema.description import Column
from tacit.schema.kind import Kind

LIMITS = {Kind.DATE: (FIRST_DAY, LAST_DAY), Kind.TIMESTAMP: (FIRST_MICROSECOND, LAST_MICROSECOND)}

_ZONED = "TIMESTAMP WITH TIME ZONE"


def read_time(column: Column, reference: str, physical: str | None) -> Typed:
    """A DATE or a TIMESTAMP without a zone; one with a zone is read as the time in UTC."""
    name = "DATE" if column.kind is Kind.DATE else "TIMESTAMP"
    first, last = (Fraction(limit) for limit in LIMITS[column.kind])
    low = first if column.low is None else max(first, column.low)
    high = last if column.high is None else min(last, column.high)
    value = reference
    if physical == "TIMESTAMPTZ_NS":  # DuckDB has no such cast
        value, physical = f"TRY_CAST({reference} AS {_ZONED})", _ZONED
    if physical == _ZONED:
        value = f"({value} AT TIME ZONE 'UTC')"
    if physical != name and (physical, name) != (_ZONED, "TIMESTAMP"):
        value = f"TRY_CAST({value} AS {name})"
    return Typed(column.kind, clamp_time(value, column.kind, low, high), low, high)


def clamp_time(value: str, kind: Kind, low: Fraction, high: Fraction) -> str:
    """The SQL of a date or timestamp moved into [low, high]; NULL stays NULL."""
    first, last = literal_sql(time_of(kind, low)), literal_sql(time_of(kind, high))
    return f"(CASE WHEN {value} < {first} THEN {first} WHEN {value} > {last} THEN {last} ELSE {value} END)"
