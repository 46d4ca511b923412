"""CAST, TRY_CAST and ::, with the same meaning: a value that cannot be cast is NULL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from sqlglot import exp

from tacit.query.sql.expressions.number_casts import to_decimal, to_float, to_integer
from tacit.query.sql.expressions.result_types import as_timestamp, parse_time
from tacit.query.sql.expressions.rule import Family, Typer, part
from tacit.query.sql.values.column_reader import clamp_time
from tacit.query.sql.values.domains import cut, longest_written, mapped
from tacit.query.sql.values.refusal import refuse
from tacit.query.sql.values.storage import days, is_null, null_of, sql_type, unsigned_zero
from tacit.query.sql.values.typed import Typed
from tacit.schema.kind import PARSED, Key, Kind

_WHOLE, *_OTHERS, _LAST = (kind.traits.cast for kind in Kind)
_ACCEPTED = f"{', '.join([_WHOLE, 'INTEGER', *_OTHERS])} or {_LAST}."


def _cast(node: exp.Expression, typer: Typer) -> Typed:
    target = part(node, "to")
    name = str(getattr(target.this, "value", target.this)).upper()
    if name not in PARSED or target.args.get("nested"):
        raise refuse(node, f"{name} is not a type here.", _ACCEPTED)
    kind, inner = PARSED[name], part(node)
    if kind.is_time and isinstance(inner, exp.Literal) and inner.is_string:
        return parse_time(node, inner.name, kind)
    return cast(node, typer(inner), kind, name, target)


def cast(node: exp.Expression, value: Typed, kind: Kind, name: str, target: exp.Expression) -> Typed:
    """The rule of a cast to another kind."""
    if is_null(value):
        return null_of(kind)
    if kind is Kind.INTEGER:
        return to_integer(node, value, name)
    if kind is Kind.DECIMAL:
        return to_decimal(node, value, [int(item.name) for item in target.find_all(exp.DataTypeParam)])
    if kind.is_time:
        return _to_time(node, value, kind)
    return _CASTS[kind](node, value)


def _date(node: exp.Expression, typer: Typer) -> Typed:
    value = typer(part(node))
    return null_of(Kind.DATE) if is_null(value) else _to_time(node, value, Kind.DATE)


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


def _to_time(node: exp.Expression, value: Typed, kind: Kind) -> Typed:
    if value.kind is Kind.TEXT:
        return _time_of_text(value, kind)
    if value.kind.is_time:
        return as_timestamp(value) if kind.has_clock else _to_date(value)
    accepted = "a timestamp, or a text such as '2024-01-31'."
    if kind.has_clock:
        accepted = "a date, or a text such as '2024-01-31 12:00:00'."
    raise refuse(node, f"A {kind} cannot be made of {value.kind}.", accepted)


def _to_date(value: Typed) -> Typed:
    if value.kind is Kind.DATE:
        return value
    bounds = days(value)
    assert bounds.low is not None
    assert bounds.high is not None
    low, high = Fraction(bounds.low.__floor__()), Fraction(bounds.high.__floor__())
    keys = None if value.keys is None else mapped(value, lambda key: key.date() if hasattr(key, "date") else None)
    return replace(value, kind=Kind.DATE, sql=f"CAST({value.sql} AS DATE)", low=low, high=high, keys=keys)


def _time_of_text(value: Typed, kind: Kind) -> Typed:
    low, high = (Fraction(limit) for limit in kind.time_scale.limits)
    parsed = f"TRY_CAST({value.sql} AS {kind.traits.sql})"
    return Typed(kind, clamp_time(parsed, kind, low, high), low, high)


_CASTS: dict[Kind, Callable[[exp.Expression, Typed], Typed]] = {
    Kind.FLOAT: to_float,
    Kind.TEXT: _to_text,
    Kind.BOOLEAN: _to_boolean,
}
CASTING = Family("casts", ("CAST", "TRY_CAST", "::"), {exp.Cast: _cast, exp.TryCast: _cast, exp.Date: _date})
