"""Dates moved by an INTERVAL or by days, and the days between two dates."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, datetime, timedelta
from fractions import Fraction

from sqlglot import exp

from tacit.frozen import frozen
from tacit.query.expressions.domains import mapped
from tacit.query.expressions.intervals import Interval
from tacit.query.expressions.reading_times import LIMITS, clamp_time
from tacit.query.expressions.results import exact_result
from tacit.query.expressions.rule import Typer, part
from tacit.query.expressions.shown import refuse
from tacit.query.expressions.storage import interval, is_null, null_of, number_of, time_of
from tacit.query.typed import Typed
from tacit.schema.kind import Key, Kind

_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 7 * 86400}
_ACCEPTED = "a whole number and a unit, such as INTERVAL 3 MONTH, INTERVAL '7 days' or INTERVAL 12 HOUR."
_MOST_MONTHS, _MOST_SECONDS = 12 * 10_000, 86400 * 3_660_000


@frozen
class Span:
    """A fixed length of time, in months and seconds."""

    months: int
    seconds: int

    @property
    def is_whole_days(self) -> bool:
        return self.seconds % 86400 == 0


def is_shift(node: exp.Expression) -> bool:
    """One side is an interval."""
    return isinstance(node.this, exp.Interval) or isinstance(node.expression, exp.Interval)


def shift(node: exp.Expression, typer: Typer) -> Typed:
    """A date or timestamp ± a fixed interval; what leaves the years 1 to 9999 stays at their end."""
    base, length = part(node), part(node, "expression")
    if isinstance(base, exp.Interval) and isinstance(node, exp.Add):
        base, length = length, base
    value, span = typer(base), _span(length, -1 if isinstance(node, exp.Sub) else 1)
    if is_null(value):
        return null_of(Kind.TIMESTAMP)
    if not value.kind.is_time:
        raise refuse(
            node, f"An interval is added to a date or timestamp; this is {value.kind}.", "day + INTERVAL 1 DAY."
        )
    kind = Kind.DATE if value.kind is Kind.DATE and span.is_whole_days else Kind.TIMESTAMP
    moved = f"({value.sql} + INTERVAL '{span.months} months {span.seconds} seconds')"
    if kind is Kind.DATE:
        moved = f"CAST(({value.sql} + INTERVAL '{span.months} months {span.seconds // 86400} days') AS DATE)"
    assert value.low is not None
    assert value.high is not None
    low, high = _moved(value.kind, kind, value.low, span), _moved(value.kind, kind, value.high, span)
    first, last = (Fraction(limit) for limit in LIMITS[kind])
    bounds = Interval(low if low is not None else first, high if high is not None else last)
    if span.months < 0 or span.seconds < 0:
        bounds = Interval(low if low is not None else first, high if high is not None else first)
    elif low is None:
        bounds = Interval(last, last)
    assert bounds.low is not None
    assert bounds.high is not None
    sql = moved if low is not None and high is not None else clamp_time(moved, kind, first, last)
    keys = None if value.keys is None else mapped(value, lambda key: _moved_key(key, kind, span))
    return replace(value, kind=kind, sql=sql, low=bounds.low, high=bounds.high, keys=keys)


def _moved(own: Kind, kind: Kind, number: Fraction, span: Span) -> Fraction | None:
    """Where a moment goes; None if that is outside the years 1 to 9999."""
    moment = _add(time_of(own, number), span)
    return None if moment is None else number_of(moment.date() if kind is Kind.DATE else moment)


def _moved_key(key: Key, kind: Kind, span: Span) -> Key | None:
    assert isinstance(key, date)
    moment = _add(key, span)
    limit = datetime.max if span.months > 0 or span.seconds > 0 else datetime.min
    moment = limit if moment is None else moment
    return moment.date() if kind is Kind.DATE else moment


def _add(value: date | datetime, span: Span) -> datetime | None:
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


def _span(node: exp.Expression, sign: int) -> Span:
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
    return Span(months, seconds)


def difference(node: exp.Expression, left: Typed, right: Typed) -> Typed:
    """The days between two dates."""
    if not left.kind is right.kind is Kind.DATE:
        accepted = "date - date, which counts days; or date_diff('second', a, b)."
        raise refuse(node, "A difference of timestamps is an interval.", accepted)
    bounds = interval(left) - interval(right)
    days = tuple(replace(item, kind=Kind.INTEGER, keys=None, is_constant=False) for item in (left, right))
    return exact_result(node, days, bounds, lambda a, b: f"CAST({left.sql} - {right.sql} AS BIGINT)")
