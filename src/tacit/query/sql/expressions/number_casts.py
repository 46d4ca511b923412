"""Casts that make numbers: rounded as the engine rounds, NULL where the type cannot hold the value."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from sqlglot import exp

from tacit.query.sql.expressions.rounding import to_digits
from tacit.query.sql.values.exact_intervals import Interval
from tacit.query.sql.values.number_reader import integer_range
from tacit.query.sql.values.refusal import refuse
from tacit.query.sql.values.storage import (
    MOST_128,
    MOST_SCALE,
    as_float,
    decimal_sql,
    integer_type,
    interval,
    rescaled,
    stored,
)
from tacit.query.sql.values.typed import Typed
from tacit.schema.kind import Kind

_ENGINE = {"TINYINT": "TINYINT", "SMALLINT": "SMALLINT", "INT": "INTEGER", "BIGINT": "BIGINT", "INT128": "HUGEINT"}
_WORD_DIGITS = 18  # of a DECIMAL in 64 bits, which DuckDB multiplies there: 10^18 units and above are an error
_FAR = 1e40  # beyond every decimal


def _no_times(node: exp.Expression, value: Typed) -> None:
    if value.kind.is_time:
        accepted = "day - DATE '1970-01-01' for days, date_diff('second', a, b), or EXTRACT(YEAR FROM day)."
        raise refuse(node, "A time is not a number.", accepted)


def to_integer(node: exp.Expression, value: Typed, name: str) -> Typed:
    """CAST(… AS BIGINT) and its kin."""
    _no_times(node, value)
    engine = _ENGINE[name]
    least, most = integer_range(engine) or (-MOST_128, MOST_128)
    limits = Interval(Fraction(max(least, -MOST_128)), Fraction(min(most, MOST_128)))
    if value.kind is Kind.BOOLEAN:
        return Typed(Kind.INTEGER, f"CAST({value.sql} AS BIGINT)", Fraction(0), Fraction(1), value.nullable)
    if value.kind in (Kind.INTEGER, Kind.DECIMAL):
        return within(to_digits(node, value, 0), limits)
    if value.kind is Kind.TEXT:
        return _guarded(f"TRY_CAST({value.sql} AS {engine})", limits, True)
    low = limits.low if value.low is None else Fraction(round(value.low))
    high = limits.high if value.high is None else Fraction(round(value.high))
    assert low is not None
    assert high is not None
    bounds = Interval(low, high)
    if value.low is not None and value.high is not None and integer_type(bounds) and _inside(bounds, limits):
        return Typed(Kind.INTEGER, f"CAST({value.sql} AS {integer_type(bounds)})", low, high, value.nullable)
    return _guarded(f"TRY_CAST({value.sql} AS {engine})", _meet(bounds, limits), True)


def _guarded(sql: str, bounds: Interval, nullable: bool) -> Typed:
    """A result that the engine's TRY_CAST keeps within its type; 2^126 and above become NULL too."""
    target = integer_type(bounds)
    if target == "HUGEINT":
        sql = f"(CASE WHEN {sql} BETWEEN {bounds.low} AND {bounds.high} THEN {sql} END)"
    else:
        sql = f"CAST({sql} AS {target})"
    return Typed(Kind.INTEGER, sql, bounds.low, bounds.high, nullable)


def within(value: Typed, limits: Interval) -> Typed:
    """An INTEGER or DECIMAL that is NULL outside `limits`."""
    if _inside(interval(value), limits):
        return value
    bounds = _meet(interval(value), limits)
    unit = Interval(Fraction(10**value.scale), Fraction(10**value.scale))
    ends = bounds * unit
    target = integer_type(ends)
    sql = f"CASE WHEN {value.sql} BETWEEN {ends.low} AND {ends.high} THEN CAST({value.sql} AS {target}) END"
    return replace(value, sql=f"({sql})", low=bounds.low, high=bounds.high, nullable=True, keys=None, is_constant=False)


def _inside(bounds: Interval, limits: Interval) -> bool:
    assert bounds.low is not None
    assert bounds.high is not None
    return limits.holds(bounds.low) and limits.holds(bounds.high)


def _meet(a: Interval, b: Interval) -> Interval:
    """The intersection; a single point if it is empty."""
    assert a.low is not None
    assert b.low is not None
    assert a.high is not None
    assert b.high is not None
    low = min(max(a.low, b.low), b.high)
    return Interval(low, max(low, min(a.high, b.high)))


def to_decimal(node: exp.Expression, value: Typed, shape: list[int]) -> Typed:
    """CAST(… AS DECIMAL(width, scale))."""
    _no_times(node, value)
    width, scale = (*shape, 18, 3)[:2] if len(shape) != 1 else (shape[0], 0)
    if not (0 <= scale <= min(MOST_SCALE, width) and 1 <= width <= 37 - scale):
        accepted = f"DECIMAL(18, 2): at most {MOST_SCALE} digits after the point, at most 28 in all."
        raise refuse(node, "The decimal is too wide.", accepted)
    most = Fraction(10**width - 1, 10**scale)
    limits = Interval(-most, most)
    if value.kind is Kind.BOOLEAN:
        value = to_integer(node, value, "BIGINT")
    if value.kind in (Kind.INTEGER, Kind.DECIMAL):
        finer = value if value.scale >= scale else rescaled(value, scale, node)
        return replace(within(to_digits(node, finer, scale), limits), is_constant=False)
    bounds = limits
    if value.kind is Kind.FLOAT and value.low is not None and value.high is not None:
        bounds = _meet(_cut(value.low, value.high, scale), limits)
    kind = Kind.DECIMAL if scale else Kind.INTEGER
    result = Typed(kind, "", bounds.low, bounds.high, True, scale)
    decimal = f"TRY_CAST({value.sql} AS DECIMAL({width}, {scale}))"
    if value.kind is Kind.TEXT:  # DuckDB lets '9.99e6' be a DECIMAL(5, 0), of seven digits
        least, greatest = decimal_sql(-most, scale), decimal_sql(most, scale)
        decimal = f"(CASE WHEN {decimal} BETWEEN {least} AND {greatest} THEN {decimal} END)"
    wide = decimal if width + scale <= _WORD_DIGITS else f"CAST({decimal} AS DECIMAL(38, {scale}))"
    scaled = f"{wide} * {10**scale}" if scale else decimal
    return replace(result, sql=f"TRY_CAST({scaled} AS {integer_type(stored(result))})")


def _cut(low: Fraction, high: Fraction, scale: int) -> Interval:
    """The range of floats in [low, high] as decimals: engines round x·10^scale to a double, then to an integer.

    Both steps are monotone, so ends map to ends. As a double 1e17·10^9 is 4.8·10^9 steps above itself.
    """
    least, most = (min(max(float(end) * 10.0**scale, -_FAR), _FAR) for end in (low, high))
    return Interval(Fraction(math.floor(least), 10**scale), Fraction(math.ceil(most), 10**scale))


def to_float(node: exp.Expression, value: Typed) -> Typed:
    """CAST(… AS DOUBLE)."""
    _no_times(node, value)
    if value.kind is Kind.BOOLEAN:
        return Typed(Kind.FLOAT, f"CAST({value.sql} AS DOUBLE)", Fraction(0), Fraction(1), value.nullable)
    if value.kind is Kind.TEXT:
        number = f"TRY_CAST({value.sql} AS DOUBLE)"
        return Typed(Kind.FLOAT, f"(CASE WHEN isfinite({number}) THEN {number} END)")
    return as_float(value)
