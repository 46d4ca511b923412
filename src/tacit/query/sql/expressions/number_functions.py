"""ABS, SIGN, SQRT, LN, LOG, EXP and POWER: NULL where a function is not defined."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from sqlglot import exp

from tacit.query.sql.dialects.sql_type import BOOLEAN, DOUBLE, INTEGER, TINIEST, Reach, SqlType
from tacit.query.sql.dialects.translator import (
    OWN,
    Call,
    Lowered,
    Piece,
    Translator,
    of_double,
    refusing,
    whole_literal,
)
from tacit.query.sql.expressions.arithmetic import numbers
from tacit.query.sql.expressions.result_types import exact_result, float_result
from tacit.query.sql.expressions.rule import Family, SqlFunction, Typer, composed, part
from tacit.query.sql.values.exact_intervals import Interval, doubles, widened
from tacit.query.sql.values.refusal import refuse
from tacit.query.sql.values.storage import (
    as_float,
    constant_number,
    interval,
    is_null,
    null_of,
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
    """A logarithm, which is bounded without declared bounds, by that of the least positive double."""
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
    """Bounds wider than the error of any mathematical library, except at 0, which is exact in all of them."""
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


def _cbrt(node: exp.Expression, typer: Typer) -> Typed:
    value = as_float(*numbers(node, typer(part(node))))
    low, high = (None if end is None else Fraction(math.cbrt(end)) for end in (value.low, value.high))
    return float_result(f"cbrt({value.sql})", widened(Interval(low, high)), (value,))


def _is_nan(node: exp.Expression, typer: Typer) -> Typed:
    """NaN is NULL wherever it is read, so that no number is NaN."""
    (value,) = numbers(node, typer(part(node)))
    return composed("x <> x", typer, x=value)


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


def _size(node: exp.Expression, walk: Translator) -> Piece:
    value = walk(node.this)
    return walk.say("abs", [value], value.type, value.reach)


def _signed(node: exp.Expression, walk: Translator) -> Piece:
    """SIGN; of NaN it is 0."""
    return walk.say("sign", [walk(node.this)], SqlType("TINYINT"))


def _sign_in_postgres(operands: Sequence[Piece], _result: SqlType) -> str:
    value = operands[0]
    return f"sign({value}{'' if value.type.is_float else '::numeric'})::smallint"


def _based(node: exp.Expression, walk: Translator) -> Piece:
    name = {"10": "log10", "2": "log2"}.get(node.this.name)
    if name is None or node.args.get("expression") is None:
        raise walk.refusal("LOG")
    return walk.say(name, [walk.convert(walk(node.expression), DOUBLE)], DOUBLE, _LOGARITHMS)


def _raised(node: exp.Expression, walk: Translator) -> Piece:
    """A double to a whole power from 0 to 16."""
    value = walk.convert(walk(node.this), DOUBLE)
    exponent = walk.literal(whole_literal(node.expression, walk, "power"), INTEGER)
    return walk.say("power", [value, exponent], DOUBLE, Reach())


def _finite(node: exp.Expression, walk: Translator) -> Piece:
    return walk.say("isfinite", [walk.convert(walk(node.expressions[0]), DOUBLE)], BOOLEAN)


def _root_reach(value: Reach) -> Reach:
    return Reach(math.sqrt(value.least) / 2, math.sqrt(value.most) * 2)


def _cube_root_reach(value: Reach) -> Reach:
    return Reach(math.cbrt(value.least) / 2, math.cbrt(value.most) * 2)


_LOGARITHMS = Reach(TINIEST, 1100.0)  # of doubles
_NO_LOG2 = "PostgreSQL has no binary logarithm of floats."
ELEMENTARY = Family.of(
    "mathematics",
    SqlFunction(("ABS",), _absolute, (exp.Abs,), Lowered(_size, (Call("abs", spark=OWN),))),
    SqlFunction(("SIGN",), _sign, (exp.Sign,), Lowered(_signed, (Call("sign", _sign_in_postgres, OWN),))),
    SqlFunction(("SQRT",), _sqrt, (exp.Sqrt,), of_double(Call("sqrt"), _root_reach)),
    SqlFunction(("CBRT",), _cbrt, (exp.Cbrt,), of_double(Call("cbrt"), _cube_root_reach)),
    SqlFunction(("ISNAN",), _is_nan, (exp.IsNan,)),
    SqlFunction(("LN",), _ln, (exp.Ln,), of_double(Call("ln"), lambda _: _LOGARITHMS)),
    SqlFunction(
        ("LOG", "LOG10", "LOG2"),
        _log,
        (exp.Log,),
        Lowered(
            _based, (Call("log10", "log"), Call("log2", refusing("PostgreSQL", "LOG2", "LN(x) / LN(2).", _NO_LOG2)))
        ),
    ),
    SqlFunction(
        ("EXP",), _exp, (exp.Exp,), of_double(Call("exp", OWN), lambda _: Reach()), bounded="EXP(LEAST({}, 50))."
    ),
    SqlFunction(("POWER", "POW"), _power, (exp.Pow,), Lowered(_raised, (Call("power", OWN),))),
    SqlFunction(
        (),
        None,
        lowered=Lowered(
            _finite,
            (Call("isfinite", "(abs({0}) < 'Infinity'::float8)", "`<`(`abs`({0}), 'Infinity'::DOUBLE)"),),
        ),
        names=("isfinite",),
    ),
)
