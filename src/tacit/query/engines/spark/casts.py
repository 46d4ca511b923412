"""Casts on Spark, rounded as in DuckDB: halves away from zero, but from doubles to integers to even.

Texts become numbers and truth values only in the forms that DuckDB reads: a test admits these, and Spark, which reads
more, converts them.
"""

from __future__ import annotations

import math

from tacit.query.engines.spark import spelling
from tacit.query.engines.spark.functions import written
from tacit.query.engines.spark.numbers import Whole, nearest, wide
from tacit.query.engines.spark.spelling import ENGINE, HUGE, attempt, call, case, double, once, text, type_name, whole
from tacit.query.sql.dialects.sql_type import BIGINT, BOOLEAN, HUGEINT, VARCHAR, SqlType
from tacit.query.sql.dialects.translator import Piece, cannot

_SPACE = r"[\x09-\x0D ]*+"
_AROUND = text(" _\t\n\v\f\r")


def _digits(letters: str) -> str:
    """Digits, perhaps in groups: possessive, since Java steps back by recursion, and a long text overflows its stack.

    The match is the same, because the next part of the pattern never begins with a digit or a group.
    """
    return f"{letters}++(?:_{letters}++)*+"


_DIGITS = _digits("[0-9]")
_MANTISSA = rf"(?:{_DIGITS}(?:\.(?:{_DIGITS})?+)?+|\.{_DIGITS})"
_EXPONENT = f"[eE][+-]?+{_DIGITS}"
_DOUBLE = text(rf"^{_SPACE}[+]?+-?+{_MANTISSA}(?:{_EXPONENT})?+{_SPACE}\z")
_ENDLESS = text(rf"^{_SPACE}[+]?+-?+(?:inf|infinity|nan){_SPACE}\z")
_PLAIN = text(rf"^{_SPACE}[+-]?+{_MANTISSA}{_SPACE}\z")
_POWER = text(rf"^{_SPACE}[+-]?+{_MANTISSA}{_EXPONENT}\.?+{_SPACE}\z")
_BASES = {
    16: text(rf"^{_SPACE}0[xX]{_digits('[0-9a-fA-F]')}{_SPACE}\z"),
    2: text(rf"^{_SPACE}0[bB]{_digits('[01]')}{_SPACE}\z"),
}
_LETTERS = {16: 16, 2: 64}  # of a word


def parsed(x: str, target: SqlType) -> str:
    """A text as another type; NULL where it has another form."""
    if target == BOOLEAN:
        return once(x, _truth)
    if target.name == "DOUBLE":
        return once(x, _double)
    if target.is_integer and target != HUGEINT:
        return once(x, lambda own: _integer(own, target))
    raise cannot(
        ENGINE,
        f"a text as {target}",
        f"a column of the type {target} in the file; of numbers also BIGINT or DOUBLE.",
        "DuckDB's rules for such texts are others than Spark's.",
    )


def _truth(x: str) -> str:
    low = call("lower", x)
    yes, no = ("'true'", "'t'", "'yes'", "'y'", "'1'"), ("'false'", "'f'", "'no'", "'n'", "'0'")
    return case(call("in", low, *yes), "TRUE", call("in", low, *no), "FALSE")


def _bare(x: str) -> str:
    """The text without the characters allowed around and between digits."""
    return call("translate", x, _AROUND, "''")


def _double(x: str) -> str:
    low = call("lower", _bare(x))
    endless = case(
        call("endswith", low, "'nan'"),
        double(math.nan),
        call("contains", low, "'-'"),
        double(-math.inf),
        double(math.inf),
    )
    plain = attempt(call("ltrim", "'+'", _bare(x)), "DOUBLE")
    return case(call("rlike", x, _DOUBLE), plain, call("rlike", call("lower", x), _ENDLESS), endless)


def _integer(x: str, target: SqlType) -> str:
    """Decimals are rounded away from zero. The number before an exponent has at most 64 bits, the exponent 16."""
    bare = _bare(x)
    whole = call("regexp_extract", bare, "'^[+-]?+[0-9]*+'", "0")
    exponent = call("regexp_extract", bare, "'[eE]([+-]?+[0-9]++)'", "1")
    fits = call("or", call("isnotnull", attempt(whole, "BIGINT")), call("in", whole, "''", "'+'", "'-'"))
    is_small = call("and", fits, call("isnotnull", attempt(exponent, "SMALLINT")))
    power = case(is_small, attempt(call("rtrim", "'.'", bare), HUGE))
    bases = [part for base, sort in _BASES.items() for part in (call("rlike", x, sort), _in_base(bare, base))]
    number = case(call("rlike", x, _PLAIN), attempt(bare, HUGE), call("rlike", x, _POWER), power, *bases)
    return attempt(number, type_name(target))


def _in_base(bare: str, base: int) -> str:
    """0x1F or 0b11: a word at most."""
    digits = call("ltrim", "'0'", call("substring", bare, "3"))
    word = call("coalesce", attempt(call("conv", digits, str(base), "10"), HUGE), "0")
    return case(call("<=", call("length", digits), str(_LETTERS[base])), word)


_WORD = 2**64
_BITS = {"TINYINT": 7, "SMALLINT": 15, "INTEGER": 31, "BIGINT": 63}
_EXACT = 2**53
_EXACT_DIGITS = 15  # up to which all whole numbers are doubles


