"""Numbers on Spark: arithmetic, comparison, and functions of doubles.

Spark runs without ANSI errors, so nothing here can fail: what overflows would wrap or be NULL. Lowered SQL proves that
integers do not, within 2^126, which 38 digits hold. Where Spark's own word gives another value than DuckDB's on some
operand (its floor makes integers, its round goes through text), the value is put together from words that agree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tacit.query.dialects.dialect import Operation
from tacit.query.dialects.piece import Piece
from tacit.query.dialects.spark.once import once
from tacit.query.dialects.spark.spelling import HUGE, double, type_name, whole
from tacit.query.dialects.sql_type import BIGINT, HUGEINT, SqlType

_HALF = 10**19  # of the digits of a HUGEINT
_INFINITY = double(float("inf"))
_NOTHING = f"CAST(0 AS {HUGE})"
_WORD = 2.0**62  # below, no sum of two overflows 64 bits


def infix(sign: str) -> Operation:
    """Operands with a sign between them."""

    def operation(operands: Sequence[Piece], result: SqlType) -> str:
        return "(" + f" {sign} ".join(piece.sql for piece in operands) + ")"

    return operation


def call(name: str) -> Operation:
    """A function of its operands."""

    def operation(operands: Sequence[Piece], result: SqlType) -> str:
        return f"{name}({', '.join(piece.sql for piece in operands)})"

    return operation


def wide(piece: Piece) -> str:
    """A HUGEINT with all its digits: where its size permits, it is kept as a BIGINT until it is calculated with."""
    return f"CAST({piece.sql} AS {HUGE})"


def _exact(sign: str) -> Operation:
    """+, − or *, of a HUGEINT in words where the result fits one. Spark widens decimals; they are brought back."""

    def operation(operands: Sequence[Piece], result: SqlType) -> str:
        if result == HUGEINT:
            left, right = operands
            reach = left.reach * right.reach if sign == "*" else left.reach + right.reach
            fits = max(reach.most, left.reach.most, right.reach.most) < _WORD
            texts = [f"CAST({piece.sql} AS BIGINT)" if fits else wide(piece) for piece in operands]
            return f"({texts[0]} {sign} {texts[1]})"
        said = infix(sign)(operands, result)
        return f"CAST({said} AS {type_name(result)})" if result.name == "DECIMAL" else said

    return operation


def _negate(operands: Sequence[Piece], result: SqlType) -> str:
    return _minus(operands[0].sql, result)


def _minus(x: str, kind: SqlType) -> str:
    """The negative. Spark's own sign before a decimal rounds it to 34 digits, a difference does not."""
    is_wide = kind.name in ("HUGEINT", "DECIMAL")
    return f"CAST({_NOTHING} - {x} AS {type_name(kind)})" if is_wide else f"(- {x})"


def _abs(operands: Sequence[Piece], result: SqlType) -> str:
    """The size; for decimals as for the sign."""
    if result == HUGEINT and operands[0].reach.most < _WORD:
        return f"abs(CAST({operands[0].sql} AS BIGINT))"
    if result.name not in ("HUGEINT", "DECIMAL"):
        return f"abs({operands[0].sql})"
    return once(operands[0].sql, lambda x: f"(CASE WHEN {x} < 0 THEN {_minus(x, result)} ELSE {x} END)")


def _quotient(operands: Sequence[Piece], result: SqlType) -> str:
    """Integers divided, cut towards zero. Spark's own division of integers gives 64 bits."""
    if result != HUGEINT:
        said = infix("div")(operands, result)
        return said if result == BIGINT else f"CAST({said} AS {type_name(result)})"
    if all(piece.reach.most < _WORD for piece in operands):
        return f"(CAST({operands[0].sql} AS BIGINT) div CAST({operands[1].sql} AS BIGINT))"
    left, right = map(wide, operands)
    known = operands[1].constant
    if isinstance(known, int):
        return _in_halves(left, right) if abs(known) <= _HALF else _at_once(left, right)
    small = f"{right} BETWEEN {whole(-_HALF, HUGEINT)} AND {whole(_HALF, HUGEINT)}"
    return f"(CASE WHEN {small} THEN {_in_halves(left, right)} ELSE {_at_once(left, right)} END)"


def _at_once(left: str, right: str) -> str:
    """Without the remainder the quotient is whole; Spark gives it 20 digits before the point."""
    return f"CAST(({left} - {left} % {right}) / {right} AS {HUGE})"


def _in_halves(left: str, right: str) -> str:
    """Long division in two steps of 19 digits, by a divisor of at most 10^19: each quotient has at most 20 digits."""
    half = f"CAST({whole(_HALF, HUGEINT)} AS {HUGE})"
    upper = _at_once(left, half)
    rest = f"(({upper} % {right}) * {half} + {left} % {half})"
    return f"({_at_once(upper, right)} * {half} + {_at_once(rest, right)})"


def _rest(operands: Sequence[Piece], result: SqlType) -> str:
    texts = map(wide, operands) if result == HUGEINT else (piece.sql for piece in operands)
    return f"({' % '.join(texts)})"


