"""Products and quotients with a literal: the doubles at which they overflow or underflow, found once and to the bit."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

from tacit.query.engines.postgres.spelling import double, once
from tacit.query.sql.dialects.translator import Piece

LARGEST = 1.7976931348623157e308
_BITS = 0x7FEF_FFFF_FFFF_FFFF  # of the largest double, as an integer: doubles from 0 on are in that order


def largest(function: Callable[[float], float]) -> float:
    """The largest double that a growing function keeps finite."""
    return _last(lambda value: _is_finite(function, value))


def vanishing(function: Callable[[float], float]) -> float:
    """The largest double that a growing function takes to 0."""
    return _last(lambda value: function(value) == 0)


def _last(holds: Callable[[float], bool]) -> float:
    """The last of the doubles from 0 on with a monotone property; 0 if none has it."""
    low, high = 0, _BITS + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(_double(middle)) else (low, middle)
    return _double(low)


def _double(bits: int) -> float:
    (value,) = struct.unpack("<d", struct.pack("<q", bits))
    return float(value)


def _is_finite(function: Callable[[float], float], value: float) -> bool:
    try:
        return math.isfinite(function(value))
    except OverflowError:
        return False


def by_constant(value: Piece, number: float, sign: str) -> str:
    """value * number or value / number, for a number other than 0: infinite above one double, 0 up to another."""
    size = abs(number)

    def result(given: float) -> float:
        return given * size if sign == "*" else given / size

    most, none = largest(result), vanishing(result)
    most = LARGEST if value.reach.most <= most else most
    none = 0.0 if value.reach.least > none else none
    plain = f"{{0}} {sign} {double(number)}"
    return once([value], lambda a: _between(a, plain.format(a), most, none, number < 0))


def under_constant(number: float, value: Piece) -> str:
    """number / value, for a number other than 0; NULL where the value is 0."""
    size = abs(number)
    infinite = _last(lambda given: given == 0 or math.isinf(size / given))
    some = _last(lambda given: given == 0 or size / given != 0)
    minus, plus = ("", "-") if number < 0 else ("-", "")

    def text(a: str) -> str:
        ends = f"WHEN {a} = 0 THEN NULL"
        if infinite > 0:
            over = f"CASE WHEN {a} < 0 THEN '{minus}Infinity'::float8 ELSE '{plus}Infinity'::float8 END"
            ends += f" WHEN abs({a}) <= {double(infinite)} THEN {over}"
        if some < LARGEST:
            none = f"CASE WHEN {a} < 0 THEN '{minus}0'::float8 ELSE '{plus}0'::float8 END"
            ends += f" WHEN abs({a}) > {double(some)} AND abs({a}) <= {double(LARGEST)} THEN {none}"
        return f"(CASE {ends} ELSE {double(number)} / {a} END)"

    return once([value], text)


def _between(a: str, plain: str, most: float, none: float, is_negative: bool) -> str:
    minus, plus = ("", "-") if is_negative else ("-", "")
    ends = ""
    if most < LARGEST:
        over = f"CASE WHEN {a} < 0 THEN '{minus}Infinity'::float8 ELSE '{plus}Infinity'::float8 END"
        ends += f"WHEN abs({a}) > {double(most)} AND abs({a}) <= {double(LARGEST)} THEN {over} "
    if none > 0:
        zero = f"CASE WHEN {a} < 0 THEN '{minus}0'::float8 ELSE '{plus}0'::float8 END"
        ends += f"WHEN abs({a}) <= {double(none)} AND {a} <> 0 THEN {zero} "
    return f"(CASE {ends}ELSE {plain} END)" if ends else f"({plain})"
