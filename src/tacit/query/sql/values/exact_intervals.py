"""Interval arithmetic with exact ends; an end of None means that the values are unbounded on that side."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from tacit.frozen import frozen

_LARGEST = Fraction(2) ** 1023  # doubles have a larger range; a bound near its end counts as none


@frozen
class Interval:
    """All numbers from `low` to `high`."""

    low: Fraction | None
    high: Fraction | None

    @property
    def is_bounded(self) -> bool:
        return self.low is not None and self.high is not None

    def holds(self, value: Fraction) -> bool:
        return (self.low is None or self.low <= value) and (self.high is None or value <= self.high)

    def __neg__(self) -> Interval:
        return Interval(None if self.high is None else -self.high, None if self.low is None else -self.low)

    def __add__(self, other: Interval) -> Interval:
        low = None if self.low is None or other.low is None else self.low + other.low
        high = None if self.high is None or other.high is None else self.high + other.high
        return Interval(low, high)

    def __sub__(self, other: Interval) -> Interval:
        return self + -other

    def __mul__(self, other: Interval) -> Interval:
        if self.low is None or self.high is None or other.low is None or other.high is None:
            return _open_product(self, other)
        corners = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(corners), max(corners))

    def __abs__(self) -> Interval:
        if self.low is not None and self.low >= 0:
            return self
        if self.high is not None and self.high <= 0:
            return -self
        ends = None if self.low is None or self.high is None else max(-self.low, self.high)
        return Interval(Fraction(0), ends)

    def __pow__(self, exponent: int) -> Interval:
        if exponent % 2 == 0:
            size = abs(self)
            return Interval((size.low or Fraction(0)) ** exponent, None if size.high is None else size.high**exponent)
        low = None if self.low is None else self.low**exponent
        return Interval(low, None if self.high is None else self.high**exponent)


def _open_product(a: Interval, b: Interval) -> Interval:
    """The product of unbounded intervals, of which only the sign is known."""
    if (_is_nonnegative(a) and _is_nonnegative(b)) or (_is_nonnegative(-a) and _is_nonnegative(-b)):
        return Interval(Fraction(0), None)
    if (_is_nonnegative(a) and _is_nonnegative(-b)) or (_is_nonnegative(-a) and _is_nonnegative(b)):
        return Interval(None, Fraction(0))
    return Interval(None, None)


def _is_nonnegative(interval: Interval) -> bool:
    return interval.low is not None and interval.low >= 0


def quotient(a: Interval, b: Interval, least: Fraction | None) -> Interval:
    """a / b where b is not 0; `least` is the smallest size of b other than 0, None if b comes arbitrarily near to 0."""
    pieces = []
    if b.high is None or b.high > 0:
        start = b.low if b.low is not None and b.low > 0 else least
        pieces.append(_over(a, start, b.high))
    if b.low is None or b.low < 0:
        start = -b.high if b.high is not None and b.high < 0 else least
        pieces.append(-_over(a, start, None if b.low is None else -b.low))
    return hull(pieces) if pieces else Interval(Fraction(0), Fraction(0))


def _over(a: Interval, start: Fraction | None, end: Fraction | None) -> Interval:
    """a / b for b in [start, end], which is positive; with no start b comes arbitrarily near to 0."""
    inverse = Interval(Fraction(0) if end is None else 1 / end, None if start is None else 1 / start)
    return a * inverse


def hull(intervals: Iterable[Interval]) -> Interval:
    """The least interval that holds all of these."""
    parts = list(intervals)
    lows, highs = [part.low for part in parts], [part.high for part in parts]
    low = None if None in lows else min(low for low in lows if low is not None)
    high = None if None in highs else max(high for high in highs if high is not None)
    return Interval(low, high)


def doubles(interval: Interval) -> Interval:
    """The range of correctly rounded doubles of the values: rounding is monotone, so the rounded ends are the ends."""
    return Interval(_double(interval.low), _double(interval.high))


def widened(interval: Interval) -> Interval:
    """`doubles`, widened by far more than the error of any mathematical library, which is 4 units in the last place."""
    return Interval(_double(_moved(interval.low, -1)), _double(_moved(interval.high, 1)))


def _double(value: Fraction | None) -> Fraction | None:
    return None if value is None or not abs(value) <= _LARGEST else Fraction(float(value))


def _moved(value: Fraction | None, direction: int) -> Fraction | None:
    if value is None or not abs(value) <= _LARGEST:
        return None
    number = float(value)
    for _ in range(16):
        number = math.nextafter(number, direction * math.inf)
    return Fraction(number)
