"""A bracket: two floats between which the truth is known to lie."""

from __future__ import annotations

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.loss.sharp import shown_down, shown_up


@frozen
class Bracket:
    """lower ≤ truth ≤ upper. Quote the upper end for safety; the lower one says how much tighter anyone could be."""

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
