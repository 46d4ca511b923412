"""Parts of dates (EXTRACT, date_part, YEAR …) and differences (date_diff). Weeks are ISO weeks."""

from __future__ import annotations

from fractions import Fraction

from sqlglot import exp

from tacit.query.expressions.intervals import Interval
from tacit.query.expressions.rule import Family, Rule, Typer, part, parts
from tacit.query.expressions.shifting import shift
from tacit.query.expressions.shown import refuse
from tacit.query.expressions.storage import MICROSECONDS_A_DAY, interval, is_null, null_of, time_of
from tacit.query.expressions.texts import fixed_text
from tacit.query.expressions.truncating import unit_of
from tacit.query.expressions.unifying import as_timestamp, unify
from tacit.query.typed import Typed
from tacit.schema.kind import Kind

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
    days = interval(end) - interval(start)
    if end.kind is Kind.TIMESTAMP:
        days = days * Interval(Fraction(1, MICROSECONDS_A_DAY), Fraction(1, MICROSECONDS_A_DAY))
    assert days.low is not None
    assert days.high is not None
    if not (end.kind is Kind.DATE and unit == "day"):
        days = Interval(-_starts(-days.low, unit), _starts(days.high, unit))
    sql = f"date_diff('{unit}', {start.sql}, {end.sql})"
    return Typed(Kind.INTEGER, sql, days.low, days.high, end.nullable or start.nullable)


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