def _sign(operands: Sequence[Piece], result: SqlType) -> str:
    not_nan = "AND NOT isnan({0}) " if operands[0].type.is_float else ""
    text = (
        f"CAST(CASE WHEN {{0}} > 0 {not_nan}THEN 1 WHEN {{0}} < 0 THEN -1 WHEN {{0}} IS NOT NULL THEN 0 END AS TINYINT)"
    )
    return once(operands[0].sql, text.format)


def _listed(operands: Sequence[Piece], result: SqlType) -> str:
    """IN: a set of doubles would tell −0.0 from 0.0, a sum with 0.0 does not."""
    value = f"({operands[0].sql} + 0.0D)" if operands[0].type.is_float else operands[0].sql
    return f"({value} IN ({', '.join(piece.sql for piece in operands[1:])}))"


def _between(operands: Sequence[Piece], result: SqlType) -> str:
    value, low, high = (piece.sql for piece in operands)
    return f"({value} BETWEEN {low} AND {high})"


def floor(x: str) -> str:
    """The greatest whole double that is not above; rint keeps the sign of a zero, as C does."""
    return f"(CASE WHEN rint({x}) > {x} THEN rint({x}) - 1.0D ELSE rint({x}) END)"


def ceil(x: str) -> str:
    """The mirror image of floor."""
    return f"(- {floor(f'(- {x})')})"


def nearest(x: str) -> str:
    """Rounded, halves away from zero: rint takes halves to the even side, and the difference to a half is exact."""
    up = f"WHEN {x} > 0 AND {x} - rint({x}) = 0.5D THEN rint({x}) + 1.0D"
    down = f"WHEN {x} < 0 AND rint({x}) - {x} = 0.5D THEN rint({x}) - 1.0D"
    return f"(CASE {up} {down} ELSE rint({x}) END)"


class Whole(str):
    """The text of a double made whole, which still knows what it was made of: a cast to BIGINT can then be shorter."""

    __slots__ = ("inner", "word")
    inner: str  # what was made whole
    word: str  # the same as a BIGINT, of what a BIGINT can hold

    @classmethod
    def of(cls, operand: Piece, said: Callable[[str], str], word: str | None = None) -> Whole:
        """Made whole as `said`; `word` makes a BIGINT of the operand itself, if Spark has such a word."""
        found = cls(once(operand.sql, said))
        found.inner = operand.sql
        found.word = f"CAST({found} AS BIGINT)" if word is None else word.format(operand.sql)
        return found


def _floor(operands: Sequence[Piece], result: SqlType) -> str:
    return Whole.of(operands[0], floor, "floor({})")


def _ceil(operands: Sequence[Piece], result: SqlType) -> str:
    return Whole.of(operands[0], ceil, "ceil({})")


def _nearest(operands: Sequence[Piece], result: SqlType) -> str:
    return Whole.of(operands[0], nearest)


def _trunc(operands: Sequence[Piece], result: SqlType) -> str:
    def said(x: str) -> str:
        return f"(CASE WHEN {x} < 0 THEN {ceil(x)} ELSE {floor(x)} END)"

    return Whole.of(operands[0], said, "CAST({} AS BIGINT)")


def _nearest_digits(operands: Sequence[Piece], result: SqlType) -> str:
    """Rounded in doubles; where the way there leaves their range, DuckDB gives the value itself."""
    digits = operands[1].constant
    assert isinstance(digits, int)
    unit, there, back = double(10.0 ** abs(digits)), "*" if digits >= 0 else "/", "/" if digits >= 0 else "*"

    def said(x: str) -> str:
        rounded = f"({nearest(f'({x} {there} {unit})')} {back} {unit})"
        return f"(CASE WHEN {_is_finite(rounded)} THEN {rounded} ELSE {x} END)"

    return once(operands[0].sql, said)


def _is_finite(x: str) -> str:
    return f"(abs({x}) < {_INFINITY})"


def _finite(operands: Sequence[Piece], result: SqlType) -> str:
    """NaN is above infinity here."""
    return _is_finite(operands[0].sql)


NUMBERS: dict[str, Operation] = {
    "+": _exact("+"),
    "-": _exact("-"),
    "*": _exact("*"),
    "/": infix("/"),
    "//": _quotient,
    "%": _rest,
    "negate": _negate,
    "abs": _abs,
    "sign": _sign,
    **{sign: infix(sign) for sign in ("=", "<>", "<", "<=", ">", ">=", "AND", "OR")},
    "IS NOT DISTINCT FROM": infix("<=>"),
    "IS DISTINCT FROM": lambda operands, result: f"(NOT {infix('<=>')(operands, result)})",
    "NOT": lambda operands, result: f"(NOT {operands[0].sql})",
    "IS NULL": lambda operands, result: f"({operands[0].sql} IS NULL)",
    "BETWEEN": _between,
    "IN": _listed,
    **{name: call(name) for name in ("coalesce", "least", "greatest", "sqrt", "ln", "log10", "log2", "exp", "power")},
    "round": _nearest,
    "floor": _floor,
    "ceil": _ceil,
    "trunc": _trunc,
    "round_digits": _nearest_digits,
    "isfinite": _finite,
}
