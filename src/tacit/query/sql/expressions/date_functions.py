"""Parts of dates (EXTRACT, date_part, YEAR …), differences (date_diff) and truncation (date_trunc).

Weeks are ISO weeks: they begin on Monday.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime, timedelta
from fractions import Fraction

from sqlglot import exp

from tacit.query.sql.expressions.date_shifts import shift
from tacit.query.sql.expressions.result_types import as_timestamp, unify
from tacit.query.sql.expressions.rule import Family, Rule, Typer, part, parts
from tacit.query.sql.expressions.text_functions import fixed_text
from tacit.query.sql.values.domains import mapped
from tacit.query.sql.values.exact_intervals import Interval
from tacit.query.sql.values.refusal import refuse
from tacit.query.sql.values.storage import days, is_null, null_of, number_of, time_of
from tacit.query.sql.values.typed import Typed
from tacit.schema.kind import Key, Kind

_RANGES = {
    "year": (1, 9999),
    "quarter": (1, 4),
    "month": (1, 12),
    "week": (1, 53),
    "day": (1, 31),
    "dow": (0, 6),
    "isodow": (1, 7),
    "doy": (1, 366),
    "hour": (0, 23),
    "minute": (0, 59),
    "second": (0, 59),
}
_SYNONYMS = {"dayofweek": "dow", "weekday": "dow", "dayofyear": "doy", "weekofyear": "week", "dayofmonth": "day"}
_SHORTEST = {  # days that a unit has at least; a difference counts the boundaries between two times
    "year": Fraction(365),
    "quarter": Fraction(90),
    "month": Fraction(28),
    "week": Fraction(7),
    "day": Fraction(1),
    "hour": Fraction(1, 24),
    "minute": Fraction(1, 1440),
    "second": Fraction(1, 86400),
}


def _part_of(node: exp.Expression, value: Typed, written: str) -> Typed:
    name = written.strip().lower()
    name = _SYNONYMS.get(name, name)
    unit = name if name in _RANGES else unit_of(node, _SYNONYMS.get(name, name), tuple(_RANGES))
    if is_null(value):
        return null_of(Kind.INTEGER)
    if not value.kind.is_time:
        raise refuse(node, f"A part of a date is wanted; this is {value.kind}.", "CAST(… AS DATE) around it.")
    low, high = _RANGES[unit]
    if unit == "year" and value.low is not None and value.high is not None:
        low, high = time_of(value.kind, value.low).year, time_of(value.kind, value.high).year
    sql = f"CAST(date_part('{unit}', {value.sql}) AS BIGINT)"
    return Typed(Kind.INTEGER, sql, Fraction(low), Fraction(high), value.nullable)


def _extract(node: exp.Expression, typer: Typer) -> Typed:
    return _part_of(node, typer(part(node, "expression")), part(node).name)


def _date_part(node: exp.Expression, typer: Typer) -> Typed:
    given = parts(node)
    if len(given) != 2:
        raise refuse(node, "It takes a unit and a date.", "date_part('year', day).")
    return _part_of(node, typer(given[1]), fixed_text(given[0], typer, "The unit"))


def _named(unit: str) -> Rule:
    def rule(node: exp.Expression, typer: Typer) -> Typed:
        given = parts(node) if isinstance(node, exp.Anonymous) else (part(node),)
        if len(given) != 1:
            raise refuse(node, "It takes one date.", f"{unit.upper()}(day).")
        return _part_of(node, typer(given[0]), unit)

    return rule


def _difference(node: exp.Expression, typer: Typer) -> Typed:
    """date_diff(unit, from, to): how many starts of the unit lie between."""
    written = node.args.get("unit")
    unit = unit_of(node, written.name if isinstance(written, exp.Expression) else "day", tuple(_SHORTEST))
    end, start = unify(node, typer(part(node)), typer(part(node, "expression")))
    if is_null(end) or is_null(start):
        return null_of(Kind.INTEGER)
    if not end.kind.is_time:
        raise refuse(node, f"It takes two dates; this is {end.kind}.", "date_diff('day', a, b) with CAST(… AS DATE).")
    if unit in ("hour", "minute", "second"):
        end, start = as_timestamp(end), as_timestamp(start)
    between = days(end) - days(start)
    assert between.low is not None
    assert between.high is not None
    if not (end.kind is Kind.DATE and unit == "day"):
        between = Interval(-_starts(-between.low, unit), _starts(between.high, unit))
    sql = f"date_diff('{unit}', {start.sql}, {end.sql})"
    return Typed(Kind.INTEGER, sql, between.low, between.high, end.nullable or start.nullable)


def _starts(days: Fraction, unit: str) -> Fraction:
    """At most so many starts of a unit lie within some days; none within a negative number of them."""
    return Fraction(int(days / _SHORTEST[unit]) + 1 if days > 0 else 0)


DATES = Family(
    "dates",
    (
        *("EXTRACT", "date_part", "YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "DAYOFWEEK", "ISODOW", "DAYOFYEAR"),
        *("HOUR", "MINUTE", "SECOND", "date_diff", "date_add"),
    ),
    {
        exp.Extract: _extract,
        exp.Year: _named("year"),
        exp.Quarter: _named("quarter"),
        exp.Month: _named("month"),
        exp.Week: _named("week"),
        exp.WeekOfYear: _named("week"),
        exp.Day: _named("day"),
        exp.DayOfMonth: _named("day"),
        exp.DayOfWeek: _named("dow"),
        exp.DayOfWeekIso: _named("isodow"),
        exp.DayOfYear: _named("doy"),
        exp.Hour: _named("hour"),
        exp.Minute: _named("minute"),
        exp.Second: _named("second"),
        exp.DateDiff: _difference,
        exp.DateAdd: shift,
    },
    {"date_part": _date_part, "datepart": _date_part, "dow": _named("dow"), "doy": _named("doy")},
)


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


TRUNCATING = Family("dates", ("date_trunc",), {exp.TimestampTrunc: _truncate, exp.DateTrunc: _truncate})
