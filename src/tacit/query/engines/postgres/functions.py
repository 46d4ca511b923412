"""Functions of texts, dates and timestamps in PostgreSQL. Texts are in collation "C", with lengths in code points.

Lower and upper case follow the simple mappings of Unicode, as in DuckDB: one letter for one letter. PostgreSQL's
own depend on its locale, or know ASCII only. Times have no zone and lie within the years 1 to 9999.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import cache

from tacit.query.engines.postgres.spelling import ENGINE, once, quote
from tacit.query.sql.dialects.sql_type import SqlType
from tacit.query.sql.dialects.translator import Operation, Piece, cannot

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

    translate() would search all fourteen hundred of them for each letter of the text: a second for a long one.
    """
    found = f"COALESCE({quote(_changed(function))}::jsonb ->> c, c)"
    letters = f"unnest(string_to_array({a}, NULL)) WITH ORDINALITY AS letters(c, place)"
    exchanged = f"(SELECT string_agg({found}, '' ORDER BY place) FROM {letters})"
    plain = f"CASE WHEN octet_length({a}) = length({a}) THEN {a} ELSE {exchanged} END"
    return f'{name}(({plain}) COLLATE "C")'


_MOST_ARGUMENTS = 100


def _lower(operands: Sequence[Piece], _result: SqlType) -> str:
    return once(operands, lambda a: cased("lower", lower_letter, a))


def _upper(operands: Sequence[Piece], _result: SqlType) -> str:
    return once(operands, lambda a: cased("upper", upper_letter, a))


def _like(operands: Sequence[Piece], _result: SqlType) -> str:
    value, pattern, *escape = operands
    sign = escape[0].quoted if escape else "''"
    return f"({value.sql} LIKE {pattern.quoted} ESCAPE {sign})"


def _ilike(operands: Sequence[Piece], result: SqlType) -> str:
    """Both sides in lower case, the escape unchanged."""
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
        return f"concat({', '.join(piece.sql for piece in operands)})"
    first = Piece(_concat(operands[:_MOST_ARGUMENTS], result), result)
    return _concat([first, *operands[_MOST_ARGUMENTS:]], result)


TEXTS: dict[str, Operation] = {
    "lower": _lower,
    "upper": _upper,
    "concat": _concat,
    "LIKE": _like,
    "ILIKE": _ilike,
    "ends_with": _ends,
}


_MONTHS = {"month": 12, "quarter": 4}
_SECONDS = {"hour": 3600, "minute": 60, "second": 1}
_EARLIEST = -4700 * 12  # months before year 1 where PostgreSQL's timestamps are near their beginning


def part(unit: str, time: str) -> str:
    """A part of a timestamp as an integer."""
    found = f"date_part('{unit}', {time})"
    return f"trunc({found})::bigint" if unit == "second" else f"{found}::bigint"


def _part(operands: Sequence[Piece], _result: SqlType) -> str:
    return part(str(operands[0].constant), operands[1].sql)


def _difference(operands: Sequence[Piece], _result: SqlType) -> str:
    unit, start, end = str(operands[0].constant), operands[1].sql, operands[2].sql
    if unit in ("day", "week"):
        days = f"({end}::date - {start}::date)"
        return f"({days} / 7)::bigint" if unit == "week" else f"{days}::bigint"
    return f"({_number(unit, end)} - {_number(unit, start)})"


def _number(unit: str, time: str) -> str:
    """The number of units before a timestamp, from a fixed origin."""
    if unit in _SECONDS:
        return f"floor(extract(epoch FROM {time}) / {_SECONDS[unit]})::bigint"
    year = part("year", time)
    return f"({year} * {_MONTHS[unit]} + {part(unit, time)})" if unit in _MONTHS else year


def _shifted(operands: Sequence[Piece], _result: SqlType) -> str:
    """A timestamp moved; a result before PostgreSQL's first timestamp is −infinity, which compares the same."""
    time, months, seconds = operands
    assert isinstance(months.constant, int)
    assert isinstance(seconds.constant, int)
    moved = f"({time.sql} + interval '{months.constant} months {seconds.constant} seconds')"
    if months.constant + seconds.constant / (28 * 86400) > _EARLIEST:
        return moved
    first = _first(months.constant, seconds.constant)
    return (
        f"(CASE WHEN {time.sql} < '{first.isoformat(sep=' ')}'::timestamp THEN '-infinity'::timestamp ELSE {moved} END)"
    )


def _first(months: int, seconds: int) -> datetime:
    """The first time that stays after the year −4700 when moved back so far."""
    days = -months * 31 + -seconds // 86400 - 4600 * 365
    return datetime(1, 1, 1) + timedelta(days=min(days, 3_652_058))


TIMES: dict[str, Operation] = {"date_part": _part, "date_diff": _difference, "shift": _shifted}
