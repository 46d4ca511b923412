"""Certified numbers: balls narrow enough to round, Rényi orders, formatting, and brackets.

A `Bracket` is two floats between which the truth is known to lie.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from tacit.errors import Refused
from tacit.exact import Number, exact
from tacit.frozen import frozen
from tacit.noise.ball import START_BITS, Ball, precision
from tacit.words import shown, shown_down, shown_up

_ENOUGH_BITS = 64  # more than a float holds
_LADDER = (START_BITS, 2 * START_BITS, 4 * START_BITS, 8 * START_BITS, 16 * START_BITS)


def sharp(value: Callable[[], Ball]) -> Ball:
    """The value at the first precision that leaves 64 correct bits (or at the last one tried: wider, still true)."""
    for bits in _LADDER:
        with precision(bits):
            found = value()
        if found.is_exact() or found.rel_accuracy_bits() >= _ENOUGH_BITS:
            break
    return found


def order_above_one(order: Number) -> Fraction:
    """A Rényi order, read exactly; refused unless greater than 1."""
    number = exact(order, "order")
    if not number > 1:
        raise Refused(f"order = {shown(number)}", "A Rényi order must exceed 1.", "order > 1.")
    return number


@frozen
class Bracket:
    """lower ≤ truth ≤ upper.

    The upper end is the safe one to state; the lower one shows how much tighter a bound could be.
    """

    lower: float
    upper: float

    def __post_init__(self) -> None:
        if not self.lower <= self.upper:
            raise Refused("a bracket whose ends cross", "Its lower end lies above its upper end.", "lower ≤ upper.")

    @property
    def gap(self) -> float:
        """How far apart the ends are; 0 where they are equal, infinite ends included."""
        return 0.0 if self.lower == self.upper else self.upper - self.lower

    def contains(self, value: float) -> bool:
        """Whether the value lies between the ends, ends included."""
        return self.lower <= value <= self.upper

    def __str__(self) -> str:
        return f"between {shown_down(self.lower)} and {shown_up(self.upper)}"
