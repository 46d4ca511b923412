"""Casts on Spark, rounded as DuckDB rounds: away from zero, but from doubles to integers to the even side of a half."""

from __future__ import annotations

from tacit.query.dialects.dialect import cannot
from tacit.query.dialects.piece import Piece
from tacit.query.dialects.spark import calls
from tacit.query.dialects.spark.calls import attempt, call, case
from tacit.query.dialects.spark.numbers import Whole, nearest, wide
from tacit.query.dialects.spark.once import once
from tacit.query.dialects.spark.parsing import parsed
from tacit.query.dialects.spark.spelling import ENGINE, HUGE, double, type_name, whole
from tacit.query.dialects.spark.writing import written
from tacit.query.dialects.sql_type import BIGINT, BOOLEAN, DATE, HUGEINT, TIMESTAMP, VARCHAR, ZONED, SqlType

_WORD = 2**64
_BITS = {"TINYINT": 7, "SMALLINT": 15, "INTEGER": 31, "BIGINT": 63}
_EXACT = 2**53
_EXACT_DIGITS = 15  # of whole numbers that all are doubles


def cast(value: Piece, target: SqlType, is_try: bool) -> str:
    """A value as another type; with `is_try`, NULL where it cannot be, else lowered SQL knows that it can."""
    source, x = value.type, value.sql
    if source == VARCHAR:
        return parsed(x, target)
    if target == VARCHAR:
        return once(x, lambda own: written(own, source))
    if target == BOOLEAN and source.is_number:
        return call("not", call("=", x, "0"))
    if source == BOOLEAN and target.is_number:
        return calls.cast(x, type_name(target))
    if source.is_float and target.is_exact:
        return _rounded(value, target, is_try)
    if source.is_exact and target.name == "DOUBLE":
        if source == HUGEINT and not value.reach.most < _EXACT:
            return once(wide(value), lambda own: _to_double(own, source))
        return calls.cast(x, "DOUBLE") if source == HUGEINT else once(x, lambda own: _to_double(own, source))
    if source.is_integer and target == HUGEINT:
        return x
    if source.is_exact and target.is_exact:
        rounded = call("round", x, "0") if target.is_integer and source.scale else x
        return (attempt if target.is_integer else calls.cast)(rounded, type_name(target))
    is_time = source in (DATE, TIMESTAMP) or source.name == ZONED
    if (is_time and target in (DATE, TIMESTAMP)) or (source.name, target.name) == ("FLOAT", "DOUBLE"):
        return calls.cast(x, type_name(target))
    raise cannot(ENGINE, f"a cast from {source} to {target}", "a column of another type, or leave it out.")


def _rounded(value: Piece, target: SqlType, is_try: bool) -> str:
    """A double as an integer or decimal: short where it is known to fit, or to be whole."""
    x = value.sql if value.type.name == "DOUBLE" else calls.cast(value.sql, "DOUBLE")
    fits = target in (BIGINT, HUGEINT) and value.reach.most < _EXACT
    if isinstance(x, Whole) and fits and is_try:
        return case(call("<", call("abs", x.inner), double(float(_EXACT))), x.word)  # not NaN, not infinite
    if not is_try and (fits or target.name in _BITS):
        word = x.word if isinstance(x, Whole) else calls.cast(call("rint", x), "BIGINT")
        return word if target in (BIGINT, HUGEINT) else calls.cast(word, type_name(target))
    return once(x, lambda own: _to_exact(own, target))


def _to_exact(x: str, target: SqlType) -> str:
    """A double as an integer or decimal; what is beyond the type, and NaN, is NULL."""
    if target.name in _BITS:
        even, end = call("rint", x), 2.0 ** _BITS[target.name]
        inside = call("and", call(">=", even, double(-end)), call("<", even, double(end)))
        return case(inside, calls.cast(even, type_name(target)))
    if target == HUGEINT:
        return _to_huge(x)
    scaled = call("*", x, double(float(10**target.scale)))
    inside = call("<", call("abs", scaled), double(float(10**target.width)))
    digits = once(nearest(scaled), _to_huge)
    if target.scale:
        unit = calls.cast(f"'1E-{target.scale}'", f"DECIMAL({target.scale}, {target.scale})")
        digits = call("*", digits, unit)
    return case(inside, calls.cast(digits, type_name(target)))


def _to_huge(x: str) -> str:
    """A double as a whole number of up to 38 digits. One of 2^63 or more is a multiple of 2^11."""
    word = double(float(_WORD))
    upper = calls.cast(call("/", x, word), "BIGINT")  # cut towards zero
    below = call("-", x, call("*", calls.cast(upper, "DOUBLE"), word))
    rest = calls.cast(call("/", below, "2048.0D"), "BIGINT")
    highest = call("*", calls.cast(upper, HUGE), whole(_WORD, HUGEINT))
    large = call("+", highest, call("*", calls.cast(rest, HUGE), calls.cast("2048", HUGE)))
    size, small = call("abs", x), calls.cast(calls.cast(call("rint", x), "BIGINT"), HUGE)
    return case(call("<", size, double(2.0**63)), small, call("<", size, "1e38D"), large)


def _to_double(x: str, source: SqlType) -> str:
    """An exact number as a double: the nearest, but of a whole one beyond 64 bits in DuckDB's steps."""
    if source.name in _BITS or source.scale or (source.name == "DECIMAL" and source.width <= _EXACT_DIGITS):
        return calls.cast(x, "DOUBLE")
    return _huge_to_double(calls.cast(x, HUGE) if source != HUGEINT else x)


def _huge_to_double(x: str) -> str:
    """DuckDB adds the doubles of two words of 64 bits, the upper one with the sign."""
    word = whole(_WORD, HUGEINT)
    lower = call("pmod", x, word)
    upper = call("/", call("-", x, lower), word)
    both = call("+", calls.cast(lower, "DOUBLE"), call("*", calls.cast(upper, "DOUBLE"), double(float(_WORD))))
    exact = call("between", x, whole(-_EXACT, HUGEINT), whole(_EXACT, HUGEINT))
    below = call("between", x, whole(-_WORD, HUGEINT), whole(0, HUGEINT))
    beyond = calls.cast(call("-", whole(-1, HUGEINT), x), "DOUBLE")
    negative = call("-", call("negative", beyond), "1.0D")
    return case(exact, calls.cast(x, "DOUBLE"), below, negative, both)
