"""Exact parameters: every number given is read as a fraction, or refused.

A float stands for its shortest decimal form: `0.1` is one tenth, so three tenths fit into `0.3`.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational
from typing import TypeAlias

from tacit.errors import Refused

_WANTED = "a finite number: an integer, a fraction such as Fraction(1, 3), or text such as '0.1' or '1/3'."
_DIGITS = 120
_LARGEST = 10**_DIGITS

Number: TypeAlias = int | float | str | Fraction | Decimal


def exact(value: Number, name: str) -> Fraction:
    """The fraction that `value` is written as; refuses NaN, infinities, bools, unreadable text and absurd size."""
    if isinstance(value, bool) or not isinstance(value, (Rational, float, str, Decimal)):
        raise Refused(f"{name} of type {type(value).__name__}", "It is not a number.", _WANTED)
    try:
        number = _read(value)
    except (ValueError, ArithmeticError):
        raise Refused(f"{name} = {str(value)[:40]}", "It cannot be read as a finite number.", _WANTED) from None
    if not abs(number) <= _LARGEST:
        raise Refused(f"{name} beyond 1e{_DIGITS}", "No guarantee can depend on a number of this size.", _WANTED)
    return number


def _read(value: Rational | float | str | Decimal) -> Fraction:
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, str) and "/" in value:
        return Fraction(value)
    decimal = Decimal(repr(float(value)) if isinstance(value, float) else value)
    if not (decimal.is_finite() and abs(decimal.adjusted()) <= 10 * _DIGITS):
        raise ValueError
    return Fraction(decimal)


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
    """`exact` or a percentage, and within [0, 1]."""
    number = _share(value, name)
    if not 0 <= number <= 1:
        raise Refused(f"{name} = {number}", "It is not a probability.", f"0 ≤ {name} ≤ 1.")
    return number


def proper(value: Number, name: str) -> Fraction:
    """`exact` or a percentage, strictly between 0 and 1: a confidence, or a probability that must be uncertain."""
    number = _share(value, name)
    if not 0 < number < 1:
        raise Refused(f"{name} = {number}", "It must lie strictly between 0 and 1.", f"0 < {name} < 1.")
    return number


def _share(value: Number, name: str) -> Fraction:
    """`exact`, or a percentage as a person types it: "75%" is 3/4."""
    if isinstance(value, str) and value.rstrip().endswith("%"):
        return exact(value.rstrip()[:-1], name) / 100
    return exact(value, name)


def whole(value: int, name: str, least: int = 0) -> int:
    """A Python integer of at least `least`; NumPy integers are taken, bools and floats are not."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise Refused(f"{name} of type {type(value).__name__}", "It is not an integer.", f"an integer ≥ {least}.")
    if not int(value) >= least:
        raise Refused(f"{name} = {value}", "It is too small.", f"an integer ≥ {least}.")
    return int(value)
