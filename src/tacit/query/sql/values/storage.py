"""The storage of values in the engine: SQL types, literals, and exact conversions between them."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from fractions import Fraction

from sqlglot import exp

from tacit.errors import Refused
from tacit.query.sql.values.exact_intervals import Interval, doubles, widened
from tacit.query.sql.values.refusal import refuse
from tacit.query.sql.values.typed import Typed
from tacit.schema.kind import Key, Kind, kind_of

LEAST_64, MOST_64 = -(2**63), 2**63 - 1
MOST_128 = 2**126
MOST_SCALE = 9


def interval(typed: Typed) -> Interval:
    """The bounds of an expression as an interval."""
    return Interval(typed.low, typed.high)


def stored(typed: Typed) -> Interval:
    """The bounds of the stored integers of an INTEGER or a DECIMAL."""
    return interval(typed) * Interval(Fraction(10**typed.scale), Fraction(10**typed.scale))


def integer_type(bounds: Interval) -> str | None:
    """The SQL type for integers within `bounds`; None if there is none."""
    if bounds.low is None or bounds.high is None:
        return None
    if bounds.low >= LEAST_64 and bounds.high <= MOST_64:
        return "BIGINT"
    return "HUGEINT" if bounds.low >= -MOST_128 and bounds.high <= MOST_128 else None


def sql_type(typed: Typed) -> str:
    """The SQL type of an expression's values."""
    return typed.kind.traits.sql or integer_type(stored(typed)) or "HUGEINT"


def constant_number(typed: Typed) -> Fraction | None:
    """The number of a constant expression; None for a constant NULL, and for anything but a constant number."""
    is_known = typed.is_constant and typed.kind.is_number and not typed.nullable and typed.low == typed.high
    return typed.low if is_known else None


def as_type(typed: Typed, target: str) -> str:
    """The SQL of an expression, cast to the wider type `target` where it has another."""
    number = constant_number(typed)
    if number is not None and typed.kind is not Kind.FLOAT:
        return integer_sql(int(number * 10**typed.scale), target)
    return typed.sql if sql_type(typed) == target else f"CAST({typed.sql} AS {target})"


def unsigned_zero(typed: Typed) -> str:
    """The SQL of an expression for conversion to text: −0.0 becomes 0.0, which it equals.

    Which of two equal values a MAX, a DISTINCT or a GROUP BY keeps depends on the order of rows in an engine, and so on
    all rows. So their texts must be equal.
    """
    return f"({typed.sql} + 0e0)" if typed.kind is Kind.FLOAT else typed.sql


def integer_sql(value: int, target: str = "BIGINT") -> str:
    """An integer as a literal of exactly this type."""
    return f"{value}::{target}" if value >= 0 else f"({value})::{target}"


def decimal_sql(value: Fraction, scale: int) -> str:
    """A number of so many digits after the point, as a literal."""
    digits = abs(int(value * 10**scale))
    whole, rest = divmod(digits, 10**scale)
    text = f"{whole}.{rest:0{scale}d}" if scale else str(whole)
    return f"(-{text})" if value < 0 else text


def double_sql(value: Fraction | float) -> str:
    """The double nearest to a number, as a literal that is a DOUBLE, to the last bit, in every engine.

    Its digits are the shortest that mean this double. The exponent makes it a double: without it a literal is a DECIMAL
    first, and 0.9999999999999999 has become 1 in the conversion.
    """
    text = repr(float(value))
    literal = text if "e" in text else f"{text}e0"
    return f"({literal})" if text.startswith("-") else literal


def text_sql(value: str) -> str:
    """A text as a literal."""
    if not value.isprintable() and any(ord(letter) == 0 or 0xD800 <= ord(letter) <= 0xDFFF for letter in value):
        raise Refused("a text with a NUL or half a surrogate pair", "No engine takes it as a literal.", "other text.")
    return "'" + value.replace("'", "''") + "'"


def literal_sql(value: Key | None) -> str:
    """A public key as a literal; a missing one is NULL."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return integer_sql(value, integer_type(Interval(Fraction(value), Fraction(value))) or "HUGEINT")
    if isinstance(value, str):
        return text_sql(value)
    return f"{kind_of(value).traits.sql} '{value}'"


def time_of(kind: Kind, number: Fraction) -> date:
    """The date that is so many days, or the timestamp that is so many microseconds, after 1970-01-01."""
    return kind.time_scale.time(int(number))


def number_of(value: date) -> Fraction:
    """The inverse of `time_of`."""
    return Fraction(kind_of(value).time_scale.number(value))


def days(typed: Typed) -> Interval:
    """The bounds of a time, in days since 1970-01-01."""
    step = Fraction(1, typed.kind.time_scale.steps_a_day)
    return interval(typed) * Interval(step, step)


def is_null(typed: Typed) -> bool:
    """Whether it is always NULL."""
    return typed.keys == ()


def null_of(kind: Kind, scale: int = 0) -> Typed:
    """NULL, as a value of this kind."""
    zero = None if kind in (Kind.TEXT, Kind.BOOLEAN) else Fraction(0)
    blank = Typed(kind, "", zero, zero, scale=scale, keys=(), is_constant=True, longest=0)
    return replace(blank, sql=f"CAST(NULL AS {sql_type(blank)})")


def as_float(typed: Typed) -> Typed:
    """A number as a FLOAT: the nearest double, where the engine's own conversion is exact enough."""
    if typed.kind is Kind.FLOAT:
        return typed
    if is_null(typed):
        return null_of(Kind.FLOAT)
    number = constant_number(typed)
    if number is not None:
        nearest = Fraction(float(number))
        return Typed(Kind.FLOAT, double_sql(nearest), nearest, nearest, nullable=False, is_constant=True)
    is_small = integer_type(stored(typed) * Interval(Fraction(2**10), Fraction(2**10))) == "BIGINT"  # below 2^53
    rounded = doubles(interval(typed)) if is_small else widened(interval(typed))
    sql = f"CAST({typed.sql} AS DOUBLE)"
    if typed.scale:
        sql = f"({sql} / 1e{typed.scale})"
    return Typed(Kind.FLOAT, sql, rounded.low, rounded.high, typed.nullable, is_constant=typed.is_constant)


def rescaled(typed: Typed, scale: int, node: exp.Expression) -> Typed:
    """An INTEGER or DECIMAL as a DECIMAL with at least as many digits after the point: exact."""
    kind = Kind.DECIMAL if scale else Kind.INTEGER
    if scale == typed.scale:
        return replace(typed, kind=kind)
    if is_null(typed):
        return null_of(kind, scale)
    finer = replace(typed, kind=kind, scale=scale, keys=None)
    target = integer_type(stored(finer))
    if target is None:
        raise refuse(node, "Its exact value may need more than 126 bits.", "narrower bounds in the description.")
    factor = integer_sql(10 ** (scale - typed.scale), target)
    number = constant_number(typed)
    if number is not None:
        return replace(finer, sql=integer_sql(int(number * 10**scale), target))
    if typed.low == typed.high == 0:  # a factor of an expression that is always 0 fits no bound: see `_product`
        return replace(finer, sql=as_type(typed, target))
    return replace(finer, sql=f"({as_type(typed, target)} * {factor})")