def cast_value(value: Piece, target: SqlType, is_try: bool) -> str:
    """A value as another type; with `is_try`, NULL where it cannot be, else lowered SQL ensures that it succeeds."""
    source, x = value.type, value.sql
    if source == VARCHAR:
        return parsed(x, target)
    if target == VARCHAR:
        return once(x, lambda own: written(own, source))
    if target == BOOLEAN and source.is_number:
        return call("not", call("=", x, "0"))
    if source == BOOLEAN and target.is_number:
        return spelling.cast(x, type_name(target))
    if source.is_float and target.is_exact:
        return _rounded(value, target, is_try)
    if source.is_exact and target.name == "DOUBLE":
        if source == HUGEINT and not value.reach.most < _EXACT:
            return once(wide(value), lambda own: _to_double(own, source))
        return spelling.cast(x, "DOUBLE") if source == HUGEINT else once(x, lambda own: _to_double(own, source))
    if source.is_integer and target == HUGEINT:
        return x
    if source.is_exact and target.is_exact:
        rounded = call("round", x, "0") if target.is_integer and source.scale else x
        return (attempt if target.is_integer else spelling.cast)(rounded, type_name(target))
    if ((source.is_time or source.is_zoned) and target.is_time) or (source.name, target.name) == ("FLOAT", "DOUBLE"):
        return spelling.cast(x, type_name(target))
    raise cannot(ENGINE, f"a cast from {source} to {target}", "a column of another type, or leave it out.")


def _rounded(value: Piece, target: SqlType, is_try: bool) -> str:
    """A double as an integer or decimal: short where it is known to fit, or to be whole."""
    x = value.sql if value.type.name == "DOUBLE" else spelling.cast(value.sql, "DOUBLE")
    fits = target in (BIGINT, HUGEINT) and value.reach.most < _EXACT
    if isinstance(x, Whole) and fits and is_try:
        return case(call("<", call("abs", x.inner), double(float(_EXACT))), x.word)  # not NaN, not infinite
    if not is_try and (fits or target.name in _BITS):
        word = x.word if isinstance(x, Whole) else spelling.cast(call("rint", x), "BIGINT")
        return word if target in (BIGINT, HUGEINT) else spelling.cast(word, type_name(target))
    return once(x, lambda own: _to_exact(own, target))


def _to_exact(x: str, target: SqlType) -> str:
    """A double as an integer or decimal; what is beyond the type, and NaN, is NULL."""
    if target.name in _BITS:
        even, end = call("rint", x), 2.0 ** _BITS[target.name]
        inside = call("and", call(">=", even, double(-end)), call("<", even, double(end)))
        return case(inside, spelling.cast(even, type_name(target)))
    if target == HUGEINT:
        return _to_huge(x)
    scaled = call("*", x, double(float(10**target.scale)))
    inside = call("<", call("abs", scaled), double(float(10**target.width)))
    digits = once(nearest(scaled), _to_huge)
    if target.scale:
        unit = spelling.cast(f"'1E-{target.scale}'", f"DECIMAL({target.scale}, {target.scale})")
        digits = call("*", digits, unit)
    return case(inside, spelling.cast(digits, type_name(target)))


def _to_huge(x: str) -> str:
    """A double as a whole number of up to 38 digits. A double of 2^63 or more is a multiple of 2^11."""
    word = double(float(_WORD))
    upper = spelling.cast(call("/", x, word), "BIGINT")  # cut towards zero
    below = call("-", x, call("*", spelling.cast(upper, "DOUBLE"), word))
    rest = spelling.cast(call("/", below, "2048.0D"), "BIGINT")
    highest = call("*", spelling.cast(upper, HUGE), whole(_WORD, HUGEINT))
    large = call("+", highest, call("*", spelling.cast(rest, HUGE), spelling.cast("2048", HUGE)))
    size, small = call("abs", x), spelling.cast(spelling.cast(call("rint", x), "BIGINT"), HUGE)
    return case(call("<", size, double(2.0**63)), small, call("<", size, "1e38D"), large)


def _to_double(x: str, source: SqlType) -> str:
    """An exact number as a double: the nearest, but of a whole one beyond 64 bits in DuckDB's steps."""
    if source.name in _BITS or source.scale or (source.name == "DECIMAL" and source.width <= _EXACT_DIGITS):
        return spelling.cast(x, "DOUBLE")
    return _huge_to_double(spelling.cast(x, HUGE) if source != HUGEINT else x)


def _huge_to_double(x: str) -> str:
    """As in DuckDB: the sum of the doubles of two 64-bit words, the upper one signed."""
    word = whole(_WORD, HUGEINT)
    lower = call("pmod", x, word)
    upper = call("/", call("-", x, lower), word)
    both = call("+", spelling.cast(lower, "DOUBLE"), call("*", spelling.cast(upper, "DOUBLE"), double(float(_WORD))))
    exact = call("between", x, whole(-_EXACT, HUGEINT), whole(_EXACT, HUGEINT))
    below = call("between", x, whole(-_WORD, HUGEINT), whole(0, HUGEINT))
    beyond = spelling.cast(call("-", whole(-1, HUGEINT), x), "DOUBLE")
    negative = call("-", call("negative", beyond), "1.0D")
    return case(exact, spelling.cast(x, "DOUBLE"), below, negative, both)
