"""Functions of dates and timestamps in PostgreSQL's SQL: times without a zone, within the years 1 to 9999."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from tacit.query.sql.dialects.piece import Operation, Piece
from tacit.query.sql.dialects.sql_type import SqlType

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
