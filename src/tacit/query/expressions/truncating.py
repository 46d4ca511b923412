"""date_trunc(unit, time): the start of the year, quarter, month, week (on Monday), day, hour, minute or second."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime, timedelta
from fractions import Fraction

from sqlglot import exp

from tacit.query.expressions.domains import mapped
from tacit.query.expressions.rule import Family, Typer, part
from tacit.query.expressions.shown import refuse
from tacit.query.expressions.storage import MICROSECONDS_A_DAY, is_null, null_of, number_of, time_of
from tacit.query.expressions.unifying import as_timestamp
from tacit.query.typed import Typed
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
        return null_of(Kind.TIMESTAMP)
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
    step = longest * (1 if kind is Kind.DATE else MICROSECONDS_A_DAY)
    if not high - low < _MOST_STARTS * step:
        return None
    found = [low]
    while found[-1] < high:
        beyond = min(high, found[-1] + step)
        found.append(number_of(start_of(time_of(kind, beyond), unit)))
    return tuple(time_of(kind, number) for number in found)


TRUNCATING = Family("dates", ("date_trunc",), {exp.TimestampTrunc: _truncate, exp.DateTrunc: _truncate})
