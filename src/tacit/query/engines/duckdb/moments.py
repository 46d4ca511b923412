"""Timestamps in DuckDB: their types, and how a column is read so that no timestamp makes the engine fail."""

from __future__ import annotations

from typing import Final

from tacit.schema.kind import ZONED

IN_MILLISECONDS: Final = "logical_type LIKE '%MILLIS=Milli%' OR converted_type = 'TIMESTAMP_MILLIS'"
"""The condition on a row of `parquet_schema` that its column is moments in milliseconds."""
_PLAIN: Final = "TIMESTAMP"
_FIRST, _LAST = "TIMESTAMPTZ '0001-01-01 00:00:00+00'", "TIMESTAMPTZ '9999-12-31 23:59:59.999999+00'"
"""Timestamps beyond these years are read as one of them, because the engine cannot convert them to UTC."""
# timestamps between have no text form
_EARLIEST, _NEVER = "TIMESTAMP '290309-12-22 (BC) 00:00:00'", "TIMESTAMP '-infinity'"
_CALENDAR = (-9_223_372_022_400_000, 9_223_372_036_854_775)  # its ends in milliseconds, without the infinities


def has_moments(kind: str) -> bool:
    """Whether values of this type are timestamps, or lists of them."""
    return kind.startswith("TIMESTAMP")


def readable(value: str, kind: str) -> str:
    """A column of this type without the timestamps that the engine cannot write or convert to UTC; others unchanged."""
    if kind == _PLAIN:
        return f"TRY(CASE WHEN {value} < {_EARLIEST} AND {value} <> {_NEVER} THEN NULL ELSE {value} END)"
    if kind == "TIMESTAMP_NS":
        return f"TRY({value})"
    if kind == ZONED:
        return f"CASE WHEN {value} < {_FIRST} THEN {_FIRST} WHEN {value} > {_LAST} THEN {_LAST} ELSE {value} END"
    return value


def from_milliseconds(number: str, kind: str) -> str:
    """Milliseconds since 1970 as timestamps, NULL beyond DuckDB's calendar; for any other type the numbers."""
    if kind not in (_PLAIN, ZONED):
        return number
    first, last = _CALENDAR
    return f"CASE WHEN {number} BETWEEN {first} AND {last} THEN make_timestamp({number} * 1000) END"
