"""Numbers on Spark: arithmetic, comparison, and functions of doubles.

Spark runs without ANSI errors, so nothing here can fail: overflow would wrap or give NULL. Lowered SQL ensures that
integers do not overflow, within 2^126, which fits 38 digits. Where Spark's own function differs from DuckDB's on some
operand (its floor makes integers, its round goes through text), the value is composed of functions that agree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tacit.query.engines.spark.spelling import (
    HUGE,
    both_once,
    call,
    calling,
    case,
    cast,
    double,
    once,
    type_name,
    whole,
)
from tacit.query.sql.dialects.sql_type import BIGINT, HUGEINT, SqlType
from tacit.query.sql.dialects.translator import Operation, Piece

_HALF = 10**19  # of the digits of a HUGEINT
_INFINITY = double(float("inf"))
_NOTHING = cast("0", HUGE)
_WORD = 2.0**62  # below, no sum of two overflows 64 bits


def wide(piece: Piece) -> str:
    """A HUGEINT with all its digits: a small one is kept as a BIGINT until it is used in arithmetic."""
    return cast(piece.sql, HUGE)


def _exact(sign: str) -> Operation:
    """+, − or *, of a HUGEINT in words where the result fits one. Spark widens decimals; they are brought back."""

    def operation(operands: Sequence[Piece], result: SqlType) -> str:
        if result == HUGEINT:
            left, right = operands
            reach = left.reach * right.reach if sign == "*" else left.reach + right.reach
            fits = max(reach.most, left.reach.most, right.reach.most) < _WORD
            return call(sign, *(cast(piece.sql, "BIGINT") if fits else wide(piece) for piece in operands))
        said = calling(sign)(operands, result)
        return cast(said, type_name(result)) if result.name == "DECIMAL" else said

    return operation


def _negate(operands: Sequence[Piece], result: SqlType) -> str:
    return _minus(operands[0].sql, result)


def _minus(x: str, kind: SqlType) -> str:
    """The negative, as a difference, because Spark's negation of a decimal rounds it to 34 digits."""
    is_wide = kind.name in ("HUGEINT", "DECIMAL")
    return cast(call("-", _NOTHING, x), type_name(kind)) if is_wide else call("negative", x)


def _abs(operands: Sequence[Piece], result: SqlType) -> str:
    """The size; for decimals as for the sign."""
    if result == HUGEINT and operands[0].reach.most < _WORD:
        return call("abs", cast(operands[0].sql, "BIGINT"))
    if result.name not in ("HUGEINT", "DECIMAL"):
        return call("abs", operands[0].sql)
    return once(operands[0].sql, lambda x: case(call("<", x, "0"), _minus(x, result), x))


def _quotient(operands: Sequence[Piece], result: SqlType) -> str:
    """Integers divided, cut towards zero. Spark's own division of integers gives 64 bits."""
    if result != HUGEINT:
        said = calling("div")(operands, result)
        return said if result == BIGINT else cast(said, type_name(result))
    if all(piece.reach.most < _WORD for piece in operands):
        return call("div", *(cast(piece.sql, "BIGINT") for piece in operands))
    known = operands[1].constant

    def divided(left: str, right: str) -> str:
        if isinstance(known, int):
            return _in_halves(left, right) if abs(known) <= _HALF else _at_once(left, right)
        small = call("between", right, whole(-_HALF, HUGEINT), whole(_HALF, HUGEINT))
        return case(small, _in_halves(left, right), _at_once(left, right))

    return both_once(wide(operands[0]), wide(operands[1]), divided)


def _at_once(left: str, right: str) -> str:
    """Without the remainder the quotient is whole; Spark gives it 20 digits before the point."""
    return cast(call("/", call("-", left, call("%", left, right)), right), HUGE)


def _in_halves(left: str, right: str) -> str:
    """Long division in two steps of 19 digits, by a divisor of at most 10^19: each quotient has at most 20 digits."""
    half = cast(whole(_HALF, HUGEINT), HUGE)
    upper = _at_once(left, half)
    rest = call("+", call("*", call("%", upper, right), half), call("%", left, half))
    return call("+", call("*", _at_once(upper, right), half), _at_once(rest, right))


def _rest(operands: Sequence[Piece], result: SqlType) -> str:
    return call("%", *(wide(piece) if result == HUGEINT else piece.sql for piece in operands))


