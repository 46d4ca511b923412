"""Numbers as written: parameters come in as exact fractions, or not at all.

A float stands for its shortest decimal form: `0.1` is one tenth, so three tenths fit into `0.3`.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational
from typing import TypeAlias

from tacit.errors import Refused

Number: TypeAlias = int | float | str | Fraction | Decimal


def exact(value: Number, name: str) -> Fraction:
    """The fraction that `value` is written as; refuses NaN, infinities, bools and unreadable text."""
    wanted = "a finite number: an integer, a fraction such as Fraction(1, 3), or text such as '0.1' or '1/3'."
    if isinstance(value, bool) or not isinstance(value, (Rational, float, str, Decimal)):
        raise Refused(f"{name} of type {type(value).__name__}", "It is not a number.", wanted)
    if isinstance(value, (float, Decimal)) and not math.isfinite(value):
        raise Refused(f"{name} = {value}", "It is not finite.", wanted)
    try:
        if isinstance(value, Integral):
            return Fraction(int(value))
        return Fraction(repr(float(value))) if isinstance(value, float) else Fraction(value)
    except (ValueError, ZeroDivisionError):
        raise Refused(f"{name} = {value!r}", "It cannot be read as a number.", wanted) from None


def positive(value: Number, name: str) -> Fraction:
    """`exact`, and greater than zero."""
    number = exact(value, name)
    if not number > 0:
        raise Refused(f"{name} = {number}", "It must be greater than zero.", f"{name} > 0.")
    return number


def nonnegative(value: Number, name: str) -> Fraction:
    """`exact`, and at least zero."""
    number = exact(value, name)
    if not number >= 0:
        raise Refused(f"{name} = {number}", "It must not be negative.", f"{name} ≥ 0.")
    return number


def probability(value: Number, name: str) -> Fraction:
    """`exact`, and within [0, 1]."""
    number = exact(value, name)
    if not 0 <= number <= 1:
        raise Refused(f"{name} = {number}", "It is not a probability.", f"0 ≤ {name} ≤ 1.")
    return number


def proper(value: Number, name: str) -> Fraction:
    """`exact`, and strictly between 0 and 1: a confidence, or a probability that must be uncertain."""
    number = exact(value, name)
    if not 0 < number < 1:
        raise Refused(f"{name} = {number}", "It must lie strictly between 0 and 1.", f"0 < {name} < 1.")
    return number


def whole(value: int, name: str, least: int = 0) -> int:
    """A Python integer of at least `least`; NumPy integers are taken, bools and floats are not."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise Refused(f"{name} of type {type(value).__name__}", "It is not an integer.", f"an integer ≥ {least}.")
    if not int(value) >= least:
        raise Refused(f"{name} = {value}", "It is too small.", f"an integer ≥ {least}.")
    return int(value)
