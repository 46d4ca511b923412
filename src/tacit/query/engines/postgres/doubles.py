"""Arithmetic in doubles, without the errors that PostgreSQL raises for overflow and underflow.

Claim: every text below has, on all doubles, the value that IEEE arithmetic gives, and never fails. One exception:
a product or quotient that lies above half of the least double by less than one part in 2^53 may be 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from tacit.query.engines.postgres.overflow_thresholds import LARGEST, by_constant, largest, under_constant, vanishing
from tacit.query.engines.postgres.spelling import double, once
from tacit.query.sql.dialects.sql_type import SqlType
from tacit.query.sql.dialects.translator import Operation, Piece

_INFINITY, _BELOW = double(math.inf), double(-math.inf)
_DOWN, _UP = double(2.0**-520), double(2.0**500)
_SMALL, _LARGE = double(2.0**-500), double(2.0**500)
_MOST = double(LARGEST)


def added(sign: str) -> Operation:
    """a + b or a - b: small operands cannot overflow; for others the halves are added first."""

    def operation(operands: Sequence[Piece], _result: SqlType) -> str:
        left, right = operands
        small = min(left.reach.most, right.reach.most)
        if (left.reach + right.reach).cannot_overflow or small < 1e290:  # less than half a step of the largest double
            return f"({left.sql} {sign} {right.sql})"
        return once(operands, lambda a, b: _sum(a, b, sign))

    return operation


def _sum(a: str, b: str, sign: str) -> str:
    half = f"({a} * 0.5::float8 {sign} {b} * 0.5::float8)"
    small = f"{_is_missing(a, b)} OR (abs({a}) <= '1e307'::float8 AND abs({b}) <= '1e307'::float8)"
    special = f"abs({a}) > {_MOST} OR abs({b}) > {_MOST} OR least(abs({a}), abs({b})) < '1e-300'::float8"
    limit = double(2.0**1023)
    return (
        f"(CASE WHEN {small} OR {special} THEN {a} {sign} {b} WHEN {half} >= {limit} THEN {_INFINITY} "
        f"WHEN {half} <= -{limit} THEN {_BELOW} ELSE {a} {sign} {b} END)"
    )


def multiplied(operands: Sequence[Piece], _result: SqlType) -> str:
    """a * b: where it could leave the range, a product of scaled operands is tested first."""
    left, right = operands
    reach = left.reach * right.reach
    if reach.cannot_overflow and reach.cannot_vanish:
        return f"({left.sql} * {right.sql})"
    for value, factor in ((left, right), (right, left)):
        if isinstance(factor.constant, float) and math.isfinite(factor.constant) and factor.constant != 0:
            return by_constant(value, factor.constant, "*")
    return once(operands, _product)


def _product(a: str, b: str) -> str:
    """A factor below and one above 1 can neither overflow nor underflow.

    Nor can a product with 0, NaN or an infinity.
    """
    large = f"({a} * {_DOWN}) * ({b} * {_DOWN})"
    small = f"abs(({a} * {_UP}) * ({b} * {_UP}))"
    limit = double(2.0**-16)
    return (
        f"(CASE WHEN {_is_near_one(a)} AND {_is_near_one(b)} THEN {a} * {b} WHEN {_is_missing(a, b)} "
        f"OR {a} = 0 OR {b} = 0 OR {_is_special(a)} OR {_is_special(b)} OR (abs({a}) < 1) <> (abs({b}) < 1) "
        f"THEN {a} * {b} "
        f"WHEN abs({a}) < 1 THEN CASE WHEN greatest(abs({a}), abs({b})) >= {double(2.0**-540)} "
        f"AND {small} > {double(2.0**-75)} THEN {a} * {b} ELSE {_zero(a, b)} END "
        f"WHEN {large} >= {limit} THEN {_INFINITY} WHEN {large} <= -{limit} THEN {_BELOW} ELSE {a} * {b} END)"
    )


def _is_missing(a: str, b: str) -> str:
    """Tested first: beside a NULL the other operand could still fail."""
    return f"{a} IS NULL OR {b} IS NULL"


def _is_near_one(a: str) -> str:
    return f"abs({a}) BETWEEN {_SMALL} AND {_LARGE}"


def _is_special(a: str) -> str:
    return f"abs({a}) > {_MOST}"


def _zero(a: str, b: str) -> str:
    """Zero with its sign; NULL with a NULL."""
    return f"CASE ({a} < 0) <> ({b} < 0) WHEN TRUE THEN '-0'::float8 WHEN FALSE THEN '0'::float8 END"


def divided(operands: Sequence[Piece], _result: SqlType) -> str:
    """a / b, NULL where b is 0, which lowered SQL never asks for."""
    left, right = operands
    reach = left.reach / right.reach
    if reach.cannot_overflow and reach.cannot_vanish:
        below = right.sql if right.constant else f"nullif({right.sql}, 0::float8)"
        return f"({left.sql} / {below})"
    if isinstance(right.constant, float) and math.isfinite(right.constant) and right.constant != 0:
        return by_constant(left, right.constant, "/")
    if isinstance(left.constant, float) and math.isfinite(left.constant) and left.constant != 0:
        return under_constant(left.constant, right)
    return once(operands, _quotient)


def _quotient(a: str, b: str) -> str:
    """As for a product: a quotient of operands scaled by exact powers of two is tested first."""
    up, down = double(2.0**540), double(2.0**-540)
    vanishing = f"abs(({a} * {up}) / ({b} * {down}))"
    over_small = f"{a} / ({b} * {up})"
    over_large = f"({a} * {down}) / ({b} * {up})"
    return (
        f"(CASE WHEN {_is_near_one(a)} AND {_is_near_one(b)} THEN {a} / {b} "
        f"WHEN {_is_missing(a, b)} OR {b} = 0 THEN NULL "
        f"WHEN {a} = 0 OR {_is_special(a)} OR {_is_special(b)} THEN {a} / {b} "
        f"WHEN abs({b}) >= 1 THEN CASE WHEN abs({a}) >= 1 OR {vanishing} > 32 THEN {a} / {b} ELSE {_zero(a, b)} END "
        f"WHEN abs({a}) <= abs({b}) THEN {a} / {b} WHEN abs({a}) < 1 THEN {_capped(over_small, 2.0**484, a, b)} "
        f"ELSE {_capped(over_large, 2.0**-56, a, b)} END)"
    )


def _capped(test: str, limit: float, a: str, b: str) -> str:
    return (
        f"CASE WHEN {test} >= {double(limit)} THEN {_INFINITY} WHEN {test} <= -{double(limit)} THEN {_BELOW} "
        f"ELSE {a} / {b} END"
    )


def rounded(operands: Sequence[Piece], _result: SqlType) -> str:
    """The nearest whole number, halves away from zero (PostgreSQL rounds them to even)."""
    return once(operands, half_away)


def half_away(a: str) -> str:
    """Half away from zero, for a short text."""
    return f"(CASE WHEN abs({a} - trunc({a})) >= 0.5::float8 THEN trunc({a}) + sign({a}) ELSE trunc({a}) END)"


def rounded_digits(operands: Sequence[Piece], _result: SqlType) -> str:
    """round(a, n), by way of a·10^n; where that overflows, a itself, which has no digits there."""
    value, digits = operands
    assert isinstance(digits.constant, int)
    power = 10.0 ** abs(digits.constant)
    if digits.constant < 0:
        return once([value], lambda a: _tens(a, power))
    reach = largest(lambda number: number * power)

    def text(a: str) -> str:
        whole = half_away(f"({a} * {double(power)})")
        return f"(CASE WHEN abs({a}) > {double(reach)} THEN {a} ELSE {whole} / {double(power)} END)"

    return once([value], text)


def _tens(a: str, power: float) -> str:
    """Below a quarter of a ten a zero of a's sign is left, also of a zero; what would overflow stays as it is."""
    whole = half_away(f"({a} / {double(power)})")
    is_over = f"abs({a}) > {double(1e307)} AND NOT abs({whole} * {double(power / 2)}) < {double(2.0**1023)}"
    return (
        f"(CASE WHEN abs({a}) < {double(power / 4)} THEN {a} * 0::float8 WHEN {is_over} THEN {a} "
        f"ELSE {whole} * {double(power)} END)"
    )


