"""Text functions in PostgreSQL. Every text is in collation "C"; lengths are in code points.

Lower and upper case follow the simple mappings of Unicode, as in DuckDB: one letter for one letter. PostgreSQL's
own depend on its locale, or know ASCII only.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from functools import cache

from tacit.query.engines.postgres.spelling import ENGINE, once, quote
from tacit.query.sql.dialects.piece import Operation, Piece, cannot
from tacit.query.sql.dialects.sql_type import SqlType

_LOWER = {"İ": "i"}
_UPPER = {"ß": "ẞ"}


def lower_letter(letter: str) -> str:
    """A letter in lower case."""
    lowered = letter.lower()
    return _LOWER.get(letter, lowered if len(lowered) == 1 else letter)


def upper_letter(letter: str) -> str:
    """A letter in upper case; where that takes several letters, its title case."""
    raised, title = letter.upper(), letter.title()
    return _UPPER.get(letter, raised if len(raised) == 1 else title if len(title) == 1 else letter)


def lowered(text: str) -> str:
    """A constant text in lower case."""
    return "".join(map(lower_letter, text))


@cache
def _changed(function: Callable[[str], str]) -> str:
    """The letters beyond ASCII that change, each with what it becomes, as JSON."""
    letters = (chr(code) for code in range(128, sys.maxunicode + 1) if not 0xD800 <= code <= 0xDFFF)
    pairs = {letter: function(letter) for letter in letters if function(letter) != letter}
    return json.dumps(pairs, ensure_ascii=False, separators=(",", ":"))


def cased(name: str, function: Callable[[str], str], a: str) -> str:
    """lower(a) or upper(a); letters beyond ASCII are looked up one by one where there are any.

    translate() would go through all fourteen hundred of them for each letter of the text: a second for a long one.
    """
    found = f"COALESCE({quote(_changed(function))}::jsonb ->> c, c)"
    letters = f"unnest(string_to_array({a}, NULL)) WITH ORDINALITY AS letters(c, place)"
    exchanged = f"(SELECT string_agg({found}, '' ORDER BY place) FROM {letters})"
    plain = f"CASE WHEN octet_length({a}) = length({a}) THEN {a} ELSE {exchanged} END"
    return f'{name}(({plain}) COLLATE "C")'


_MOST = 2**31 - 1  # longer than any text here
_MOST_ARGUMENTS = 100
_SPACES = " \u00a0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u202f\u205f\u3000"  # category Zs


def _lower(operands: Sequence[Piece], _result: SqlType) -> str:
    return once(operands, lambda a: cased("lower", lower_letter, a))


def _upper(operands: Sequence[Piece], _result: SqlType) -> str:
    return once(operands, lambda a: cased("upper", upper_letter, a))


def _trimmed(name: str) -> Operation:
    def operation(operands: Sequence[Piece], _result: SqlType) -> str:
        letters = operands[1].quoted if len(operands) > 1 else quote(_SPACES)
        return f"{name}({operands[0].sql}, {letters})"

    return operation


def _cut(name: str) -> Operation:
    """A part of a text by positions, which are 32-bit numbers here."""

    def operation(operands: Sequence[Piece], _result: SqlType) -> str:
        numbers = [min(piece.constant, _MOST) for piece in operands[1:] if isinstance(piece.constant, int)]
        return f"{name}({', '.join([operands[0].sql, *map(str, numbers)])})"

    return operation


def _like(operands: Sequence[Piece], _result: SqlType) -> str:
    value, pattern, *escape = operands
    sign = escape[0].quoted if escape else "''"
    return f"({value.sql} LIKE {pattern.quoted} ESCAPE {sign})"


def _ilike(operands: Sequence[Piece], result: SqlType) -> str:
    """Both sides in lower case, the escape as it is."""
    value, pattern, *escape = operands
    if escape and str(escape[0].constant).isalpha():
        raise cannot(ENGINE, "ILIKE with a letter as its escape", "ESCAPE '!'.")
    low = lowered(str(pattern.constant))
    given = Piece(_lower([value], result), value.type)
    return _like([given, Piece(quote(low), pattern.type, low), *escape], result)


def _ends(operands: Sequence[Piece], _result: SqlType) -> str:
    return once(operands, lambda a, b: f"(right({a}, length({b})) = {b})")


def _concat(operands: Sequence[Piece], result: SqlType) -> str:
    """A function takes a hundred arguments at most."""
    if len(operands) <= _MOST_ARGUMENTS:
        return _function("concat")(operands, result)
    first = Piece(_concat(operands[:_MOST_ARGUMENTS], result), result)
    return _concat([first, *operands[_MOST_ARGUMENTS:]], result)


def _function(name: str, after: str = "") -> Operation:
    def operation(operands: Sequence[Piece], _result: SqlType) -> str:
        return f"{name}({', '.join(piece.sql for piece in operands)}){after}"

    return operation


TEXTS: dict[str, Operation] = {
    "length": _function("length", "::bigint"),
    "strlen": _function("octet_length", "::bigint"),
    "lower": _lower,
    "upper": _upper,
    "md5": _function("md5"),
    "trim": _trimmed("btrim"),
    "ltrim": _trimmed("ltrim"),
    "rtrim": _trimmed("rtrim"),
    "substring": _cut("substr"),
    "left": _cut("left"),
    "right": _cut("right"),
    "concat": _concat,
    "||": lambda operands, _: f"({' || '.join(piece.sql for piece in operands)})",
    "LIKE": _like,
    "ILIKE": _ilike,
    "starts_with": _function("starts_with"),
    "ends_with": _ends,
    "contains": lambda operands, _: f"(strpos({operands[0].sql}, {operands[1].sql}) > 0)",
}
