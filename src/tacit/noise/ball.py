"""Certified reals: Arb balls that contain the true value, and rounding whose direction is in the name.

A ball is sound at any precision, only wider at a low one. So every decision here is made on the ball, at a precision
that is raised until the ball is narrow enough to decide.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from threading import RLock
from typing import TypeAlias

from flint import arb, ctx, fmpq

Ball: TypeAlias = arb

_LOCK = RLock()  # Arb's working precision is one number for the whole process
START_BITS = 128
MOST_BITS = 1 << 20


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Arb works with `bits` bits inside this block."""
    with _LOCK:
        before = ctx.prec
        ctx.prec = bits
        try:
            yield
        finally:
            ctx.prec = before


def ball(value: Fraction | int | float) -> Ball:
    """The ball of an exact number (a float is taken as the dyadic number it is)."""
    if isinstance(value, Fraction):
        return arb(fmpq(value.numerator, value.denominator))
    return arb(value)


def between(low: Ball, high: Ball) -> Ball:
    """The ball that contains both."""
    return low.union(high)


def up(value: Ball) -> float:
    """The least float known to be ≥ every number in the ball (`inf` beyond the largest).

    Parameters are read as they are written (see `tacit.exact`), so the decimal that stands for the float is ≥ as well:
    a result may be passed on as a parameter and is still rounded up.
    """
    if value.is_nan():
        return math.inf
    with precision(START_BITS):
        top = value.upper()
        rounded = float(top)
        while rounded < math.inf and not (arb(rounded) >= top and (rounded == -math.inf or _reads_above(rounded, top))):
            rounded = math.nextafter(rounded, math.inf)
    return rounded


def _reads_above(rounded: float, top: Ball) -> bool:
    return bool(ball(Fraction(repr(rounded))) >= top)


def down(value: Ball) -> float:
    """The greatest float known to be ≤ every number in the ball."""
    with precision(START_BITS):  # at fewer bits the negation itself would be rounded
        return -up(-value)


def fraction_up(value: Ball, bits: int = 64) -> Fraction:
    """A dyadic fraction ≥ every number in the ball, within 2^-bits relative of its upper end."""
    with precision(max(START_BITS, 2 * bits)):
        mantissa, exponent = (int(part) for part in value.upper().man_exp())
    excess = max(0, mantissa.bit_length() - bits)
    kept, exponent = -((-mantissa) >> excess), exponent + excess
    return Fraction(kept << exponent) if exponent >= 0 else Fraction(kept, 1 << -exponent)


def fraction_down(value: Ball, bits: int = 64) -> Fraction:
    """A dyadic fraction ≤ every number in the ball, within 2^-bits relative of its lower end."""
    with precision(max(START_BITS, 2 * bits)):
        return -fraction_up(-value, bits)


def floor_down(value: Ball) -> int:
    """The greatest integer known to be ≤ every number in a finite ball."""
    return int(value.lower().floor().fmpz())


def less(left: Callable[[], Ball], right: Callable[[], Ball]) -> bool:
    """Whether left < right, at whatever precision decides it. The two must differ or be exact balls."""
    bits = START_BITS
    while bits <= MOST_BITS:
        with precision(bits):
            a, b = left(), right()
        if a < b:
            return True
        if a >= b:
            return False
        bits *= 2
    raise ArithmeticError("two certified numbers agree to a million bits; they are equal, or one is not finite")


def first_true(claim: Callable[[int], bool], low: int = 0) -> int:
    """The least integer ≥ low at which a monotone predicate becomes true: exponential search, then bisection."""
    if claim(low):
        return low
    step = 1
    while not claim(low + step):
        low += step
        step *= 2
    high = low + step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if claim(middle) else (middle, high)
    return high
