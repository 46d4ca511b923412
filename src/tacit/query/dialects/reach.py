"""How large a number can be, and how small besides zero: whether arithmetic in doubles can leave their range."""

from __future__ import annotations

import math
from collections.abc import Iterable

from tacit.frozen import frozen

TINIEST = 5e-324
LARGEST = 1.7976931348623157e308
_SLACK = 1.0001  # more than rounding adds in one step


@frozen
class Reach:
    """Every finite value x has |x| ≤ most, and |x| ≥ least unless it is 0; rounded outwards."""

    least: float = TINIEST
    most: float = LARGEST

    def __add__(self, other: Reach) -> Reach:
        """A sum or difference: large numbers may all but cancel out, so only its type says how small it is."""
        return Reach(TINIEST, min(LARGEST, (self.most + other.most) * _SLACK))

    def __mul__(self, other: Reach) -> Reach:
        least = 1.0 if self.least >= 1 and other.least >= 1 else max(TINIEST, self.least * other.least / _SLACK)
        return Reach(least, min(LARGEST, self.most * other.most * _SLACK))

    def __truediv__(self, other: Reach) -> Reach:
        """The quotient where the divisor is not zero."""
        most = LARGEST if other.least < 1e-300 else min(LARGEST, self.most / other.least * _SLACK)
        return Reach(max(TINIEST, self.least / max(other.most, TINIEST) / _SLACK), most)

    def __and__(self, other: Reach) -> Reach:
        """Both hold."""
        return Reach(max(self.least, other.least), min(self.most, other.most))

    @property
    def cannot_vanish(self) -> bool:
        """No result of this reach was rounded to zero on its way."""
        return self.least > 1e-320

    @property
    def cannot_overflow(self) -> bool:
        """No result of this reach became infinite on its way."""
        return self.most < 1e308


ANY = Reach()
NOTHING = Reach(LARGEST, 0.0)


def hull(parts: Iterable[Reach]) -> Reach:
    """Holds of a value that is one of these."""
    listed = [NOTHING, *parts]
    return Reach(min(part.least for part in listed), max(part.most for part in listed))


def of_number(value: float) -> Reach:
    """The reach of a constant."""
    if not math.isfinite(value):
        return NOTHING
    return Reach(abs(value) or LARGEST, abs(value))


def of_digits(width: int, scale: int) -> Reach:
    """The reach of numbers with so many digits, in all and after the point."""
    return Reach(10.0**-scale / _SLACK, 10.0 ** (width - scale) * _SLACK)
