"""What bounds the holes that nobody knows yet: the least price of a question, and how many failures are borne.

A failure is an answer that no price covers. If some query could be made to fail by one person's rows, whoever asks it
learns a bit; so that there are few such bits, each costs something, and after some of them the steward must look.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from tacit.errors import Refused
from tacit.schema.description import FLOOR, Breaker
from tacit.schema.numbers import share_from, whole_from

_FORMS: Final = '{ analyst = 3, dataset = 10 }, or "off", which leaves failures unbounded.'


def read_floor(written: object) -> Fraction:
    """The part of the budget that every new question costs at least; 0 where the steward wants none."""
    if written is None:
        return FLOOR
    if isinstance(written, (int, float)) and not isinstance(written, bool) and written == 0:
        return Fraction(0)
    try:
        return share_from(written, "floor")
    except Refused as refusal:
        raise Refused(
            "floor", refusal.why, 'a part of the budget, such as 0.0001 or "0.01%"; or 0, for none.'
        ) from None


def read_breaker(written: object) -> Breaker | None:
    """How many failures are borne; None where the steward says "off"."""
    if written is None:
        return Breaker()
    if written == "off":
        return None
    if not (isinstance(written, Mapping) and written.keys() <= {"analyst", "dataset"}):
        raise Refused("breaker", "It does not say how many failures are borne.", _FORMS)
    return Breaker(**{name: whole_from(value, f"breaker.{name}", 1) for name, value in written.items()})
