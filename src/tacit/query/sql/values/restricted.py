"""Restricted values: an expression with fewer of the values that it could have, as a condition leaves them."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from fractions import Fraction
from math import ceil, floor

from sqlglot import exp

from tacit.query.sql.values.domains import domain
from tacit.query.sql.values.storage import number_of
from tacit.query.sql.values.typed import Typed
from tacit.schema.kind import Key, Kind

_EXACT = 2**53  # whole numbers up to it are exact as doubles


def constant_of(value: Typed) -> Key | None:
    """The only value of an expression; None where it may have others."""
    if value.nullable:
        return None
    values = value.keys if value.keys is not None else domain(value)
    return values[0] if values is not None and len(values) == 1 else None


def limit_of(typed: Typed, value: Typed) -> Fraction | None:
    """The number that an expression is compared with, in the expression's own unit; None where it is not certain."""
    if value.nullable or value.low is None or value.low != value.high:
        return None
    if typed.kind is Kind.DATE and value.kind.has_clock:
        return value.low / value.kind.time_scale.steps_a_day
    if typed.kind is value.kind or (typed.kind is Kind.INTEGER and value.kind is Kind.DECIMAL):
        return value.low
    is_exact = typed.kind is Kind.INTEGER and value.kind is Kind.FLOAT and abs(value.low) < _EXACT
    return value.low if is_exact else None


def bounded(typed: Typed, limit: Fraction, how: type) -> Typed:
    """The values on one side of a limit, or other than it."""
    known = replace(typed, nullable=False)
    if how is exp.NEQ:
        values = domain(typed)
        return known if values is None else replace(known, keys=tuple(key for key in values if _number(key) != limit))
    is_whole = typed.kind in (Kind.INTEGER, Kind.DATE)
    low, high = typed.low, typed.high
    if how in (exp.EQ, exp.GT, exp.GTE):
        least = Fraction(floor(limit) + 1 if how is exp.GT else ceil(limit)) if is_whole else limit
        low = least if low is None else max(low, least)
    if how in (exp.EQ, exp.LT, exp.LTE):
        most = Fraction(ceil(limit) - 1 if how is exp.LT else floor(limit)) if is_whole else limit
        high = most if high is None else min(high, most)
    if low is not None and high is not None and not low <= high:
        return replace(known, keys=())
    known = replace(known, low=low, high=high)
    values = typed.keys if how is not exp.EQ or typed.keys is not None else domain(known)
    return known if values is None else replace(known, keys=tuple(key for key in values if lies(key, low, high)))


def one_of_these(typed: Typed, values: tuple[Key, ...]) -> Typed:
    """The expression with these values alone."""
    numbers = [number for value in values if (number := _number(value)) is not None]
    if not numbers:
        return replace(typed, keys=values)
    return replace(typed, keys=values, low=min(numbers), high=max(numbers))


def can_be(value: Key, typed: Typed) -> bool:
    """Whether the expression can have a value, as far as is known."""
    number = _number(value)
    return (typed.keys is None or value in typed.keys) and (number is None or lies(value, typed.low, typed.high))


def lies(value: Key, low: Fraction | None, high: Fraction | None) -> bool:
    """Whether a number or a time lies within bounds; any other value does."""
    number = _number(value)
    return number is None or ((low is None or low <= number) and (high is None or number <= high))


def _number(value: Key) -> Fraction | None:
    """A number, or a time as its bounds count it."""
    if isinstance(value, (bool, str)):
        return None
    return number_of(value) if isinstance(value, date) else Fraction(value)


def either(one: Typed, other: Typed) -> Typed:
    """An expression that is as in one case or as in another."""
    lows, highs = (one.low, other.low), (one.high, other.high)
    keys = None if one.keys is None or other.keys is None else tuple(dict.fromkeys((*one.keys, *other.keys)))
    return replace(
        one,
        low=None if None in lows else min(each for each in lows if each is not None),
        high=None if None in highs else max(each for each in highs if each is not None),
        keys=keys,
        nullable=one.nullable or other.nullable,
    )
