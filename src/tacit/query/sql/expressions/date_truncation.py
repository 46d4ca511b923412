"""Units of time, and date_trunc: the start of the unit that a time lies in. Weeks begin on Monday."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime, timedelta
from fractions import Fraction

from sqlglot import exp

from tacit.query.sql.dialects.sql_type import TIMESTAMP, VARCHAR
from tacit.query.sql.dialects.translator import Call, Lowered, Piece, Translator
from tacit.query.sql.expressions.result_types import as_timestamp
from tacit.query.sql.expressions.rule import Family, SqlFunction, Typer, part
from tacit.query.sql.values.domains import mapped
from tacit.query.sql.values.refusal import refuse
from tacit.query.sql.values.storage import is_null, number_of, time_of
from tacit.query.sql.values.typed import Typed
from tacit.schema.kind import Key, Kind

_MOST_STARTS = 9_000  # fewer than the 9,999 years of a date without bounds
_CLOCK = {"hour": 3600, "minute": 60, "second": 1}
_STARTS: dict[str, Callable[[date], date]] = {
    "year": lambda day: day.replace(month=1, day=1),
    "quarter": lambda day: day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1),
    "month": lambda day: day.replace(day=1),
    "week": lambda day: day - timedelta(days=day.weekday()),
    "day": lambda day: day,
}
_DAYS = {"year": 366, "quarter": 92, "month": 31, "week": 7, "day": 1}
UNITS = (*_STARTS, *_CLOCK)


def unit_of(node: exp.Expression, written: str, units: tuple[str, ...]) -> str:
    """The unit of time that is named; plural and upper case count as the same."""
    unit = written.strip().lower().removesuffix("s")
    if unit not in units:
        raise refuse(node, f"{written.lower()} is not a unit of time here.", f"{', '.join(units)}.")
    return unit


def start_of(value: date | datetime, unit: str) -> date | datetime:
    """The start of the unit that a date or timestamp lies in."""
    if not isinstance(value, datetime):
        return _STARTS[unit](value)
    if unit in _CLOCK:
        seconds = value.hour * 3600 + value.minute * 60 + value.second
        whole = timedelta(seconds=seconds // _CLOCK[unit] * _CLOCK[unit])
        return datetime.combine(value.date(), datetime.min.time()) + whole
    return datetime.combine(_STARTS[unit](value.date()), datetime.min.time())


def _truncate(node: exp.Expression, typer: Typer) -> Typed:
    unit = unit_of(node, part(node, "unit").name, UNITS)
    value = typer(part(node))
    if is_null(value):
        return as_timestamp(value)
    if not value.kind.is_time:
        raise refuse(node, f"date_trunc takes a date or timestamp; this is {value.kind}.", "CAST(… AS DATE).")
    if value.kind is Kind.DATE and unit in _CLOCK:
        return as_timestamp(value)
    sql = f"date_trunc('{unit}', {value.sql})"
    if value.kind is Kind.DATE:
        sql = f"CAST({sql} AS DATE)"
    assert value.low is not None
    assert value.high is not None
    low, high = (number_of(start_of(time_of(value.kind, end), unit)) for end in (value.low, value.high))
    keys = _between(value.kind, low, high, unit)
    if value.keys is not None:
        keys = mapped(value, lambda key: start_of(key, unit) if isinstance(key, date) else None)
    return replace(value, sql=sql, low=low, high=high, keys=keys, is_constant=False)


def _between(kind: Kind, low: Fraction, high: Fraction, unit: str) -> tuple[Key, ...] | None:
    """Every start from the first to the last; None if they are too many."""
    longest = Fraction(_CLOCK[unit], 86400) if unit in _CLOCK else Fraction(_DAYS[unit])
    step = longest * kind.time_scale.steps_a_day
    if not high - low < _MOST_STARTS * step:
        return None
    found = [low]
    while found[-1] < high:
        beyond = min(high, found[-1] + step)
        found.append(number_of(start_of(time_of(kind, beyond), unit)))
    return tuple(time_of(kind, number) for number in found)


def unit_literal(node: exp.Expression, walk: Translator) -> Piece:
    """The unit of a lowered call."""
    unit = node.args["unit"].name.lower()
    if unit not in UNITS:
        raise walk.refusal(f"the unit {unit}", f"{', '.join(UNITS)}.")
    return walk.literal(unit, VARCHAR)


def _start(node: exp.Expression, walk: Translator) -> Piece:
    return walk.say("date_trunc", [unit_literal(node, walk), walk.convert(walk(node.this), TIMESTAMP)], TIMESTAMP)


_WORDS = Call(
    "date_trunc", "date_trunc('{0.constant}', {1})", "`date_trunc`('{0.constant}', {1}::TIMESTAMP)::TIMESTAMP_NTZ"
)
TRUNCATING = Family.of(
    "dates",
    SqlFunction(("date_trunc",), _truncate, (exp.TimestampTrunc, exp.DateTrunc), Lowered(_start, (_WORDS,))),
)
