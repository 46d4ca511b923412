"""Casts on Spark, rounded as DuckDB rounds: away from zero, but from doubles to integers to the even side of a half."""

from __future__ import annotations

from tacit.query.dialects.dialect import cannot
from tacit.query.dialects.piece import Piece
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
        return f"({x} <> 0)"
    if source == BOOLEAN and target.is_number:
        return f"CAST({x} AS {type_name(target)})"
    if source.is_float and target.is_exact:
        return _rounded(value, target, is_try)
    if source.is_exact and target.name == "DOUBLE":
        if source == HUGEINT and not value.reach.most < _EXACT:
            return once(wide(value), lambda own: _to_double(own, source))
        return f"CAST({x} AS DOUBLE)" if source == HUGEINT else once(x, lambda own: _to_double(own, source))
    if source.is_integer and target == HUGEINT:
        return x
    if source.is_exact and target.is_exact:
        rounded = f"round({x}, 0)" if target.is_integer and source.scale else x
        return f"try_cast({rounded} AS {type_name(target)})"
    is_time = source in (DATE, TIMESTAMP) or source.name == ZONED
    if (is_time and target in (DATE, TIMESTAMP)) or (source.name, target.name) == ("FLOAT", "DOUBLE"):
        return f"CAST({x} AS {type_name(target)})"
    raise cannot(ENGINE, f"a cast from {source} to {target}", "a column of another type, or leave it out.")


def _rounded(value: Piece, target: SqlType, is_try: bool) -> str:
    """A double as an integer or decimal: short where it is known to fit, or to be whole."""
    x = value.sql if value.type.name == "DOUBLE" else f"CAST({value.sql} AS DOUBLE)"
    fits = target in (BIGINT, HUGEINT) and value.reach.most < _EXACT
    if isinstance(x, Whole) and fits and is_try:
        return f"(CASE WHEN abs({x.inner}) < {double(float(_EXACT))} THEN {x.word} END)"  # not NaN, not infinite
    if not is_try and (fits or target.name in _BITS):
        word = x.word if isinstance(x, Whole) else f"CAST(rint({x}) AS BIGINT)"
        return word if target in (BIGINT, HUGEINT) else f"CAST({word} AS {type_name(target)})"
    return once(x, lambda own: _to_exact(own, target))


def _to_exact(x: str, target: SqlType) -> str:
    """A double as an integer or decimal; what is beyond the type, and NaN, is NULL."""
    if target.name in _BITS:
        bits = _BITS[target.name]
        inside = f"rint({x}) >= {double(-(2.0**bits))} AND rint({x}) < {double(2.0**bits)}"
        return f"(CASE WHEN {inside} THEN CAST(rint({x}) AS {type_name(target)}) END)"
    if target == HUGEINT:
        return _to_huge(x)
    scaled = f"({x} * {double(float(10**target.scale))})"
    inside = f"abs({scaled}) < {double(float(10**target.width))}"
    digits = _to_huge(nearest(scaled))
    if target.scale:
        digits = f"{digits} * CAST('1E-{target.scale}' AS DECIMAL({target.scale}, {target.scale}))"
    return f"(CASE WHEN {inside} THEN try_cast({digits} AS {type_name(target)}) END)"


def _to_huge(x: str) -> str:
    """A double as a whole number of up to 38 digits. One of 2^63 or more is a multiple of 2^11."""
    upper = f"CAST({x} / {double(float(_WORD))} AS BIGINT)"  # cut towards zero
    rest = f"CAST(({x} - CAST({upper} AS DOUBLE) * {double(float(_WORD))}) / 2048.0D AS BIGINT)"
    large = f"CAST({upper} AS {HUGE}) * {whole(_WORD, HUGEINT)} + CAST({rest} AS {HUGE}) * CAST(2048 AS {HUGE})"
    return (
        f"(CASE WHEN abs({x}) < {double(2.0**63)} THEN CAST(CAST(rint({x}) AS BIGINT) AS {HUGE}) "
        f"WHEN abs({x}) < 1e38D THEN {large} END)"
    )


def _to_double(x: str, source: SqlType) -> str:
    """An exact number as a double: the nearest, but of a whole one beyond 64 bits in DuckDB's steps."""
    if source.name in _BITS or source.scale or (source.name == "DECIMAL" and source.width <= _EXACT_DIGITS):
        return f"CAST({x} AS DOUBLE)"
    return _huge_to_double(f"CAST({x} AS {HUGE})" if source != HUGEINT else x)


def _huge_to_double(x: str) -> str:
    """DuckDB adds the doubles of two words of 64 bits, the upper one with the sign."""
    lower = f"pmod({x}, {whole(_WORD, HUGEINT)})"
    upper = f"(({x} - {lower}) / {whole(_WORD, HUGEINT)})"
    both = f"(CAST({lower} AS DOUBLE) + CAST({upper} AS DOUBLE) * {double(float(_WORD))})"
    return (
        f"(CASE WHEN {x} BETWEEN {whole(-_EXACT, HUGEINT)} AND {whole(_EXACT, HUGEINT)} THEN CAST({x} AS DOUBLE) "
        f"WHEN {x} BETWEEN {whole(-_WORD, HUGEINT)} AND {whole(0, HUGEINT)} "
        f"THEN (- CAST({whole(-1, HUGEINT)} - {x} AS DOUBLE)) - 1.0D ELSE {both} END)"
    )
