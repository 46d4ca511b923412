"""ROUND, FLOOR, CEIL and TRUNC: halves are rounded away from zero; a whole result is an INTEGER."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from sqlglot import exp

from tacit.query.sql.dialects.sql_type import DOUBLE, INTEGER, Reach
from tacit.query.sql.dialects.translator import OWN, Call, Lowered, Piece, Translator, of_double, whole_literal
from tacit.query.sql.expressions.arithmetic import numbers
from tacit.query.sql.expressions.result_types import exact_result, float_result
from tacit.query.sql.expressions.rule import Family, Rule, SqlFunction, Typer, part
from tacit.query.sql.values.domains import mapped
from tacit.query.sql.values.exact_intervals import Interval
from tacit.query.sql.values.refusal import refuse
from tacit.query.sql.values.storage import constant_number, interval, is_null, null_of, stored
from tacit.query.sql.values.typed import Typed
from tacit.schema.kind import Kind

_MOST_DIGITS = 15
_EXACT = 2**53  # below it doubles represent all whole numbers

Step = Callable[[Fraction], int]


def half_away(value: Fraction) -> int:
    """The nearest integer; halves go away from zero."""
    return math.floor(abs(value) + Fraction(1, 2)) * (1 if value >= 0 else -1)


def to_digits(node: exp.Expression, value: Typed, digits: int) -> Typed:
    """An INTEGER or DECIMAL rounded to so many digits after the point; below 0, to tens, hundreds and so on."""
    if digits >= value.scale or is_null(value):
        return value
    step = 10 ** (value.scale - digits)
    scale = max(digits, 0)
    back = 10 ** max(-digits, 0)
    bounds = _ends(stored(value), lambda number: half_away(number / step) * back, scale)
    half = stored(value) + Interval(Fraction(-step), Fraction(step))

    def formula(v: str) -> str:
        move = _half(v, step, value)
        return f"(({v} {move}) // {step})" if back == 1 else f"(({v} {move}) // {step} * {back})"

    keys = None
    if value.kind is Kind.INTEGER:
        keys = mapped(value, lambda key: half_away(Fraction(int(key), step)) * back if isinstance(key, int) else None)
    return exact_result(node, (value,), bounds, formula, scale, keys=keys, through=half)


def _half(v: str, step: int, value: Typed) -> str:
    if value.low is not None and value.low >= 0:
        return f"+ {step // 2}"
    return f"+ CASE WHEN {v} < 0 THEN {-(step // 2)} ELSE {step // 2} END"


def _ends(bounds: Interval, function: Step, scale: int) -> Interval:
    """The bounds of a monotone function of stored bounds."""
    assert bounds.low is not None
    assert bounds.high is not None
    return Interval(Fraction(function(bounds.low), 10**scale), Fraction(function(bounds.high), 10**scale))


def _round(node: exp.Expression, typer: Typer) -> Typed:
    (value,) = numbers(node, typer(part(node)))
    digits = _digits(node, typer)
    if value.kind is not Kind.FLOAT:
        return to_digits(node, value, digits)
    return _whole_float(value, f"round({value.sql})", half_away) if digits == 0 else _round_float(value, digits)


def _digits(node: exp.Expression, typer: Typer) -> int:
    written = node.args.get("decimals")
    if written is None:
        return 0
    digits = constant_number(typer(written))
    if digits is None or digits.denominator != 1:
        raise refuse(node, "The number of digits must be a whole literal.", "ROUND(x, 2).")
    if not abs(digits) <= _MOST_DIGITS:
        raise refuse(node, f"It asks for more than {_MOST_DIGITS} digits.", "ROUND(x, 2).")
    return int(digits)


def _round_float(value: Typed, digits: int) -> Typed:
    """Rounding in doubles, as in the engine: its steps are monotone, so the bounds are the rounded bounds."""

    def rounded(end: Fraction | None) -> Fraction | None:
        if end is None or not abs(end) < Fraction(10) ** 280:
            return None
        factor = 10.0 ** abs(digits)
        number = float(end)
        scaled = half_away(Fraction(number * factor if digits > 0 else number / factor))
        return Fraction(float(scaled) / factor if digits > 0 else float(scaled) * factor)

    bounds = Interval(rounded(value.low), rounded(value.high))
    return float_result(f"round({value.sql}, {digits})", bounds, (value,))


def _whole_float(value: Typed, sql: str, step: Step) -> Typed:
    """A float made whole: an INTEGER if by its bounds doubles represent it exactly."""
    if is_null(value):
        return null_of(Kind.INTEGER)
    bounds = interval(value)
    if bounds.low is None or bounds.high is None or not max(-bounds.low, bounds.high) < _EXACT:
        low = None if bounds.low is None else Fraction(step(bounds.low))
        return float_result(sql, Interval(low, None if bounds.high is None else Fraction(step(bounds.high))), (value,))
    low, high = Fraction(step(bounds.low)), Fraction(step(bounds.high))
    return Typed(Kind.INTEGER, f"CAST({sql} AS BIGINT)", low, high, value.nullable)


def _whole(name: str, step: Step) -> Rule:
    def rule(node: exp.Expression, typer: Typer) -> Typed:
        if any(node.args.get(extra) is not None for extra in ("decimals", "to")):
            raise refuse(node, f"{name} takes one argument.", f"{name}(x), or ROUND(x, 2).")
        (value,) = numbers(node, typer(part(node)))
        if value.kind is Kind.FLOAT:
            return _whole_float(value, f"{name.lower()}({value.sql})", step)
        if value.scale == 0 or is_null(value):
            return value
        unit = 10**value.scale
        bounds = _ends(stored(value), lambda number: step(number / unit), 0)
        up = Fraction(unit * math.ceil(max(Fraction(0), -(value.low or Fraction(0)))))
        moved = stored(value) + Interval(Fraction(-unit), up + unit)
        return exact_result(node, (value,), bounds, _formulas(name, unit, int(up)), through=moved)

    return rule


def _formulas(name: str, unit: int, up: int) -> Callable[[str], str]:
    """Division cuts towards zero, so values are first shifted to be positive, where that rounds down."""
    if name == "TRUNC":
        return lambda v: f"({v} // {unit})"
    more = up + (unit - 1 if name == "CEIL" else 0)
    return lambda v: f"(({v} + {more}) // {unit} - {up // unit})"


def _rounded(node: exp.Expression, walk: Translator) -> Piece:
    """With n digits it is round(x·10^n)/10^n, for n < 0 round(x/10^−n)·10^−n."""
    value, digits = walk.convert(walk(node.this), DOUBLE), node.args.get("decimals")
    if digits is None:
        return walk.say("round", [value], DOUBLE, _whole_reach(value.reach))
    number = walk.literal(whole_literal(digits, walk, "round"), INTEGER)
    return walk.say("round_digits", [value, number], DOUBLE, Reach())


def _whole_reach(value: Reach) -> Reach:
    return Reach(1.0, value.most + 1)


ROUNDING = Family.of(
    "rounding",
    SqlFunction(
        ("ROUND",),
        _round,
        (exp.Round,),
        Lowered(_rounded, (Call("round", OWN, OWN), Call("round_digits", OWN, OWN))),
    ),
    SqlFunction(
        ("FLOOR",), _whole("FLOOR", math.floor), (exp.Floor,), of_double(Call("floor", spark=OWN), _whole_reach)
    ),
    SqlFunction(
        ("CEIL", "CEILING"), _whole("CEIL", math.ceil), (exp.Ceil,), of_double(Call("ceil", spark=OWN), _whole_reach)
    ),
    SqlFunction(("TRUNC",), _whole("TRUNC", int), (exp.Trunc,), of_double(Call("trunc", spark=OWN), _whole_reach)),
)
