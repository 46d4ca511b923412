"""Texts as numbers and truth values on Spark: what DuckDB reads is let through, and read by Spark, which reads more."""

from __future__ import annotations

from tacit.query.dialects.dialect import cannot
from tacit.query.dialects.spark.once import once
from tacit.query.dialects.spark.spelling import ENGINE, HUGE, text, type_name
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
    yes, no = "('true', 't', 'yes', 'y', '1')", "('false', 'f', 'no', 'n', '0')"
    return f"(CASE WHEN lower({x}) IN {yes} THEN TRUE WHEN lower({x}) IN {no} THEN FALSE END)"


def _bare(x: str) -> str:
    """The text without what may stand around and between digits."""
    return f"translate({x}, {_AROUND}, '')"


def _double(x: str) -> str:
    low = f"lower({_bare(x)})"
    below = f"WHEN {low} LIKE '%-%' THEN CAST('-Infinity' AS DOUBLE)"
    endless = f"CASE WHEN {low} LIKE '%nan' THEN CAST('NaN' AS DOUBLE) {below} ELSE CAST('Infinity' AS DOUBLE) END"
    return (
        f"(CASE WHEN {x} RLIKE {_DOUBLE} THEN try_cast(trim(LEADING '+' FROM {_bare(x)}) AS DOUBLE) "
        f"WHEN lower({x}) RLIKE {_ENDLESS} THEN {endless} END)"
    )


def _integer(x: str, target: SqlType) -> str:
    """Decimals are rounded away from zero. Before an exponent stands a word at most, and it is 16 bits itself."""
    bare = _bare(x)
    whole = f"regexp_extract({bare}, '^[+-]?+[0-9]*+', 0)"
    exponent = f"regexp_extract({bare}, '[eE]([+-]?+[0-9]++)', 1)"
    fits = f"(try_cast({whole} AS BIGINT) IS NOT NULL OR {whole} IN ('', '+', '-'))"
    power = (
        f"WHEN {x} RLIKE {_POWER} THEN CASE WHEN {fits} AND try_cast({exponent} AS SMALLINT) IS NOT NULL "
        f"THEN try_cast(trim(TRAILING '.' FROM {bare}) AS {HUGE}) END"
    )
    bases = " ".join(f"WHEN {x} RLIKE {pattern} THEN {_in_base(bare, base)}" for base, pattern in _BASES.items())
    number = f"(CASE WHEN {x} RLIKE {_PLAIN} THEN try_cast({bare} AS {HUGE}) {power} {bases} END)"
    return f"try_cast({number} AS {type_name(target)})"


def _in_base(bare: str, base: int) -> str:
    """0x1F or 0b11: a word at most."""
    digits = f"trim(LEADING '0' FROM substring({bare}, 3))"
    word = f"coalesce(try_cast(conv({digits}, {base}, 10) AS {HUGE}), 0)"
    return f"CASE WHEN length({digits}) <= {_LETTERS[base]} THEN {word} END"