def exponential(operands: Sequence[Piece], _result: SqlType) -> str:
    """e to the power of a."""

    def text(a: str) -> str:
        tiny = f"exp({a} + 100::float8) * '{math.exp(-100)!r}'::float8"
        return (
            f"(CASE WHEN {a} > '709.782712893384'::float8 THEN CASE WHEN {a} = 'NaN' THEN {a} ELSE {_INFINITY} END "
            f"WHEN {a} < -744 THEN 0::float8 WHEN {a} < -708 THEN {tiny} ELSE exp({a}) END)"
        )

    return once(operands, text)


def power(operands: Sequence[Piece], _result: SqlType) -> str:
    """a to a whole power of at most 16; small bases are moved up by a power of two, and the result back down."""
    base, count = operands
    assert isinstance(count.constant, int)
    number = count.constant
    if number == 0:
        return f"(CASE WHEN {base.sql} IS NOT NULL THEN 1::float8 END)"
    if number == 1:
        return base.sql
    none, most = vanishing(lambda value: value**number), largest(lambda value: value**number)
    least, up = 10.0 ** (-307 / number), -(-64 // number)
    below, zero = ("-", "{0} * 0::float8") if number % 2 else ("", "0::float8")

    def text(a: str) -> str:
        low = f"CASE WHEN {a} < 0 THEN {below}{_INFINITY} WHEN {a} = 'NaN' THEN {a} ELSE {_INFINITY} END"
        small = f"power({a} * {double(2.0**up)}, {number}::float8) * {double(2.0 ** -(up * number))}"
        return (
            f"(CASE WHEN abs({a}) > {double(most)} THEN {low} WHEN abs({a}) <= {double(none)} THEN {zero.format(a)} "
            f"WHEN abs({a}) < {double(least)} THEN {small} ELSE power({a}, {number}::float8) END)"
        )

    return once([base], text)


DOUBLES: dict[str, Operation] = {
    "exp": exponential,
    "power": power,
    "round": rounded,
    "round_digits": rounded_digits,
}
