"""CAST, TRY_CAST and ::, all alike: a value that cannot be cast is NULL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from sqlglot import exp

from tacit.query.sql.expressions.number_casts import to_decimal, to_float, to_integer
from tacit.query.sql.expressions.result_types import as_timestamp, parse_time
from tacit.query.sql.expressions.rule import Family, Typer, part
from tacit.query.sql.values.column_reader import LIMITS, clamp_time
from tacit.query.sql.values.domains import cut, longest_written, mapped
from tacit.query.sql.values.exact_intervals import Interval
from tacit.query.sql.values.refusal import refuse
from tacit.query.sql.values.storage import MICROSECONDS_A_DAY, interval, is_null, null_of, sql_type, unsigned_zero
from tacit.query.sql.values.typed import Typed
from tacit.schema.kind import Key, Kind

_TYPES = {
    "TINYINT": Kind.INTEGER,
    "SMALLINT": Kind.INTEGER,
    "INT": Kind.INTEGER,
    "BIGINT": Kind.INTEGER,
    "INT128": Kind.INTEGER,
    "DECIMAL": Kind.DECIMAL,
    "DOUBLE": Kind.FLOAT,
    "FLOAT": Kind.FLOAT,
    "TEXT": Kind.TEXT,
    "VARCHAR": Kind.TEXT,
    "BOOLEAN": Kind.BOOLEAN,
    "DATE": Kind.DATE,
    "TIMESTAMP": Kind.TIMESTAMP,
    "TIMESTAMPNTZ": Kind.TIMESTAMP,
}
_ACCEPTED = "BIGINT, INTEGER, DECIMAL(18, 2), DOUBLE, VARCHAR, BOOLEAN, DATE or TIMESTAMP."


def _cast(node: exp.Expression, typer: Typer) -> Typed:
    target = part(node, "to")
    name = str(getattr(target.this, "value", target.this)).upper()
    if name not in _TYPES or target.args.get("nested"):
        raise refuse(node, f"{name} is not a type here.", _ACCEPTED)
    kind, inner = _TYPES[name], part(node)
    if kind.is_time and isinstance(inner, exp.Literal) and inner.is_string:
        return parse_time(node, inner.name, kind)
    return cast(node, typer(inner), kind, name, target)


def cast(node: exp.Expression, value: Typed, kind: Kind, name: str, target: exp.Expression) -> Typed:
    """A value as one of another kind."""
    if is_null(value):
        return null_of(kind)
    if kind is Kind.INTEGER:
        return to_integer(node, value, name)
    if kind is Kind.DECIMAL:
        return to_decimal(node, value, [int(item.name) for item in target.find_all(exp.DataTypeParam)])
    return _CASTS[kind](node, value)


def _date(node: exp.Expression, typer: Typer) -> Typed:
    value = typer(part(node))
    return null_of(Kind.DATE) if is_null(value) else _to_date(node, value)


def _to_text(node: exp.Expression, value: Typed) -> Typed:
    if value.kind is Kind.TEXT:
        return value
    keys = None
    if (value.kind is Kind.INTEGER and value.keys is not None) or value.kind in (Kind.BOOLEAN, Kind.DATE):
        keys = mapped(value, _written)
    sql = f"CAST({unsigned_zero(value)} AS VARCHAR)"
    if value.kind is Kind.DECIMAL:
        if sql_type(value) != "BIGINT":
            raise refuse(node, "The decimal is too wide to be written out.", "narrower bounds in the description.")
        step = f"{Fraction(1, 10**value.scale).__float__():.{value.scale}f}"
        sql = f"CAST(CAST({value.sql} AS DECIMAL(19, 0)) * {step} AS VARCHAR)"
    longest = longest_written(value)
    return Typed(
        *(Kind.TEXT, cut(sql, longest)),
        nullable=value.nullable,
        keys=keys,
        is_constant=value.is_constant,
        longest=longest,
    )


def _written(key: Key) -> str:
    return str(key).lower() if isinstance(key, bool) else str(key)


def _to_boolean(node: exp.Expression, value: Typed) -> Typed:
    if value.kind is Kind.BOOLEAN:
        return value
    if value.kind.is_time:
        raise refuse(node, "A time is neither true nor false.", "a comparison such as day > DATE '2024-01-31'.")
    if value.kind is Kind.TEXT:
        return Typed(Kind.BOOLEAN, f"TRY_CAST({value.sql} AS BOOLEAN)")
    return Typed(Kind.BOOLEAN, f"({value.sql} <> 0)", nullable=value.nullable)


def _to_date(node: exp.Expression, value: Typed) -> Typed:
    if value.kind is Kind.DATE:
        return value
    if value.kind is Kind.TEXT:
        return _time_of_text(value, Kind.DATE)
    if value.kind is not Kind.TIMESTAMP:
        raise refuse(node, f"A date cannot be made of {value.kind}.", "a timestamp, or a text such as '2024-01-31'.")
    days = interval(value) * Interval(Fraction(1, MICROSECONDS_A_DAY), Fraction(1, MICROSECONDS_A_DAY))
    assert days.low is not None
    assert days.high is not None
    low, high = Fraction(days.low.__floor__()), Fraction(days.high.__floor__())
    keys = None if value.keys is None else mapped(value, lambda key: key.date() if hasattr(key, "date") else None)
    return replace(value, kind=Kind.DATE, sql=f"CAST({value.sql} AS DATE)", low=low, high=high, keys=keys)


def _to_timestamp(node: exp.Expression, value: Typed) -> Typed:
    if value.kind.is_time:
        return as_timestamp(value)
    if value.kind is Kind.TEXT:
        return _time_of_text(value, Kind.TIMESTAMP)
    raise refuse(
        node, f"A timestamp cannot be made of {value.kind}.", "a date, or a text such as '2024-01-31 12:00:00'."
    )


def _time_of_text(value: Typed, kind: Kind) -> Typed:
    low, high = (Fraction(limit) for limit in LIMITS[kind])
    parsed = f"TRY_CAST({value.sql} AS {'DATE' if kind is Kind.DATE else 'TIMESTAMP'})"
    return Typed(kind, clamp_time(parsed, kind, low, high), low, high)


_CASTS: dict[Kind, Callable[[exp.Expression, Typed], Typed]] = {
    Kind.FLOAT: to_float,
    Kind.TEXT: _to_text,
    Kind.BOOLEAN: _to_boolean,
    Kind.DATE: _to_date,
    Kind.TIMESTAMP: _to_timestamp,
}
CASTING = Family("casts", ("CAST", "TRY_CAST", "::"), {exp.Cast: _cast, exp.TryCast: _cast, exp.Date: _date})
