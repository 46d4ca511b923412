"""/ // and %: a division by zero is NULL."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from sqlglot import exp

from tacit.query.expressions.arithmetic import keys_of, numbers
from tacit.query.expressions.intervals import Interval, doubles, hull, quotient
from tacit.query.expressions.results import exact_result, float_result
from tacit.query.expressions.rule import Family, Typer, part
from tacit.query.expressions.shown import refuse
from tacit.query.expressions.storage import as_float, constant_number, interval, is_null, null_of, rescaled
from tacit.query.typed import Typed
from tacit.schema.kind import Kind

_ZERO = Fraction(0)


def divide(node: exp.Expression, left: Typed, right: Typed) -> Typed:
    """left / right, in doubles. The smallest step of an integer or decimal divisor keeps the quotient bounded."""
    first, second = as_float(left), as_float(right)
    if is_null(left) or is_null(right) or right.low == right.high == 0:
        return null_of(Kind.FLOAT)
    least = None if right.kind is Kind.FLOAT else Fraction(float(Fraction(1, 10**right.scale)))
    bounds = doubles(quotient(interval(first), interval(second), least))
    sql = f"({first.sql} / {second.sql})"
    if not interval(right).holds(_ZERO):
        return float_result(sql, bounds, (first, second))
    guarded = f"(CASE WHEN {second.sql} <> 0 THEN {sql} END)"
    return float_result(guarded, bounds, (first, second), nullable=True)


def _divide(node: exp.Expression, typer: Typer) -> Typed:
    left, right = numbers(node, typer(part(node)), typer(part(node, "expression")))
    return divide(node, left, right)


def _truncated(node: exp.Expression, typer: Typer) -> Typed:
    left, right = _integers(node, typer)
    exact = quotient(interval(left), interval(right), Fraction(1))
    assert exact.low is not None
    assert exact.high is not None
    bounds = Interval(Fraction(int(exact.low)), Fraction(int(exact.high)))
    return _whole(node, left, right, "//", bounds, _truncate)


def _truncate(a: int, b: int) -> int | None:
    """Integer division as engines do it: towards zero."""
    return None if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(node: exp.Expression, typer: Typer) -> Typed:
    left, right = numbers(node, typer(part(node)), typer(part(node, "expression")))
    if Kind.FLOAT in (left.kind, right.kind):
        raise refuse(node, "A remainder of floats is not exact.", "int or decimal operands: CAST(… AS BIGINT).")
    scale = max(left.scale, right.scale)
    left, right = rescaled(left, scale, node), rescaled(right, scale, node)
    step = abs(interval(right)).high or _ZERO
    largest = max(_ZERO, step - Fraction(1, 10**scale))
    own = hull((interval(left), Interval(_ZERO, _ZERO)))
    assert own.low is not None
    assert own.high is not None
    bounds = Interval(max(own.low, -largest), min(own.high, largest))
    through = quotient(interval(left), interval(right), Fraction(1, 10**scale))  # engines divide on the way
    return _whole(node, left, right, "%", bounds, _rest, through)


def _rest(a: int, b: int) -> int | None:
    quotient = _truncate(a, b)
    return None if quotient is None else a - b * quotient


def _whole(
    node: exp.Expression,
    left: Typed,
    right: Typed,
    sign: str,
    bounds: Interval,
    operation: Callable[[int, int], int | None],
    through: Interval | None = None,
) -> Typed:
    if right.low == right.high == 0:
        return null_of(left.kind, left.scale)
    may_be_zero = interval(right).holds(_ZERO)
    first, second = constant_number(left), constant_number(right)
    if first is not None and second is not None:
        exact = operation(int(first * 10**left.scale), int(second * 10**right.scale))
        value = Fraction(exact or 0, 10**left.scale)
        bounds = Interval(value, value)

    def formula(a: str, b: str) -> str:
        return f"(CASE WHEN {b} <> 0 THEN {a} {sign} {b} END)" if may_be_zero else f"({a} {sign} {b})"

    keys = keys_of(operation, left, right)
    return exact_result(node, (left, right), bounds, formula, left.scale, may_be_zero, keys, through)


def _integers(node: exp.Expression, typer: Typer) -> tuple[Typed, Typed]:
    left, right = numbers(node, typer(part(node)), typer(part(node, "expression")))
    if not left.kind is right.kind is Kind.INTEGER:
        raise refuse(node, "Integer division is for integers.", "FLOOR(x / y), or CAST(… AS BIGINT) around both sides.")
    return left, right


DIVISION = Family("division", ("/", "//", "%", "MOD"), {exp.Div: _divide, exp.IntDiv: _truncated, exp.Mod: _remainder})
