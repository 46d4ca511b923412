"""Texts as numbers and truth values on Spark: what DuckDB reads is let through, and read by Spark, which reads more."""

from __future__ import annotations

import math

from tacit.query.dialects.dialect import cannot
from tacit.query.dialects.spark.calls import attempt, call, case
from tacit.query.dialects.spark.once import once
from tacit.query.dialects.spark.spelling import ENGINE, HUGE, double, text, type_name
from tacit.query.dialects.sql_type import BOOLEAN, HUGEINT, SqlType

_SPACE = r"[\x09-\x0D ]*+"
_AROUND = text(" _\t\n\v\f\r")


def _digits(letters: str) -> str:
    """Digits, perhaps in groups: possessive, since Java steps back by recursion, and a long text overflows its stack.

    Nothing is lost: what may follow a run of digits, or of groups, does not begin with what it consists of.
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
    """A text as another type; NULL where it is none."""
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
    """The text without what may stand around and between digits."""
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
    """Decimals are rounded away from zero. Before an exponent stands a word at most, and it is 16 bits itself."""
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
