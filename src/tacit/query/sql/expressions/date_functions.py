"""Parts of dates (EXTRACT, date_part, YEAR …) and differences (date_diff). Weeks are ISO weeks."""

from __future__ import annotations

from fractions import Fraction

from sqlglot import exp

from tacit.query.sql.dialects.sql_type import BIGINT, DATE, TIMESTAMP
from tacit.query.sql.dialects.translator import OWN, Call, Lowered, Piece, Translator
from tacit.query.sql.expressions.date_shifts import shift, shifted
from tacit.query.sql.expressions.date_truncation import unit_literal, unit_of
from tacit.query.sql.expressions.result_types import as_timestamp, unify
from tacit.query.sql.expressions.rule import Family, Rule, SqlFunction, Typer, composed, part, parts
from tacit.query.sql.expressions.text_operands import fixed_text
from tacit.query.sql.values.exact_intervals import Interval
from tacit.query.sql.values.refusal import refuse
from tacit.query.sql.values.storage import days, is_null, null_of, time_of
from tacit.query.sql.values.typed import Typed
from tacit.schema.kind import Kind

_RANGES = {
    "year": (1, 9999),
    "isoyear": (1, 9999),
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
_SHORTEST = {  # the least number of days of a unit; a difference counts the boundaries between two times
    "year": Fraction(365),
    "quarter": Fraction(90),
    "month": Fraction(28),
    "week": Fraction(7),
    "day": Fraction(1),
    "hour": Fraction(1, 24),
    "minute": Fraction(1, 1440),
    "second": Fraction(1, 86400),
}


def _part_of(node: exp.Expression, value: Typed, written: str, typer: Typer) -> Typed:
    name = written.strip().lower()
    name = _SYNONYMS.get(name, name)
    unit = name if name in _RANGES else unit_of(node, _SYNONYMS.get(name, name), tuple(_RANGES))
    if is_null(value):
        return null_of(Kind.INTEGER)
    if not value.kind.is_time:
        raise refuse(node, f"A part of a date is wanted; this is {value.kind}.", "CAST(… AS DATE) around it.")
    if unit == "isoyear":  # the year of the week's Thursday
        return composed("year(date_trunc('week', CAST(x AS DATE)) + INTERVAL 3 DAY)", typer, x=value)
    low, high = _RANGES[unit]
    if unit == "year" and value.low is not None and value.high is not None:
        low, high = time_of(value.kind, value.low).year, time_of(value.kind, value.high).year
    sql = f"CAST(date_part('{unit}', {value.sql}) AS BIGINT)"
    return Typed(Kind.INTEGER, sql, Fraction(low), Fraction(high), value.nullable)


def _extract(node: exp.Expression, typer: Typer) -> Typed:
    return _part_of(node, typer(part(node, "expression")), part(node).name, typer)


def _date_part(node: exp.Expression, typer: Typer) -> Typed:
    given = parts(node)
    if len(given) != 2:
        raise refuse(node, "It takes a unit and a date.", "date_part('year', day).")
    return _part_of(node, typer(given[1]), fixed_text(given[0], typer, "The unit"), typer)


def _named(unit: str) -> Rule:
    def rule(node: exp.Expression, typer: Typer) -> Typed:
        given = parts(node) if isinstance(node, exp.Anonymous) else (part(node),)
        if len(given) != 1:
            raise refuse(node, "It takes one date.", f"{unit.upper()}(day).")
        return _part_of(node, typer(given[0]), unit, typer)

    return rule


def _difference(node: exp.Expression, typer: Typer) -> Typed:
    """date_diff(unit, from, to): the number of unit starts between two times."""
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
    """The largest number of unit starts within some days; 0 within a negative number of days."""
    return Fraction(int(days / _SHORTEST[unit]) + 1 if days > 0 else 0)


def _part(node: exp.Expression, walk: Translator) -> Piece:
    """Seconds are without their fraction, weeks are those of ISO 8601."""
    unit, time = (walk(item) for item in node.expressions)
    if unit.constant not in _RANGES:
        raise walk.refusal(f"the unit {unit.constant}", f"{', '.join(_RANGES)}.")
    return walk.say("date_part", [unit, walk.convert(time, TIMESTAMP)], BIGINT)


def _counted(node: exp.Expression, walk: Translator) -> Piece:
    """Boundaries between two times; weeks are whole weeks between two days."""
    unit, times = unit_literal(node, walk), [walk(node.expression), walk(node.this)]
    if unit.constant == "day" and all(time.type == DATE for time in times):
        return walk.say("date_minus", times[::-1], BIGINT)
    return walk.say("date_diff", [unit, *(walk.convert(time, TIMESTAMP) for time in times)], BIGINT)


def _in_utc(node: exp.Expression, walk: Translator) -> Piece:
    value = walk(node.this)
    if not value.type.is_zoned or node.args["zone"].name != "UTC":
        raise walk.refusal("AT TIME ZONE")
    return walk.say("in_utc", [value], TIMESTAMP)


DATES = Family.of(
    "dates",
    SqlFunction(("EXTRACT",), _extract, (exp.Extract,)),
    SqlFunction(
        ("date_part",),
        _date_part,
        lowered=Lowered(_part, (Call("date_part", OWN, OWN),)),
        names=("date_part", "datepart"),
    ),
    SqlFunction(("YEAR",), _named("year"), (exp.Year,)),
    SqlFunction(("QUARTER",), _named("quarter"), (exp.Quarter,)),
    SqlFunction(("MONTH",), _named("month"), (exp.Month,)),
    SqlFunction(("WEEK",), _named("week"), (exp.Week, exp.WeekOfYear)),
    SqlFunction(("DAY",), _named("day"), (exp.Day, exp.DayOfMonth)),
    SqlFunction(("DAYOFWEEK",), _named("dow"), (exp.DayOfWeek,), names=("dow",)),
    SqlFunction(("ISODOW",), _named("isodow"), (exp.DayOfWeekIso,)),
    SqlFunction(("DAYOFYEAR",), _named("doy"), (exp.DayOfYear,), names=("doy",)),
    SqlFunction(("HOUR",), _named("hour"), (exp.Hour,)),
    SqlFunction(("MINUTE",), _named("minute"), (exp.Minute,)),
    SqlFunction(("SECOND",), _named("second"), (exp.Second,)),
    SqlFunction(
        ("date_diff",),
        _difference,
        (exp.DateDiff,),
        Lowered(_counted, (Call("date_diff", OWN, OWN), Call("date_minus", "({0} - {1})::bigint", OWN))),
    ),
    SqlFunction(("date_add",), shift, (exp.DateAdd,), Lowered(shifted, (Call("shift", OWN, OWN),))),
    SqlFunction(
        (),
        None,
        (exp.AtTimeZone,),
        Lowered(_in_utc, (Call("in_utc", "({0} AT TIME ZONE 'UTC')", "{0}::TIMESTAMP_NTZ"),)),
    ),
)
