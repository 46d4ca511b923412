"""+ − * / // % and unary minus: exact for integers and decimals, in doubles if an operand is a float.

A division by zero is NULL.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from sqlglot import exp

from tacit.query.sql.expressions.date_shifts import difference, is_shift, shift
from tacit.query.sql.expressions.leaves import exact_constant
from tacit.query.sql.expressions.result_types import exact_result, float_result, unify
from tacit.query.sql.expressions.rule import Family, Typer, part
from tacit.query.sql.values.domains import mapped
from tacit.query.sql.values.exact_intervals import Interval, doubles, hull, quotient
from tacit.query.sql.values.refusal import refuse
from tacit.query.sql.values.storage import MOST_SCALE, as_float, constant_number, interval, is_null, null_of, rescaled
from tacit.query.sql.values.typed import Typed
from tacit.schema.kind import Key, Kind

Combine = Callable[[Interval, Interval], Interval]
_FAR = 2**54


def numbers(node: exp.Expression, *items: Typed) -> tuple[Typed, ...]:
    """The items, all of them numbers; NULL counts as an INTEGER here."""
    for item in items:
        if not (item.kind.is_number or is_null(item)):
            why = f"It calculates with {item.kind}, which is not a number."
            accepted = "int, decimal and float; CAST(… AS BIGINT) makes one of a text or a truth value."
            raise refuse(node, why, "day + INTERVAL 1 DAY, or day - day." if item.kind.is_time else accepted)
    return tuple(null_of(Kind.INTEGER) if is_null(item) and not item.kind.is_number else item for item in items)


def keys_of(operation: Callable[[int, int], int | None], *items: Typed) -> tuple[Key, ...] | None:
    """The domain of a calculation on integers, one of them a constant; None if it is unknown."""
    left, right = items
    if not (left.kind is Kind.INTEGER and right.kind is Kind.INTEGER):
        return None
    first, second = constant_number(left), constant_number(right)
    if second is not None:
        return mapped(left, lambda key: operation(key, int(second)) if isinstance(key, int) else None)
    if first is not None:
        return mapped(right, lambda key: operation(int(first), key) if isinstance(key, int) else None)
    return None


def _add(node: exp.Expression, typer: Typer) -> Typed:
    if is_shift(node):
        return shift(node, typer)
    items = typer(part(node)), typer(part(node, "expression"))
    return _aligned(node, items, "+", Interval.__add__, lambda a, b: a + b)


def _subtract(node: exp.Expression, typer: Typer) -> Typed:
    if is_shift(node):
        return shift(node, typer)
    left, right = typer(part(node)), typer(part(node, "expression"))
    if left.kind.is_time and right.kind.is_time:
        return difference(node, left, right)
    return _aligned(node, (left, right), "-", Interval.__sub__, lambda a, b: a - b)


def _aligned(
    node: exp.Expression,
    items: tuple[Typed, Typed],
    sign: str,
    combine: Combine,
    operation: Callable[[int, int], int],
) -> Typed:
    """A sum or difference: scales are brought together first."""
    left, right = unify(node, *numbers(node, *items))
    bounds = combine(interval(left), interval(right))
    if left.kind is Kind.FLOAT:
        return float_result(f"({left.sql} {sign} {right.sql})", doubles(bounds), (left, right))
    keys = None if left.keys is None and right.keys is None else keys_of(operation, left, right)
    if sign == "+" and (far := _far(left, right)) is not None:
        return exact_result(node, far, bounds, lambda a, b: f"({a} - {b})", left.scale, keys=keys)
    return exact_result(node, (left, right), bounds, lambda a, b: f"({a} {sign} {b})", left.scale, keys=keys)


def _far(left: Typed, right: Typed) -> tuple[Typed, Typed] | None:
    """x and −c for x + c with a far constant c.

    DuckDB makes x + c + d an x + (c + d), and fails while it plans if c + d overflows; x − (−c) it leaves as it is.
    Below 2^54 the constants of an expression, which is at most 200 deep, cannot add up to 2^63.
    """
    for value, other in ((left, right), (right, left)):
        number = constant_number(other)
        if number is not None and abs(number) * 10**other.scale >= _FAR:
            return value, exact_constant(-number, other.scale)
    return None


def _multiply(node: exp.Expression, typer: Typer) -> Typed:
    left, right = numbers(node, typer(part(node)), typer(part(node, "expression")))
    scale = left.scale + right.scale
    if Kind.FLOAT in (left.kind, right.kind) or scale > MOST_SCALE:
        first, second = as_float(left), as_float(right)
        bounds = doubles(interval(first) * interval(second))
        return float_result(f"({first.sql} * {second.sql})", bounds, (first, second))
    keys = keys_of(lambda a, b: a * b, left, right)
    bounds = interval(left) * interval(right)
    return exact_result(node, (left, right), bounds, _product(left, right), scale, keys=keys)


def _product(left: Typed, right: Typed) -> Callable[[str, str], str]:
    """a · b; without a product where one of them is always 0.

    DuckDB makes x · c · d an x · (c · d), and fails while it plans if c · d overflows; unless x is always 0 the bounds
    of the whole are at least |c · d|, and those fit.
    """
    if left.low == left.high == 0:
        return lambda a, b: f"(CASE WHEN {b} IS NOT NULL THEN {a} END)"
    if right.low == right.high == 0:
        return lambda a, b: f"(CASE WHEN {a} IS NOT NULL THEN {b} END)"
    return lambda a, b: f"({a} * {b})"


def _negate(node: exp.Expression, typer: Typer) -> Typed:
    (value,) = numbers(node, typer(part(node)))
    bounds = -interval(value)
    if value.kind is Kind.FLOAT:
        return float_result(f"(-{value.sql})", bounds, (value,))
    keys = None if value.keys is None else tuple(-key for key in value.keys if isinstance(key, int))
    return exact_result(node, (value,), bounds, lambda a: f"(-{a})", value.scale, keys=keys)


ARITHMETIC = Family(
    "arithmetic",
    ("+", "-", "*"),
    {exp.Add: _add, exp.Sub: _subtract, exp.Mul: _multiply, exp.Neg: _negate},
)


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
    """Integer division as in engines: towards zero."""
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
    # engines compute this quotient internally
    through = quotient(interval(left), interval(right), Fraction(1, 10**scale))
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
