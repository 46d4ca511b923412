"""Public keys: all the values of a column that count, known to everyone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from tacit.errors import Refused
from tacit.schema.bounds import LARGEST_INTEGER, date_from, moment_from
from tacit.schema.kind import Key, Kind

MOST_KEYS = 100_000
KEYED = (Kind.INTEGER, Kind.TEXT, Kind.BOOLEAN, Kind.DATE, Kind.TIMESTAMP)


def check_keyed(kind: Kind) -> None:
    """Refuses keys on a kind whose values cannot be compared for equality as people read them."""
    if kind not in KEYED:
        raise Refused(
            f"keys of a {kind}",
            f"Two values of a {kind} that look alike need not be equal.",
            "keys on int, text, bool, date or timestamp; for numbers declare min and max instead.",
        )


def key_from(value: object, kind: Kind) -> Key:
    """A key of this kind, exactly as the file writes it: nothing is converted."""
    check_keyed(kind)
    if kind is Kind.DATE:
        return date_from(value)
    if kind is Kind.TIMESTAMP:
        return moment_from(value)
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
