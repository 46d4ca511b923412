"""The enforcing read of numbers: clamped, then rounded with halves away from zero, so that no value can fail.

The type in the file's header bounds the integers of a column, which makes the SQL shorter.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction

from tacit.query.sql.values.exact_intervals import Interval
from tacit.query.sql.values.storage import (
    LEAST_64,
    MOST_64,
    MOST_128,
    decimal_sql,
    double_sql,
    integer_sql,
    integer_type,
)
from tacit.query.sql.values.typed import Typed
from tacit.schema.description import Column
from tacit.schema.kind import Kind

_NARROW = 2**51  # below it, the product of a value and a power of ten has a rounding error below one half
_INFINITY = "'infinity'::DOUBLE"


def read_integer(column: Column, reference: str, physical: str | None) -> Typed:
    """An INTEGER, or the integer value·10^scale of a DECIMAL."""
    low, high = _integer_bounds(column)
    target = integer_type(Interval(Fraction(low), Fraction(high))) or "HUGEINT"
    ends = (integer_sql(low, target), integer_sql(high, target))
    held = integer_range(physical)
    shape = decimal_shape(physical)
    if held is not None:
        sql = _from_integer(reference, held, column.scale, (low, high), target)
    elif shape is not None and _fits(shape, column.scale):
        sql = _from_decimal(reference, shape, column.scale, (low, high), target)
    elif low > -_NARROW and high < _NARROW:
        double = reference if is_float(physical) else f"TRY_CAST({reference} AS DOUBLE)"
        scaled = f"{double} * 1e{column.scale}" if column.scale else double
        values = (double_sql(Fraction(low, 10**column.scale)), double_sql(Fraction(high, 10**column.scale)))
        sql = (
            f"CASE WHEN {double} < {values[0]} THEN {ends[0]} WHEN {double} <= {values[1]} "
            f"THEN TRY_CAST(round({scaled}) AS {target}) WHEN {double} <= {_INFINITY} THEN {ends[1]} END"
        )
    else:
        value = f"round({reference})" if is_float(physical) and column.scale == 0 else reference
        sql = _from_anything(value, column.scale, (low, high), target)
    bounds = Interval(Fraction(low, 10**column.scale), Fraction(high, 10**column.scale))
    kind = Kind.DECIMAL if column.scale else Kind.INTEGER
    return Typed(kind, sql if sql == reference else f"({sql})", bounds.low, bounds.high, scale=column.scale)


def _integer_bounds(column: Column) -> tuple[int, int]:
    """The declared bounds as stored integers; undeclared bounds, and bounds beyond the type, are the type's ends."""
    unit = 10**column.scale
    widest = MOST_128 if column.scale == 0 else MOST_64
    low = LEAST_64 if column.low is None else min(widest, max(-widest, math.ceil(column.low * unit)))
    high = MOST_64 if column.high is None else min(widest, max(-widest, math.floor(column.high * unit)))
    return min(low, high), high


def _from_integer(reference: str, held: tuple[int, int], scale: int, bounds: tuple[int, int], target: str) -> str:
    """From an integer type that holds `held`; a bound that no value of the type can exceed is not tested."""
    unit = 10**scale
    low, high = math.ceil(Fraction(bounds[0], unit)), math.floor(Fraction(bounds[1], unit))
    value = reference if (held, target) == ((LEAST_64, MOST_64), "BIGINT") else f"TRY_CAST({reference} AS {target})"
    if scale:
        value = f"{value} * {integer_sql(unit, target)}"
    tests = []
    if held[0] < low:
        test = f"< {low}" if low <= held[1] else f"<= {held[1]}"
        tests.append(f"WHEN {reference} {test} THEN {integer_sql(bounds[0], target)}")
    if held[1] > high:
        test = f"> {high}" if high >= held[0] else f">= {held[0]}"
        tests.append(f"WHEN {reference} {test} THEN {integer_sql(bounds[1], target)}")
    return f"CASE {' '.join(tests)} ELSE {value} END" if tests else value


def _fits(shape: tuple[int, int], scale: int) -> bool:
    """Whether both a comparison with a bound and the product with 10^scale fit DECIMAL's 38 digits."""
    width, own = shape
    return width + scale + 1 <= 38 and width - own + max(scale, own) <= 38


