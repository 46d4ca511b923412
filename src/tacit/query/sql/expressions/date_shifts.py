"""Dates moved by an INTERVAL or by days, and the days between two dates."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, datetime, timedelta
from fractions import Fraction

from sqlglot import exp

from tacit.frozen import frozen
from tacit.query.sql.dialects.sql_type import INTEGER, TIMESTAMP
from tacit.query.sql.dialects.translator import Piece, Translator
from tacit.query.sql.expressions.result_types import as_timestamp, exact_result
from tacit.query.sql.expressions.rule import Typer, part
from tacit.query.sql.values.column_reader import clamp_time
from tacit.query.sql.values.domains import mapped
from tacit.query.sql.values.refusal import refuse
from tacit.query.sql.values.storage import interval, is_null, number_of, time_of
from tacit.query.sql.values.typed import Typed
from tacit.schema.kind import Key, Kind

_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 7 * 86400}
_ACCEPTED = "a whole number and a unit, such as INTERVAL 3 MONTH, INTERVAL '7 days' or INTERVAL 12 HOUR."
_MOST_MONTHS, _MOST_SECONDS = 12 * 10_000, 86400 * 3_660_000


@frozen
class CalendarInterval:
    """A fixed length of time, in months and seconds."""

    months: int
    seconds: int

    @property
    def is_whole_days(self) -> bool:
        return self.seconds % 86400 == 0


def is_shift(node: exp.Expression) -> bool:
    """Whether one side is an interval."""
    return isinstance(node.this, exp.Interval) or isinstance(node.expression, exp.Interval)


def shift(node: exp.Expression, typer: Typer) -> Typed:
    """A date or timestamp ± a fixed interval; results outside the years 1 to 9999 become their end."""
    base, length = part(node), part(node, "expression")
    if isinstance(base, exp.Interval) and isinstance(node, exp.Add):
        base, length = length, base
    value, span = typer(base), _span(length, -1 if isinstance(node, exp.Sub) else 1)
    if is_null(value):
        return as_timestamp(value)
    if not value.kind.is_time:
        raise refuse(
            node, f"An interval is added to a date or timestamp; this is {value.kind}.", "day + INTERVAL 1 DAY."
        )
    kind = value.kind if span.is_whole_days else value.kind.with_clock
    moved = f"({value.sql} + INTERVAL '{span.months} months {span.seconds} seconds')"
    if kind is Kind.DATE:
        moved = f"CAST(({value.sql} + INTERVAL '{span.months} months {span.seconds // 86400} days') AS DATE)"
    first, last = (Fraction(limit) for limit in kind.time_scale.limits)
    ends = [_moved(value.kind, kind, number, span) for number in _turns(value)]
    beyond = last if span.months > 0 or span.seconds > 0 else first
    reached = [beyond if end is None else end for end in ends]
    sql = clamp_time(moved, kind, first, last) if None in ends else moved
    keys = None if value.keys is None else mapped(value, lambda key: _moved_key(key, kind, span))
    return replace(value, kind=kind, sql=sql, low=min(reached), high=max(reached), keys=keys)


def _turns(value: Typed) -> tuple[Fraction, ...]:
    """Times within the bounds among which a shift takes its least and its greatest value.

    A shift by months is not monotone: 30 December 23:59 goes back to 30 November 23:59, and 31 December 00:00 to 30
    November 00:00. But within one day it keeps the time of day, and so the order; and whole days keep their order,
    since the day of the month is cut to the length of its new month. So nothing that lies on a later day than `low`
    goes below where the midnight after `low` goes, and nothing on an earlier day than `high` goes above where the last
    microsecond before the day of `high` goes. Seconds move all times equally.
    """
    assert value.low is not None
    assert value.high is not None
    if value.kind is Kind.DATE:
        return value.low, value.high
    day = value.kind.time_scale.steps_a_day
    midnight = Fraction((value.low // day + 1) * day)
    evening = Fraction(value.high // day * day - 1)
    return value.low, min(midnight, value.high), max(evening, value.low), value.high


def _moved(own: Kind, kind: Kind, number: Fraction, span: CalendarInterval) -> Fraction | None:
    """The shifted time; None if that is outside the years 1 to 9999."""
    moment = _add(time_of(own, number), span)
    return None if moment is None else number_of(moment.date() if kind is Kind.DATE else moment)


def _moved_key(key: Key, kind: Kind, span: CalendarInterval) -> Key | None:
    assert isinstance(key, date)
    moment = _add(key, span)
    limit = datetime.max if span.months > 0 or span.seconds > 0 else datetime.min
    moment = limit if moment is None else moment
    return moment.date() if kind is Kind.DATE else moment


def _add(value: date | datetime, span: CalendarInterval) -> datetime | None:
    moment = value if isinstance(value, datetime) else datetime.combine(value, datetime.min.time())
    index = moment.year * 12 + moment.month - 1 + span.months
    year, month = divmod(index, 12)
    if not 1 <= year <= 9999:
        return None
    last = 31 if month == 11 else (date(year, month + 2, 1) - timedelta(days=1)).day
    try:
        return moment.replace(year=year, month=month + 1, day=min(moment.day, last)) + timedelta(seconds=span.seconds)
    except OverflowError:
        return None


def _span(node: exp.Expression, sign: int) -> CalendarInterval:
    """A literal interval: 3 and MONTH, or '3 months', or several of those."""
    if not isinstance(node, exp.Interval):
        raise refuse(node, "A time is moved by a fixed interval.", _ACCEPTED)
    unit = node.args.get("unit")
    text = node.this.name if node.this is not None else ""
    written = f"{text} {unit.name if isinstance(unit, exp.Expression) else ''}".strip().lower()
    found = re.findall(r"([+-]?\d{1,9})\s*([a-z]+)", written)
    if not found or re.sub(r"([+-]?\d{1,9})\s*([a-z]+)", "", written).strip():
        raise refuse(node, "Its length is not a fixed whole number of units.", _ACCEPTED)
    months = seconds = 0
    for count, name in found:
        singular = name.removesuffix("s")
        if singular not in _MONTHS and singular not in _SECONDS:
            raise refuse(node, f"{name} is not a unit of time here.", f"{', '.join((*_SECONDS, *_MONTHS))}.")
        months += sign * int(count) * _MONTHS.get(singular, 0)
        seconds += sign * int(count) * _SECONDS.get(singular, 0)
    if not (abs(months) <= _MOST_MONTHS and abs(seconds) <= _MOST_SECONDS and months * seconds >= 0):
        raise refuse(node, "It is longer than 10,000 years, or goes both ways.", _ACCEPTED)
    return CalendarInterval(months, seconds)


def difference(node: exp.Expression, left: Typed, right: Typed) -> Typed:
    """The days between two dates."""
    if not left.kind is right.kind is Kind.DATE:
        accepted = "date - date, which counts days; or date_diff('second', a, b)."
        raise refuse(node, "A difference of timestamps is an interval.", accepted)
    bounds = interval(left) - interval(right)
    days = tuple(replace(item, kind=Kind.INTEGER, keys=None, is_constant=False) for item in (left, right))
    return exact_result(node, days, bounds, lambda a, b: f"CAST({left.sql} - {right.sql} AS BIGINT)")


_SHIFT = re.compile(r"(-?\d+) months (-?\d+) (days|seconds)")


def shifted(node: exp.Expression, walk: Translator) -> Piece:
    """The SQL of `shift`: date + INTERVAL 'm months n days', or timestamp + INTERVAL 'm months n seconds'.

    The result may leave the years 1 to 9999, and is then compared with their ends: a time beyond an engine's range may
    be any other that compares the same.
    """
    written = node.expression.this
    match = _SHIFT.fullmatch(written.name) if isinstance(written, exp.Literal) else None
    value = walk(node.this)
    if match is None or not isinstance(node, exp.Add) or not value.type.is_time:
        raise walk.refusal("an INTERVAL of another form")
    seconds = int(match[2]) * (_SECONDS["day"] if match[3] == "days" else 1)
    moves = [walk.literal(int(match[1]), INTEGER), Piece(str(seconds), INTEGER, seconds)]
    return walk.say("shift", [walk.convert(value, TIMESTAMP), *moves], TIMESTAMP)
