"""Functions of texts, dates and timestamps on Spark, and values as text in DuckDB's spelling.

Letters are code points; their case changes one by one, as in DuckDB, not by Java's. A TIMESTAMP of lowered SQL is a
TIMESTAMP_NTZ, and the session's zone is UTC.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache

from tacit.query.engines.spark.spelling import ENGINE, ZONED_MOMENT, attempt, call, case, cast, once, text
from tacit.query.sql.dialects.sql_type import DATE, SqlType
from tacit.query.sql.dialects.translator import Operation, Piece, cannot
from tacit.query.sql.values.storage import number_of
from tacit.query.sql.values.wildcards import Wildcards

_PARTS = {
    "year": "`year`({})",
    "quarter": "`quarter`({})",
    "month": "`month`({})",
    "week": "`weekofyear`({})",
    "day": "`day`({})",
    "dow": "`-`(`dayofweek`({}), 1)",
    "isodow": "`+`(`weekday`({}), 1)",
    "doy": "`dayofyear`({})",
    "hour": "`hour`({})",
    "minute": "`minute`({})",
    "second": "`second`({})",
}
_MICROSECONDS = {"hour": 3_600_000_000, "minute": 60_000_000, "second": 1_000_000}
_COUNTS = {  # the number of a unit since some start
    "year": "`year`({0})::BIGINT",
    "quarter": "`+`(`*`(`year`({0}), 4L), `quarter`({0}))",
    "month": "`+`(`*`(`year`({0}), 12L), `month`({0}))",
}


def microseconds(time: str) -> str:
    """Microseconds since 1970."""
    return call("unix_micros", cast(time, ZONED_MOMENT))


def days(time: str) -> str:
    """Days since 1970."""
    return cast(call("unix_date", cast(time, "DATE")), "BIGINT")


def _part(operands: Sequence[Piece], result: SqlType) -> str:
    return cast(_PARTS[str(operands[0].constant)].format(operands[1].sql), "BIGINT")


def _difference(operands: Sequence[Piece], result: SqlType) -> str:
    """The number of unit starts between two times; for weeks, whole periods of seven days."""
    unit, start, end = str(operands[0].constant), operands[1].sql, operands[2].sql
    if unit == "week":
        return call("div", call("-", days(end), days(start)), "7L")
    if unit == "day":
        return call("-", days(end), days(start))
    if unit in _COUNTS:
        return call("-", _COUNTS[unit].format(end), _COUNTS[unit].format(start))
    return call("-", _whole(end, unit), _whole(start, unit))


def _whole(time: str, unit: str) -> str:
    """Whole units since 1970, cut downwards."""
    micros, length = microseconds(time), f"{_MICROSECONDS[unit]}L"
    return call("div", call("-", micros, call("pmod", micros, length)), length)


def _minus(operands: Sequence[Piece], result: SqlType) -> str:
    return call("-", days(operands[0].sql), days(operands[1].sql))


def _shift(operands: Sequence[Piece], result: SqlType) -> str:
    """Months are added first, with the day cut to its month, then seconds."""
    time, months, seconds = operands[0].sql, operands[1].constant, operands[2].constant
    assert isinstance(months, int)
    assert isinstance(seconds, int)
    rest = call("make_dt_interval", str(seconds // 86400), "0", "0", str(seconds % 86400))
    return call("+", call("+", time, call("make_ym_interval", "0", str(months))), rest)


TIMES: dict[str, Operation] = {
    "date_part": _part,
    "date_diff": _difference,
    "date_minus": _minus,
    "shift": _shift,
}


_PLAIN = ("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
_ENDLESS_DAY, _ENDLESS_MOMENT = 2**31 - 1, 2**63 - 1
_FIRST, _LAST = number_of(datetime.min), number_of(datetime.max)


def written(x: str, source: SqlType) -> str:
    """A value as text. Doubles are refused: Java writes some with other digits, and 1e16 as 1.0E16."""
    if source.name in _PLAIN:
        return cast(x, "STRING")
    if source.name == "DECIMAL":
        plain = attempt(x, "STRING")  # CAST would write 1E-9
        is_bare = 0 < source.scale == source.width  # then DuckDB writes no digit before the point
        sign, digits = case(call("<", x, "0"), "'-'", "''"), call("substring_index", plain, "'.'", "-1")
        return call("concat", sign, "'.'", digits) if is_bare else plain
    if source == DATE:
        return _day(x)
    if source.is_time:
        return _moment(x, "")
    if source.is_zoned:  # beyond the years 1 to 9999 DuckDB reads the first or the last timestamp of that range
        return case(
            call("<", x, call("timestamp_micros", f"{_FIRST}L")),
            "'0001-01-01 00:00:00+00'",
            call(">", x, call("timestamp_micros", f"{_LAST}L")),
            "'9999-12-31 23:59:59.999999+00'",
            _moment(x, "+00"),
        )
    accepted = "CAST(x AS DECIMAL(18, 4)), or ROUND(x)." if source.is_float else "a column of another type."
    raise cannot(ENGINE, f"{source} as text", accepted, "It is written otherwise there.")


def _day(x: str) -> str:
    """A day; beyond the years 1 to 9999 Spark writes signs, and it has no infinite day."""
    written, number, last = cast(x, "STRING"), call("unix_date", x), "DATE'9999-12-31'"
    years = cast(call("-", "1", call("year", x)), "STRING")
    width = call("greatest", "4", call("length", years))
    before = call("concat", call("lpad", years, width, "'0'"), call("right", written, "6"), "' (BC)'")
    return case(
        *(call("between", x, "DATE'0001-01-01'", last), written),
        *(call("=", number, f"{_ENDLESS_DAY}"), "'infinity'"),
        *(call("=", number, f"-{_ENDLESS_DAY}"), "'-infinity'"),
        *(call(">", x, last), call("substring", written, "2")),
        *(call("isnotnull", x), before),
    )


def _moment(x: str, zone: str) -> str:
    count, clock = microseconds(x), call("substring_index", cast(x, "STRING"), "' '", "-1")
    return case(
        *(call("=", count, f"{_ENDLESS_MOMENT}L"), "'infinity'"),
        *(call("=", count, f"-{_ENDLESS_MOMENT}L"), "'-infinity'"),
        call("concat", _day(cast(x, "DATE")), "' '", clock, f"'{zone}'"),
    )


_ESCAPE = "\\"
_OWN = {"ß": "ẞ"}  # letters that DuckDB maps and Unicode's simple mapping does not


def lowered(letter: str) -> str:
    """A letter in lower case, as one letter."""
    return letter.lower()[:1]


def raised(letter: str) -> str:
    """One letter in upper case; itself where that would be several."""
    longer = letter.upper()
    if len(longer) == 1:
        return longer
    return _OWN.get(letter) or (letter.title() if len(letter.title()) == 1 else letter)


@lru_cache(maxsize=2)
def _table(change: Callable[[str], str]) -> tuple[str, str]:
    """Every letter that changes, and what it changes to."""
    changed = [(letter, change(letter)) for letter in _letters() if change(letter) != letter]
    return "".join(old for old, _ in changed), "".join(new for _, new in changed)


def _letters() -> Iterator[str]:
    for code in range(sys.maxunicode + 1):
        if unicodedata.category(chr(code)) in ("Lu", "Ll", "Lt", "Nl", "So", "Mn"):
            yield chr(code)


def _cased(name: str, change: Callable[[str], str]) -> Callable[[str], str]:
    """ASCII has a fast path; in other texts (longer in octets than in letters) each letter is looked up."""

    def said(x: str) -> str:
        old, new = _table(change)
        is_ascii = call("=", call("octet_length", x), call("char_length", x))
        return case(is_ascii, call(name, x), call("translate", x, text(old), text(new)))

    return lambda x: once(x, said)


_lower, _upper = _cased("lower", lowered), _cased("upper", raised)


def _like(operands: Sequence[Piece], result: SqlType) -> str:
    return _matched(operands[0].sql, _wildcards(operands))


def _ilike(operands: Sequence[Piece], result: SqlType) -> str:
    return _matched(_lower(operands[0].sql), _wildcards(operands).changed(lowered))


def _wildcards(operands: Sequence[Piece]) -> Wildcards:
    escape = str(operands[2].constant) if len(operands) > 2 else None
    return Wildcards.of_like(str(operands[1].constant), escape)


def _matched(x: str, signs: Wildcards) -> str:
    """Spark compiles LIKE to a Java expression, which backtracks; an escape may precede only % _ and itself."""
    if signs.searches > 1:
        return call("rlike", x, text(signs.possessive()))
    return call("like", x, text(signs.like(_ESCAPE)), text(_ESCAPE))


LETTERS: dict[str, Operation] = {
    "lower": lambda operands, result: _lower(operands[0].sql),
    "upper": lambda operands, result: _upper(operands[0].sql),
    "LIKE": _like,
    "ILIKE": _ilike,
}
