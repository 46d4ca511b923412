"""Columns as a file declares them: kind, scale, bounds and public keys.

Bounds are the numbers that the emitted SQL clamps to. Public keys are all the values of a column that count; they are
public.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import TypeAlias

from tacit.errors import Refused
from tacit.schema.description import Column
from tacit.schema.file_models import ColumnFile, KeyLookup, KeyRange
from tacit.schema.kind import Key, Kind
from tacit.schema.names import Problems, check_name, clashes, number_from

LARGEST_INTEGER = 2**63 - 1
_LARGEST_SCALED = 2**126


def bound_from(value: object, kind: Kind, scale: int) -> Fraction:
    """A declared bound: a number; for a date the days since 1970-01-01, for a timestamp the microseconds."""
    if kind.is_time:
        return Fraction(kind.time_scale.number(_time_from(value, kind)))
    if not kind.is_number:
        raise Refused(f"a bound of a {kind}", f"A {kind} has no least or largest value.", "no min and no max here.")
    if isinstance(value, str):
        raise Refused("a bound", "It is text.", "a number without quotation marks.")
    return _within_type(number_from(value, "bound"), kind, scale)


def _within_type(bound: Fraction, kind: Kind, scale: int) -> Fraction:
    if kind is Kind.FLOAT:
        return bound
    steps = bound * 10**scale
    if steps.denominator != 1:
        digits = f"at most {scale} digits after the point" if scale else "a whole number"
        raise Refused("a bound", "It lies between two values that the column can have.", f"{digits}.")
    largest = LARGEST_INTEGER if kind is Kind.INTEGER else _LARGEST_SCALED
    if not abs(steps) <= largest:
        raise Refused("a bound", "It is larger than the column's type can hold.", f"at most {largest // 10**scale}.")
    return bound


def _time_from(value: object, kind: Kind) -> date:
    """A day without a time, or a moment without a time zone."""
    return _moment_from(value) if kind.has_clock else _date_from(value)


def _date_from(value: object) -> date:
    if not isinstance(value, date) or isinstance(value, datetime):
        raise Refused("a date", "It is not a day.", "a day such as 2020-01-31, unquoted.")
    return value


def _moment_from(value: object) -> datetime:
    if not isinstance(value, datetime) or value.tzinfo is not None:
        raise Refused(
            "a timestamp",
            "It is not a moment without time zone.",
            "a moment such as 2020-01-31T00:00:00, unquoted.",
        )
    return value


MOST_KEYS = 100_000


def check_keyed(kind: Kind) -> None:
    """Refuse keys on a kind whose values can look alike without being equal."""
    if not kind.traits.is_keyed:
        raise Refused(
            f"keys of a {kind}",
            f"Two values of a {kind} that look alike need not be equal.",
            "keys on int, text, bool, date or timestamp; for numbers declare min and max instead.",
        )


def key_from(value: object, kind: Kind) -> Key:
    """A key of this kind, exactly as the file writes it: nothing is converted."""
    check_keyed(kind)
    if kind.is_time:
        return _time_from(value, kind)
    if kind is Kind.BOOLEAN and isinstance(value, bool):
        return value
    if kind is Kind.INTEGER and isinstance(value, int) and not isinstance(value, bool):
        if not abs(value) <= LARGEST_INTEGER:
            raise Refused("a key", "It is larger than an int can hold.", f"at most {LARGEST_INTEGER}.")
        return value
    if kind is Kind.TEXT and isinstance(value, str):
        if "\0" in value:
            raise Refused("a key", "It holds the character NUL.", "text without it.")
        return value
    raise Refused("a key", f"It is not of the column's type, {kind}.", f"a {kind}, as the column declares.")


def listed_keys(values: Sequence[object], kind: Kind) -> tuple[Key, ...]:
    """The keys of a list, in its order."""
    keys = tuple(key_from(value, kind) for value in values)
    _check_number(len(keys))
    if len(set(keys)) < len(keys):
        raise Refused("keys", "A key is listed twice.", "each key once.")
    return keys


def range_keys(first: object, last: object, kind: Kind) -> tuple[Key, ...]:
    """Every whole number, or every day, from the first to the last, both included."""
    low, high = key_from(first, kind), key_from(last, kind)
    if kind is Kind.DATE and isinstance(low, date) and isinstance(high, date):
        _check_number((high - low).days + 1)
        return tuple(low + timedelta(days=day) for day in range((high - low).days + 1))
    if kind is Kind.INTEGER and isinstance(low, int) and isinstance(high, int):
        _check_number(high - low + 1)
        return tuple(range(low, high + 1))
    raise Refused(f"a range of {kind}", f"There is no step from one {kind} to the next.", "a list of keys.")


def _check_number(number: int) -> None:
    if not number > 0:
        raise Refused("keys", "There are none.", "at least one key; in a range, from at most to.")
    if not number <= MOST_KEYS:
        raise Refused("keys", f"There are more than {MOST_KEYS:,}.", "fewer; or leave the keys private.")


MONEY_SCALE = 2
LARGEST_SCALE = 9

Place: TypeAlias = tuple[str, ...]
KeysOf: TypeAlias = Callable[[KeyLookup, Kind], tuple[Key, ...]]
"""Reads the keys of a column of some kind from a lookup."""


def read_columns(
    written: Mapping[str, ColumnFile], place: Place, keys_of: KeysOf, problems: Problems
) -> dict[str, Column]:
    """The columns of a table, each by its name."""
    for first, second in clashes(written):
        problems.add(
            (*place, second), f"To SQL it is the same name as {first}.", "names that differ by more than case."
        )
    return {name: _column(name, column, (*place, name), keys_of, problems) for name, column in written.items()}


def _column(name: str, written: ColumnFile, place: Place, keys_of: KeysOf, problems: Problems) -> Column:
    problems.attempt(place, None, check_name, name)
    kind = Kind.DECIMAL if written.type == "money" else Kind(written.type)
    scale = _scale(written, place, problems)
    low = _bound(written.low, kind, scale, (*place, "min"), problems)
    high = _bound(written.high, kind, scale, (*place, "max"), problems)
    if low is not None and high is not None and not low <= high:
        problems.add((*place, "max"), "It is less than min.", "a max that is at least min.")
    keys = _keys(written, kind, (*place, "keys"), keys_of, problems)
    if keys is not None and (low is not None or high is not None):
        problems.add((*place, "keys"), "Keys say already which values count.", "keys, or min and max, not both.")
    return Column(name, kind, low, high, written.nullable, scale, keys)


def _scale(written: ColumnFile, place: Place, problems: Problems) -> int:
    place = (*place, "scale")
    if written.type == "money":
        if written.scale is not None:
            problems.add(place, "Money has two digits after the point.", 'leave scale out, or type = "decimal".')
        return MONEY_SCALE
    if written.type != "decimal":
        if written.scale is not None:
            problems.add(place, f"A column of type {written.type} has no scale.", 'leave it out, or type = "decimal".')
        return 0
    if written.scale is None or not 0 <= written.scale <= LARGEST_SCALE:
        problems.add(
            place, "A decimal needs its number of digits after the point.", f"scale = 0 to scale = {LARGEST_SCALE}."
        )
        return 0
    return written.scale


def _bound(value: object, kind: Kind, scale: int, place: Place, problems: Problems) -> Fraction | None:
    return None if value is None else problems.attempt(place, None, bound_from, value, kind, scale)


def _keys(written: ColumnFile, kind: Kind, place: Place, keys_of: KeysOf, problems: Problems) -> tuple[Key, ...] | None:
    if written.keys is None:
        return None
    if isinstance(written.keys, KeyLookup):
        return problems.attempt(place, None, keys_of, written.keys, kind)
    if isinstance(written.keys, KeyRange):
        return problems.attempt(place, None, range_keys, written.keys.first, written.keys.last, kind)
    return problems.attempt(place, None, listed_keys, written.keys, kind)