def _from_decimal(reference: str, shape: tuple[int, int], scale: int, bounds: tuple[int, int], target: str) -> str:
    """From a DECIMAL type, compared exactly."""
    largest = Fraction(10 ** shape[0], 10 ** shape[1])
    low, high = Fraction(bounds[0], 10**scale), Fraction(bounds[1], 10**scale)
    reach = min(largest, max(abs(low), abs(high))) * 10 ** (scale + shape[1])
    wide = reference if reach < 10**18 else f"CAST({reference} AS DECIMAL(38, {shape[1]}))"  # 18 digits are fast
    scaled = f"{wide} * {10**scale}" if scale else reference
    tests = []
    if -largest < low:
        tests.append(
            f"WHEN {reference} < {decimal_sql(min(low, largest), scale)} THEN {integer_sql(bounds[0], target)}"
        )
    if largest > high:
        tests.append(
            f"WHEN {reference} > {decimal_sql(max(high, -largest), scale)} THEN {integer_sql(bounds[1], target)}"
        )
    value = f"TRY_CAST({scaled} AS {target})"
    return f"CASE {' '.join(tests)} ELSE {value} END" if tests else value


def _from_anything(reference: str, scale: int, bounds: tuple[int, int], target: str) -> str:
    """From any type, exact for values that a double cannot hold; values beyond 38 digits are treated by their sign."""
    middle = f"DECIMAL(38, {scale})" if scale else "HUGEINT"
    wide, double = f"TRY_CAST({reference} AS {middle})", f"TRY_CAST({reference} AS DOUBLE)"
    unit = 10**scale
    low, high = decimal_sql(Fraction(bounds[0], unit), scale), decimal_sql(Fraction(bounds[1], unit), scale)
    value = f"TRY_CAST({wide} AS {target})"
    if scale:
        value = f"TRY_CAST(TRY_CAST({wide} AS DECIMAL(20, {scale})) * {unit} AS {target})"
    ends = (integer_sql(bounds[0], target), integer_sql(bounds[1], target))
    return (
        f"CASE WHEN {wide} < {low} THEN {ends[0]} WHEN {wide} > {high} THEN {ends[1]} "
        f"WHEN {wide} IS NOT NULL THEN {value} WHEN {double} < -1e20 THEN {ends[0]} "
        f"WHEN {double} > 1e20 AND {double} <= {_INFINITY} THEN {ends[1]} END"
    )


def read_float(column: Column, reference: str, physical: str | None) -> Typed:
    """A finite DOUBLE; NaN is NULL, and so is an infinity on a side without a bound."""
    low = None if column.low is None else Fraction(float(column.low))
    high = None if column.high is None else Fraction(float(column.high))
    value = reference if physical == "DOUBLE" else f"TRY_CAST({reference} AS DOUBLE)"
    tests = [] if low is None else [f"WHEN {value} < {double_sql(low)} THEN {double_sql(low)}"]
    if high is None:
        tests.append(f"WHEN isfinite({value}) THEN {value}")
    else:
        finite = "" if low is not None else f" AND {value} >= {double_sql(-_LARGEST)}"
        tests.append(f"WHEN {value} <= {double_sql(high)}{finite} THEN {value}")
        tests.append(f"WHEN {value} > {double_sql(high)} AND {value} <= {_INFINITY} THEN {double_sql(high)}")
    return Typed(Kind.FLOAT, f"(CASE {' '.join(tests)} END)", low, high)


_LARGEST = Fraction(1.7976931348623157e308)


_BITS = {"TINYINT": 8, "SMALLINT": 16, "INTEGER": 32, "BIGINT": 64, "HUGEINT": 128}
_INTEGERS = {name: (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for name, bits in _BITS.items()} | {
    "U" + name: (0, 2**bits - 1) for name, bits in _BITS.items()
}
_DECIMAL = re.compile(r"DECIMAL\((\d+),(\d+)\)")


def integer_range(physical: str | None) -> tuple[int, int] | None:
    """The least and the greatest value of an integer type; None for any other type."""
    return _INTEGERS.get(physical or "")


def decimal_shape(physical: str | None) -> tuple[int, int] | None:
    """The width and the scale of a DECIMAL; None for any other type."""
    match = _DECIMAL.fullmatch((physical or "").replace(" ", ""))
    return (int(match[1]), int(match[2])) if match else None


def is_float(physical: str | None) -> bool:
    """Whether the type is a floating-point number."""
    return physical in ("DOUBLE", "FLOAT", "REAL")
