"""Dates and times on Spark: a TIMESTAMP of lowered SQL is a TIMESTAMP_NTZ, and the session's zone is UTC."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.query.dialects.dialect import Operation, cannot
from tacit.query.dialects.piece import Piece
from tacit.query.dialects.spark.calls import call, cast
from tacit.query.dialects.spark.spelling import ENGINE
from tacit.query.dialects.sql_type import SqlType

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
    return call("unix_micros", cast(time, "TIMESTAMP"))


def days(time: str) -> str:
    """Days since 1970."""
    return cast(call("unix_date", cast(time, "DATE")), "BIGINT")


def _unit(piece: Piece, known: Sequence[str]) -> str:
    unit = str(piece.constant)
    if unit not in known:
        raise cannot(ENGINE, f"the unit {unit}", ", ".join(known) + ".")
    return unit


def _truncate(operands: Sequence[Piece], result: SqlType) -> str:
    unit = _unit(operands[0], ("year", "quarter", "month", "week", "day", "hour", "minute", "second"))
    return cast(call("date_trunc", f"'{unit}'", cast(operands[1].sql, "TIMESTAMP")), "TIMESTAMP_NTZ")


def _part(operands: Sequence[Piece], result: SqlType) -> str:
    unit = _unit(operands[0], tuple(_PARTS))
    return cast(_PARTS[unit].format(operands[1].sql), "BIGINT")


def _difference(operands: Sequence[Piece], result: SqlType) -> str:
    """How many starts of the unit lie between; of weeks, how many sevens of days."""
    unit = _unit(operands[0], ("year", "quarter", "month", "week", "day", "hour", "minute", "second"))
    start, end = operands[1].sql, operands[2].sql
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
    """Months first, the day kept within its month, then seconds."""
    time, months, seconds = operands[0].sql, operands[1].constant, operands[2].constant
    assert isinstance(months, int)
    assert isinstance(seconds, int)
    rest = call("make_dt_interval", str(seconds // 86400), "0", "0", str(seconds % 86400))
    return call("+", call("+", time, call("make_ym_interval", "0", str(months))), rest)


TIMES: dict[str, Operation] = {
    "date_trunc": _truncate,
    "date_part": _part,
    "date_diff": _difference,
    "date_minus": _minus,
    "epoch_us": lambda operands, result: microseconds(operands[0].sql),
    "shift": _shift,
    "in_utc": lambda operands, result: cast(operands[0].sql, "TIMESTAMP_NTZ"),
}
