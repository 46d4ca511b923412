"""Finite public domains: all the values that an expression can have besides NULL, where they are few."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from tacit.query.expressions.storage import time_of
from tacit.query.typed import Typed
from tacit.schema.kind import Key, Kind

MOST_KEYS = 100_000
_WIDEST = 9_000  # fewer than the 9,999 years of a date without bounds: those are not keys that anyone meant


def domain(typed: Typed) -> tuple[Key, ...] | None:
    """Every value it can have besides NULL, perhaps more; None if they are unknown or too many to list."""
    if typed.keys is not None:
        return typed.keys if len(typed.keys) <= MOST_KEYS else None
    if typed.kind is Kind.BOOLEAN:
        return (False, True)
    if typed.kind not in (Kind.INTEGER, Kind.DATE) or typed.low is None or typed.high is None:
        return None
    if not typed.high - typed.low < _WIDEST:
        return None
    numbers = range(int(typed.low), int(typed.high) + 1)
    if typed.kind is Kind.INTEGER:
        return tuple(numbers)
    return tuple(time_of(Kind.DATE, Fraction(number)) for number in numbers)


def mapped(typed: Typed, function: Callable[[Key], Key | None]) -> tuple[Key, ...] | None:
    """The domain of a deterministic function of one expression; None of the function means NULL."""
    known = domain(typed)
    if known is None:
        return None
    return tuple(dict.fromkeys(value for value in map(function, known) if value is not None))


def united(*items: Typed) -> tuple[Key, ...] | None:
    """The values of an expression that is one of these; None unless each lists its own."""
    if any(item.keys is None and item.kind is not Kind.BOOLEAN for item in items):
        return None
    found = tuple(dict.fromkeys(key for item in items for key in domain(item) or ()))
    return found if len(found) <= MOST_KEYS else None
