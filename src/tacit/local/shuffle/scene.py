"""A scene: one person's report among the others', as far as a bound or an attack knows them."""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol


class Scene(Protocol):
    """Two worlds that differ in one person's answer; an ordered pair, so the converse is another scene."""

    def delta_above(self, epsilon: Fraction) -> float:
        """A number ≥ the δ at ε of this scene."""

    def delta_below(self, epsilon: Fraction) -> float:
        """A number ≤ the δ at ε that some data set of this scene has."""