def _sign(operands: Sequence[Piece], result: SqlType) -> str:
    def said(x: str) -> str:
        above = call(">", x, "0")
        if operands[0].type.is_float:
            above = call("and", above, call("not", call("isnan", x)))
        return cast(case(above, "1", call("<", x, "0"), "-1", call("isnotnull", x), "0"), "TINYINT")

    return once(operands[0].sql, said)


def _listed(operands: Sequence[Piece], result: SqlType) -> str:
    """IN: a set of doubles would distinguish −0.0 from 0.0; adding 0.0 makes them equal."""
    value = call("+", operands[0].sql, "0.0D") if operands[0].type.is_float else operands[0].sql
    return call("in", value, *(piece.sql for piece in operands[1:]))


def floor(x: str) -> str:
    """The greatest whole double that is not above; rint keeps the sign of a zero, as C does."""
    even = call("rint", x)
    return case(call(">", even, x), call("-", even, "1.0D"), even)


def ceil(x: str) -> str:
    """The mirror image of floor."""
    return call("negative", floor(call("negative", x)))


def nearest(x: str) -> str:
    """Rounded, halves away from zero: rint takes halves to the even side, and the difference to a half is exact."""
    even = call("rint", x)
    up = call("and", call(">", x, "0"), call("=", call("-", x, even), "0.5D"))
    down = call("and", call("<", x, "0"), call("=", call("-", even, x), "0.5D"))
    return case(up, call("+", even, "1.0D"), down, call("-", even, "1.0D"), even)


class Whole(str):
    """The text of a double made whole, with its operand, so that a cast to BIGINT can be shorter."""

    __slots__ = ("inner", "word")
    inner: str  # what was made whole
    word: str  # the same as a BIGINT, within its range

    @classmethod
    def of(cls, operand: Piece, said: Callable[[str], str], word: str | None = None) -> Whole:
        """Made whole as `said`; `word` makes a BIGINT of the operand itself, if Spark has such a function."""
        found = cls(once(operand.sql, said))
        found.inner = operand.sql
        found.word = cast(found, "BIGINT") if word is None else word.format(operand.sql)
        return found


def _floor(operands: Sequence[Piece], result: SqlType) -> str:
    return Whole.of(operands[0], floor, "`floor`({})")


def _ceil(operands: Sequence[Piece], result: SqlType) -> str:
    return Whole.of(operands[0], ceil, "`ceil`({})")


def _nearest(operands: Sequence[Piece], result: SqlType) -> str:
    return Whole.of(operands[0], nearest)


def _trunc(operands: Sequence[Piece], result: SqlType) -> str:
    def said(x: str) -> str:
        return case(call("<", x, "0"), ceil(x), floor(x))

    return Whole.of(operands[0], said, "{}::BIGINT")


def _nearest_digits(operands: Sequence[Piece], result: SqlType) -> str:
    """Rounded in doubles; where an intermediate result leaves their range, DuckDB returns the value itself."""
    digits = operands[1].constant
    assert isinstance(digits, int)
    unit, there, back = double(10.0 ** abs(digits)), "*" if digits >= 0 else "/", "/" if digits >= 0 else "*"

    def said(x: str) -> str:
        rounded = call(back, nearest(call(there, x, unit)), unit)
        return case(_is_finite(rounded), rounded, x)

    return once(operands[0].sql, said)


def _is_finite(x: str) -> str:
    """NaN is above infinity here."""
    return call("<", call("abs", x), _INFINITY)


OPERATORS: dict[str, Operation] = {
    "+": _exact("+"),
    "-": _exact("-"),
    "*": _exact("*"),
    "//": _quotient,
    "%": _rest,
    "negate": _negate,
    **{sign: calling(sign) for sign in ("/", "=", "<", "<=", ">", ">=")},
    "<>": lambda operands, result: call("not", calling("=")(operands, result)),
    "IS NOT DISTINCT FROM": calling("<=>"),
    "IS DISTINCT FROM": lambda operands, result: call("not", calling("<=>")(operands, result)),
    **{word: calling(word.lower()) for word in ("AND", "OR", "NOT", "BETWEEN")},
    "IS NULL": calling("isnull"),
    "IN": _listed,
    "CASE": calling("when"),
}
NUMBERS: dict[str, Operation] = {
    "abs": _abs,
    "sign": _sign,
    "round": _nearest,
    "floor": _floor,
    "ceil": _ceil,
    "trunc": _trunc,
    "round_digits": _nearest_digits,
}
