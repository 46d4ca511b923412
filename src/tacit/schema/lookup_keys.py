"""Keys from a public table: every value of one of its columns, read when the description is."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import TypeAlias

from tacit.errors import Refused
from tacit.schema.description import Source
from tacit.schema.kind import Key, Kind
from tacit.schema.public_keys import check_keyed, key_from, listed_keys

ReadPublic: TypeAlias = Callable[[Source, str], Sequence[object]]
"""Reads a column of a public table: given its source and the column's name, the values."""

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_WHOLE = re.compile(r"[+-]?[0-9]{1,19}")


def lookup_keys(values: Sequence[object], kind: Kind) -> tuple[Key, ...]:
    """The distinct values in order, NULLs left out, each read as the column's kind."""
    check_keyed(kind)
    read: set[Key] = {_converted(value, kind) for value in values if value is not None}
    in_order: list[Key] = sorted(read, key=_order)
    return listed_keys(in_order, kind)


def _order(key: Key) -> tuple[int, str]:
    """Sorts keys of one kind: numbers by size, days and moments by time, text by its characters."""
    if isinstance(key, int):
        return key, ""
    return 0, key if isinstance(key, str) else key.isoformat()


def _converted(value: object, kind: Kind) -> Key:
    """The value as the engine would read it in the private column, or a refusal."""
    try:
        return key_from(_as_written(value, kind), kind)
    except ValueError:  # a Refused among them
        raise Refused(
            "keys from a lookup",
            f"A value of that column cannot be read as {kind}.",
            f"a public column whose every value is {kind} or NULL; or another type for this column.",
        ) from None


def _as_written(value: object, kind: Kind) -> object:
    match kind, value:
        case Kind.TEXT, bool():
            return "true" if value else "false"
        case Kind.TEXT, int():
            return str(value)
        case Kind.TEXT, datetime():
            return value.isoformat(sep=" ")
        case Kind.TEXT, date():
            return value.isoformat()
        case Kind.INTEGER, str() if _WHOLE.fullmatch(value.strip()):
            return int(value)
        case Kind.INTEGER, float() if value.is_integer():
            return int(value)
        case Kind.INTEGER, Decimal() if value.is_finite() and value == value.to_integral_value():
            return int(value)
        case Kind.BOOLEAN, str() if value.strip().lower() in ("true", "false"):
            return value.strip().lower() == "true"
        case Kind.DATE, str() if _DAY.fullmatch(value.strip()):
            return date.fromisoformat(value.strip())
        case Kind.DATE, datetime() if value == datetime(value.year, value.month, value.day):
            return value.date()
        case Kind.TIMESTAMP, str():
            return datetime.fromisoformat(value.strip())
        case Kind.TIMESTAMP, date() if not isinstance(value, datetime):
            return datetime(value.year, value.month, value.day)
    return value
