"""Numbers of a description file, exactly as written."""

from __future__ import annotations

from fractions import Fraction

from tacit.errors import Refused
from tacit.exact import exact, whole

_WANTED = 'a finite number, such as 0.5 or "1/3".'


def number_from(value: object, name: str) -> Fraction:
    """The fraction that a value of the file stands for; a date, a list or a truth value is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise Refused(name, "It is not a number.", _WANTED)
    try:
        return exact(value, name)
    except Refused as refusal:
        raise Refused(name, refusal.why, _WANTED) from None


def whole_from(value: object, name: str, least: int) -> int:
    """A whole number of at least `least`."""
    if not isinstance(value, int):
        raise Refused(name, "It is not a whole number.", f"a whole number, at least {least}.")
    return whole(value, name, least)


def share_from(value: object, name: str) -> Fraction:
    """A share of something, written as 0.25 or as "25%": above 0 and at most 1."""
    if isinstance(value, str) and value.rstrip().endswith("%"):
        share = number_from(value.rstrip().removesuffix("%").strip(), name) / 100
    else:
        share = number_from(value, name)
    if not 0 < share <= 1:
        raise Refused(name, "It is not a share of a whole.", 'more than 0 and at most 1, such as 0.25 or "25%".')
    return share
