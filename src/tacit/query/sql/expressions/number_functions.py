"""ABS, SIGN, SQRT, LN, LOG, EXP, POWER and WIDTH_BUCKET: NULL where a function is not defined.

WIDTH_BUCKET(x, low, high, n) is the number of the bucket, of n equal ones, that x lies in; 0 is below, n + 1 above.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from sqlglot import exp

from tacit.query.sql.expressions.arithmetic import numbers
from tacit.query.sql.expressions.result_types import exact_result, float_result
from tacit.query.sql.expressions.rule import Family, Typer, part
from tacit.query.sql.values.exact_intervals import Interval, doubles, widened
from tacit.query.sql.values.refusal import refuse
from tacit.query.sql.values.storage import (
    as_float,
    as_type,
    constant_number,
    double_sql,
    integer_sql,
    integer_type,
    interval,
    is_null,
    null_of,
    rescaled,
    stored,
)
from tacit.query.sql.values.typed import Typed
from tacit.schema.kind import Kind

_ZERO = Fraction(0)
_LEAST_DOUBLE = Fraction(5e-324)
_LARGEST_DOUBLE = Fraction(1.7976931348623157e308)
_MOST_EXPONENT = 16


def _absolute(node: exp.Expression, typer: Typer) -> Typed:
    (value,) = numbers(node, typer(part(node)))
    bounds = abs(interval(value))
    if value.kind is Kind.FLOAT:
        return float_result(f"abs({value.sql})", bounds, (value,))
    return exact_result(node, (value,), bounds, lambda v: f"abs({v})", value.scale)


def _sign(node: exp.Expression, typer: Typer) -> Typed:
    (value,) = numbers(node, typer(part(node)))
    if is_null(value):
        return null_of(Kind.INTEGER)
    low = Fraction(-1 if value.low is None or value.low < 0 else 0 if value.low == 0 else 1)
    high = Fraction(1 if value.high is None or value.high > 0 else 0 if value.high == 0 else -1)
    return Typed(Kind.INTEGER, f"CAST(sign({value.sql}) AS BIGINT)", low, high, value.nullable)


def _sqrt(node: exp.Expression, typer: Typer) -> Typed:
    value = as_float(*numbers(node, typer(part(node))))
    low = max(_ZERO, value.low or _ZERO)
    high = max(_ZERO, value.high) if value.high is not None else _LARGEST_DOUBLE
    bounds = doubles(Interval(Fraction(math.sqrt(low)), Fraction(math.sqrt(high))))
    if value.low is not None and value.low >= 0:
        return float_result(f"sqrt({value.sql})", bounds, (value,))
    return float_result(f"(CASE WHEN {value.sql} >= 0 THEN sqrt({value.sql}) END)", bounds, (value,), nullable=True)


def _logarithm(node: exp.Expression, typer: Typer, name: str, of: Callable[[float], float], inner: str) -> Typed:
    """A logarithm, bounded even where nothing was declared: the least positive double has one too."""
    (given,) = numbers(node, typer(part(node, inner)))
    value = as_float(given)
    least = _LEAST_DOUBLE if given.kind is Kind.FLOAT else Fraction(float(Fraction(1, 10**given.scale)))
    low = max(least, value.low or _ZERO)
    high = max(low, value.high if value.high is not None else _LARGEST_DOUBLE)
    bounds = _nearly(Fraction(of(float(low))), Fraction(of(float(high))))
    if value.low is not None and value.low > 0:
        return float_result(f"{name}({value.sql})", bounds, (value,))
    return float_result(f"(CASE WHEN {value.sql} > 0 THEN {name}({value.sql}) END)", bounds, (value,), nullable=True)


def _nearly(low: Fraction, high: Fraction) -> Interval:
    """Wider than any mathematics library is off, except at 0, which they all hit."""
    wide = widened(Interval(low, high))
    return Interval(low if low == 0 else wide.low, high if high == 0 else wide.high)


def _ln(node: exp.Expression, typer: Typer) -> Typed:
    return _logarithm(node, typer, "ln", math.log, "this")


def _log(node: exp.Expression, typer: Typer) -> Typed:
    if node.args.get("expression") is None:
        return _logarithm(node, typer, "log10", math.log10, "this")
    if node.this.name == "10":
        return _logarithm(node, typer, "log10", math.log10, "expression")
    if node.this.name == "2":
        return _logarithm(node, typer, "log2", math.log2, "expression")
    raise refuse(node, "Logarithms are to the base e, 10 or 2.", "LN(x), LOG10(x), LOG2(x), or LN(x) / LN(3).")


def _exp(node: exp.Expression, typer: Typer) -> Typed:
    value = as_float(*numbers(node, typer(part(node))))
    low = _ZERO if value.low is None or value.low < -700 else Fraction(math.exp(min(value.low, Fraction(700))))
    high = None if value.high is None or value.high > 700 else Fraction(math.exp(max(value.high, Fraction(-700))))
    bounds = widened(Interval(low, high))
    return float_result(f"exp({value.sql})", Interval(max(_ZERO, bounds.low or _ZERO), bounds.high), (value,))


def _power(node: exp.Expression, typer: Typer) -> Typed:
    base, exponent = numbers(node, typer(part(node)), typer(part(node, "expression")))
    if is_null(exponent):
        return null_of(Kind.FLOAT)
    count = constant_number(exponent)
    if not (count is not None and count.denominator == 1 and 0 <= count <= _MOST_EXPONENT):
        accepted = f"POWER(x, 2) and so on up to {_MOST_EXPONENT}; SQRT(x); 1 / POWER(x, 2); EXP(y * LN(x))."
        raise refuse(node, "The exponent must be a whole literal.", accepted)
    value = as_float(base)
    exact = interval(value) ** int(count)
    wide = widened(exact)
    low = max(_ZERO, wide.low or _ZERO) if exact.low is not None and exact.low >= 0 else wide.low
    bounds = Interval(low, wide.high)
    return float_result(f"power({value.sql}, {count})", bounds, (value,))


ELEMENTARY = Family(
    "mathematics",
    ("ABS", "SIGN", "SQRT", "LN", "LOG", "LOG10", "LOG2", "EXP", "POWER", "POW"),
    {
        exp.Abs: _absolute,
        exp.Sign: _sign,
        exp.Sqrt: _sqrt,
        exp.Ln: _ln,
        exp.Log: _log,
        exp.Exp: _exp,
        exp.Pow: _power,
    },
)


_MOST_BUCKETS = 10_000
_ACCEPTED = f"WIDTH_BUCKET(x, low, high, n) with literals low < high and 1 ≤ n ≤ {_MOST_BUCKETS}."


def _width_bucket(node: exp.Expression, typer: Typer) -> Typed:
    names = ("this", "min_value", "max_value", "num_buckets")
    if any(node.args.get(name) is None for name in names):
        raise refuse(node, "It takes four arguments.", _ACCEPTED)
    value, low, high, count = numbers(node, *(typer(part(node, name)) for name in names))
    first, last, buckets = (constant_number(fixed) for fixed in (low, high, count))
    if first is None or last is None or buckets is None:
        raise refuse(node, "Its limits and number must be literals.", _ACCEPTED)
    if not (buckets.denominator == 1 and 1 <= buckets <= _MOST_BUCKETS):
        raise refuse(node, "The number of buckets is out of range.", _ACCEPTED)
    is_float = Kind.FLOAT in (value.kind, low.kind, high.kind)
    if is_float:
        value, first, last = as_float(value), Fraction(float(first)), Fraction(float(last))
    if not float((last - first) / buckets) > 1e-300:
        raise refuse(node, "The lower limit is not below the upper one.", _ACCEPTED)
    if is_null(value):
        return null_of(Kind.INTEGER)
    if is_float:
        sql = _in_doubles(value, first, last, int(buckets))
    else:
        sql = _in_integers(node, value, low, high, int(buckets))
    return Typed(Kind.INTEGER, sql, *_ends(value, first, last, int(buckets)), nullable=value.nullable)


def _ends(value: Typed, low: Fraction, high: Fraction, buckets: int) -> tuple[Fraction, Fraction]:
    """No bucket below or above where the bounds say so."""
    first = 1 if value.low is not None and value.low >= low else 0
    last = buckets if value.high is not None and value.high < high else buckets + 1
    return Fraction(min(first, last)), Fraction(last)


def _in_integers(node: exp.Expression, value: Typed, low: Typed, high: Typed, buckets: int) -> str:
    """Exactly: (x − low)·n // (high − low) + 1, where x is at least low."""
    scale = max(value.scale, low.scale, high.scale)
    fine, start, end = (rescaled(item, scale, node) for item in (value, low, high))
    assert start.low is not None
    assert end.low is not None
    first, last = int(start.low * 10**scale), int(end.low * 10**scale)
    largest = Fraction(max(abs(first), abs(last), last - first) * buckets)
    reach = stored(fine)
    assert reach.low is not None
    assert reach.high is not None
    kept = Interval(min(-largest, reach.low), max(largest, reach.high))
    target = integer_type(kept)
    if target is None:
        raise refuse(node, "Its limits are too large to calculate with exactly.", _ACCEPTED)
    x = as_type(fine, target)
    inside = f"({x} - {integer_sql(first, target)}) * {buckets} // {integer_sql(last - first, target)}"
    return (
        f"(CASE WHEN {x} < {integer_sql(first, target)} THEN {integer_sql(0)} WHEN {x} < {integer_sql(last, target)} "
        f"THEN CAST({inside} AS BIGINT) + 1 WHEN {x} IS NOT NULL THEN {integer_sql(buckets + 1)} END)"
    )


def _in_doubles(value: Typed, low: Fraction, high: Fraction, buckets: int) -> str:
    """In doubles, kept within 1 … n against rounding."""
    x, width = value.sql, (high - low) / buckets
    place = f"CAST(floor(({x} - {double_sql(low)}) / {double_sql(width)}) AS BIGINT) + 1"
    inside = f"least(greatest({place}, {integer_sql(1)}), {integer_sql(buckets)})"
    return (
        f"(CASE WHEN {x} < {double_sql(low)} THEN {integer_sql(0)} WHEN {x} < {double_sql(high)} THEN {inside} "
        f"WHEN {x} IS NOT NULL THEN {integer_sql(buckets + 1)} END)"
    )


BUCKETS = Family("histograms", ("WIDTH_BUCKET",), {exp.WidthBucket: _width_bucket})
