"""Balls narrow enough that rounding costs nothing one could see."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from tacit.errors import Refused
from tacit.exact import Number, exact
from tacit.noise.ball import START_BITS, Ball, precision

_ENOUGH_BITS = 60  # more than a float holds
_LADDER = (START_BITS, 4 * START_BITS, 16 * START_BITS)


def sharp(value: Callable[[], Ball]) -> Ball:
    """The value at the first precision that leaves 60 correct bits (or at the last one tried: wider, still true)."""
    for bits in _LADDER:
        with precision(bits):
            found = value()
            if found.rel_accuracy_bits() >= _ENOUGH_BITS:
                break
    return found


def order_above_one(order: Number) -> Fraction:
    """A Rényi order, read exactly; refused unless greater than 1."""
    number = exact(order, "order")
    if not number > 1:
        raise Refused(f"order = {shown(number)}", "A Rényi order must exceed 1.", "order > 1.")
    return number


def shown(number: Fraction) -> str:
    """A fraction as a person writes it: up to six significant digits, however large or small it is."""
    try:
        return f"{float(number):g}" if number == 0 or float(number) != 0 else _scientific(number)
    except OverflowError:
        return _scientific(number)


def _scientific(number: Fraction) -> str:
    exponent = len(str(abs(number.numerator))) - len(str(number.denominator))
    return f"{float(number / Fraction(10) ** exponent):g}e{exponent:+d}"
