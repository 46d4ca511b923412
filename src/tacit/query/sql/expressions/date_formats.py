"""Formats of dates: STRFTIME and TO_CHAR write a date from its parts as numbers, STRPTIME and TO_DATE read digits.

Engines have formats of their own, which differ. A text is assembled here from whole numbers, and read from places that
the format fixes, so that it is the same on each.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

from sqlglot import exp

from tacit.frozen import frozen
from tacit.query.sql.expressions.calendar_functions import MONTHS, WEEKDAYS, digits, named, time_operand
from tacit.query.sql.expressions.rule import Family, Rule, SqlFunction, Typer, composed, part, parts
from tacit.query.sql.expressions.text_operands import fixed_text, text
from tacit.query.sql.values.domains import mapped
from tacit.query.sql.values.refusal import refuse
from tacit.query.sql.values.storage import is_null, null_of, text_sql
from tacit.query.sql.values.typed import Typed
from tacit.schema.kind import Key, Kind

_SHORT = 3  # letters of a name
_LONGEST = 64  # letters of a format, and pieces


def _plain(number: str) -> str:
    return f"CAST({number} AS VARCHAR)"


_WRITTEN: Mapping[str, str] = {
    "Y": digits("year(x)", 4),
    "y": digits("year(x) % 100", 2),
    "m": digits("month(x)", 2),
    "d": digits("day(x)", 2),
    "j": digits("dayofyear(x)", 3),
    "H": digits("hour(x)", 2),
    "M": digits("minute(x)", 2),
    "S": digits("second(x)", 2),
    "I": digits("(hour(x) + 11) % 12 + 1", 2),
    "p": "CASE WHEN hour(x) < 12 THEN 'AM' WHEN hour(x) >= 12 THEN 'PM' END",
    "B": named("month(x)", MONTHS),
    "b": named("month(x)", [name[:_SHORT] for name in MONTHS]),
    "A": named("isodow(x)", WEEKDAYS),
    "a": named("isodow(x)", [name[:_SHORT] for name in WEEKDAYS]),
    "u": _plain("isodow(x)"),
    "w": _plain("dayofweek(x)"),
    "W": digits("(dayofyear(x) + 7 - isodow(x)) // 7", 2),
    "U": digits("(dayofyear(x) + 6 - dayofweek(x)) // 7", 2),
    "V": digits("week(x)", 2),
    "G": digits("date_part('isoyear', x)", 4),
    "-m": _plain("month(x)"),
    "-d": _plain("day(x)"),
    "-H": _plain("hour(x)"),
    "q": _plain("quarter(x)"),
}
_MIDNIGHT = {"H": "00", "M": "00", "S": "00", "I": "12", "p": "AM", "-H": "0"}
_WIDTHS = {"Y": 4, "m": 2, "d": 2, "H": 2, "M": 2, "S": 2}  # of what can be read
_PERCENT = re.compile(r"%(-?[A-Za-z%])|([^%]+)|(%)")
_NAMES = {"YYYY": "Y", "YY": "y", "MM": "m", "DD": "d", "DDD": "j", "HH24": "H", "HH12": "I", "HH": "I", "MI": "M"}
_NAMES |= {"SS": "S", "Q": "q", "IW": "V", "IYYY": "G", "Mon": "b", "Dy": "a"}
_WORDS = re.compile("|".join(sorted(map(re.escape, _NAMES), key=len, reverse=True)) + '|[^A-Za-z"%]+|"[^"]*"')
_ACCEPTED = "%Y %m %d %H %M %S, %y %j %b %B %a %A %u %w %W %U %V %G %I %p %T %-d %-m %-H and %%."
_ACCEPTED_WORDS = f'{" ".join(_NAMES)}, and "text" in quotes.'
_READ = "%Y %m %d %H %M %S (YYYY MM DD HH24 MI SS), each once, with other characters between them; %Y at least."


@frozen
class FormatPiece:
    """A piece of a format: a part of a date by its letter, or a text."""

    letter: str
    is_part: bool = False


def _pieces(node: exp.Expression, written: str) -> list[FormatPiece]:
    """The pieces of a format of STRFTIME."""
    found = []
    for letter, plain, alone in _PERCENT.findall(written):
        if letter == "%":
            found.append(FormatPiece("%"))
        elif letter == "T":
            clock = (FormatPiece(each, each != ":") for each in "H:M:S")
            found.extend(clock)
        elif plain:
            found.append(FormatPiece(plain))
        elif alone or letter == "q" or letter not in _WRITTEN:
            raise refuse(node, f"%{letter} is not written here.", _ACCEPTED)
        else:
            found.append(FormatPiece(letter, is_part=True))
    return found


def _words(node: exp.Expression, written: str) -> list[FormatPiece]:
    """The pieces of a format of TO_CHAR."""
    found, place = [], 0
    while place < len(written):
        match = _WORDS.match(written, place)
        if match is None:
            raise refuse(node, f"{written[place:]} is not written here.", _ACCEPTED_WORDS)
        word, place = match[0], match.end()
        known = _NAMES.get(word)
        found.append(FormatPiece(word.strip('"')) if known is None else FormatPiece(known, is_part=True))
    return found


def _format(node: exp.Expression, given: exp.Expression, typer: Typer, is_words: bool) -> list[FormatPiece]:
    written = fixed_text(given, typer, "The format")
    pieces = _words(node, written) if is_words else _pieces(node, written)
    if not (written and len(written) <= _LONGEST):
        raise refuse(node, f"The format has no letters, or more than {_LONGEST}.", "'%Y-%m-%d'.")
    return pieces


def _write(is_words: bool) -> Rule:
    """The text of a date; NULL for NULL."""

    def rule(node: exp.Expression, typer: Typer) -> Typed:
        given, format_node = part(node), node.args.get("format")
        if not isinstance(format_node, exp.Expression):
            raise refuse(node, "It takes a date and a format.", "STRFTIME(day, '%Y-%m').")
        if isinstance(given, exp.Literal) and given.is_string:
            given, format_node = format_node, given
        pieces = _format(node, format_node, typer, is_words)
        value = time_operand(node, given, typer)
        if not {piece.letter for piece in pieces if piece.is_part} & {*_MIDNIGHT}:
            value = composed("CAST(x AS DATE)", typer, x=value)
        if not any(piece.is_part for piece in pieces):
            raise refuse(node, "Its format has no part of the date.", _ACCEPTED)
        forms = [_WRITTEN[piece.letter] if piece.is_part else text_sql(piece.letter) for piece in pieces]
        made = composed(" || ".join(["''", *(f"({form})" for form in forms)]), typer, x=value)
        keys = mapped(value, lambda key: _text_of(key, pieces)) if value.kind is Kind.DATE else made.keys
        return replace(made, keys=keys)

    return rule


def _text_of(key: Key, pieces: Sequence[FormatPiece]) -> str | None:
    """What the SQL writes of a day."""
    if not isinstance(key, date):
        return None
    year, week, weekday = key.isocalendar()
    day = key.timetuple().tm_yday
    known: Mapping[str, str] = {
        "Y": f"{key.year:04d}",
        "y": f"{key.year % 100:02d}",
        "m": f"{key.month:02d}",
        "d": f"{key.day:02d}",
        "j": f"{day:03d}",
        "B": MONTHS[key.month - 1],
        "b": MONTHS[key.month - 1][:_SHORT],
        "A": WEEKDAYS[weekday - 1],
        "a": WEEKDAYS[weekday - 1][:_SHORT],
        "u": str(weekday),
        "w": str(weekday % 7),
        "W": f"{(day + 7 - weekday) // 7:02d}",
        "U": f"{(day + 6 - weekday % 7) // 7:02d}",
        "V": f"{week:02d}",
        "G": f"{year:04d}",
        "-m": str(key.month),
        "-d": str(key.day),
        "q": str((key.month + 2) // 3),
        **_MIDNIGHT,
    }
    return "".join(known[piece.letter] if piece.is_part else piece.letter for piece in pieces)


def _read(node: exp.Expression, value: Typed, pieces: Sequence[FormatPiece], typer: Typer) -> Typed:
    """The time that a text spells: each part has all its digits, at its own place; anything else is NULL."""
    found: dict[str, str] = {}
    tests, place = [], 1
    for piece in pieces:
        if piece.is_part and (piece.letter not in _WIDTHS or piece.letter in found):
            raise refuse(node, f"%{piece.letter} is not read here, or not twice.", _READ)
        width = _WIDTHS[piece.letter] if piece.is_part else len(piece.letter)
        cut = f"SUBSTRING(x, {place}, {width})"
        if piece.is_part:
            found[piece.letter] = cut
            tests.append(f"LTRIM({cut}, '0123456789') = ''")
        else:
            tests.append(f"{cut} = {text_sql(piece.letter)}")
        place += width
    if "Y" not in found:
        raise refuse(node, "Its format has no year.", _READ)
    day = f"{found['Y']} || '-' || {found.get('m', chr(39) + '01' + chr(39))} || '-' || {found.get('d', '~')}"
    clock = " || ':' || ".join(found.get(letter, "'00'") for letter in "HMS")
    spelled = f"{day.replace('~', chr(39) + '01' + chr(39))} || ' ' || {clock}"
    is_right = " AND ".join([f"LENGTH(x) = {place - 1}", *tests])
    return composed(f"CASE WHEN {is_right} THEN CAST({spelled} AS TIMESTAMP) END", typer, x=value)


def _parse(is_words: bool, is_day: bool) -> Rule:
    def rule(node: exp.Expression, typer: Typer) -> Typed:
        given = parts(node) if isinstance(node, exp.Anonymous) else (part(node), part(node, "format"))
        if len(given) != 2:
            raise refuse(node, "It takes a text and a format.", "STRPTIME(x, '%d/%m/%Y'), or CAST(x AS DATE).")
        value = text(given[0], typer)
        pieces = _format(node, given[1], typer, is_words)
        if is_null(value):
            return null_of(Kind.DATE if is_day else Kind.DATE.with_clock)
        found = _read(node, value, pieces, typer)
        return composed("CAST(x AS DATE)", typer, x=found) if is_day else found

    return rule


FORMATS = Family.of(
    "formats",
    SqlFunction(("STRFTIME",), _write(is_words=False), (exp.TimeToStr,)),
    SqlFunction(("TO_CHAR",), _write(is_words=True), (exp.ToChar,)),
    SqlFunction(("STRPTIME",), _parse(is_words=False, is_day=False), (exp.StrToTime,), names=("try_strptime",)),
    SqlFunction(("TO_DATE",), _parse(is_words=True, is_day=True), names=("to_date",)),
)
