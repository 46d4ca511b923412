"""Values as an analyst writes them."""

from __future__ import annotations

import math
from datetime import date, datetime
from decimal import Decimal
from random import Random

_LARGEST = 8e37  # of a literal: see the page of semantics
_LONGEST = 400  # letters of a written text


def literal(value: object, random: Random) -> str | None:
    """The value as SQL; None if an analyst cannot write it."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, datetime):
        return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
    if isinstance(value, date):
        return f"DATE '{value.isoformat()}'"
    if isinstance(value, str):
        return None if len(value) > _LONGEST else "'" + value.replace("'", "''") + "'"
    if isinstance(value, float):
        return _float(value, random)
    if isinstance(value, Decimal):
        return f"{value:f}" if abs(value) < Decimal(_LARGEST) else None
    return str(value)


def _float(value: float, random: Random) -> str | None:
    """With an exponent, or with so many digits after the point that it is a float without one."""
    if not math.isfinite(value) or abs(value) >= _LARGEST:
        return None
    digits = f"{Decimal(value):f}"
    if "." in digits and 10 < len(digits.split(".")[1]) < 40 and random.random() < 0.4:
        return digits
    written = repr(value)
    return written if "e" in written else f"{written}e0"
