"""Exact fractions as text: "n/d" in lowest terms, nothing else."""

from __future__ import annotations

import re
from fractions import Fraction

from tacit.errors import Refused

_DIGITS = 4000  # below what Python reads and writes without being asked to
_GRAMMAR = re.compile(r"(0|[1-9][0-9]*)/([1-9][0-9]*)")


def fraction_to_text(number: Fraction) -> str:
    """The text of an amount, which is never negative; refused if it is too long to be kept."""
    bits = max(number.numerator.bit_length(), number.denominator.bit_length())
    if not (number >= 0 and bits <= 3 * _DIGITS):
        raise Refused(
            "an amount that cannot be kept exactly",
            f"It is negative, or longer than {_DIGITS} digits.",
            "an amount that is a fraction of fewer digits, rounded up.",
        )
    return f"{number.numerator}/{number.denominator}"


def fraction_from_text(text: object) -> Fraction:
    """The amount that the text spells; ValueError for any other text."""
    found = _GRAMMAR.fullmatch(text) if isinstance(text, str) and len(text) <= 2 * _DIGITS + 1 else None
    if found is None or not max(map(len, found.groups())) <= _DIGITS:
        raise ValueError("not a fraction")
    number = Fraction(int(found[1]), int(found[2]))
    if not number.denominator == int(found[2]):
        raise ValueError("not in lowest terms")
    return number
