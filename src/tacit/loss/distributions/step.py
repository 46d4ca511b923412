"""One step of a composition: how the privacy loss of a pair is spread, in one direction."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen

Array: TypeAlias = NDArray[np.floating[Any]]

UNIT = 2.0**-53
"""Half the distance from 1 to the next float: the relative error of one rounded operation."""


@frozen
class Masses:
    """The probabilities of successive intervals under P and Q, each with a bound of its floating error."""

    p: Array
    q: Array
    p_error: Array
    q_error: Array

    def mirrored(self) -> Masses:
        """The same intervals seen from the other world: the loss changes its sign, P and Q their places."""
        return Masses(self.q[::-1], self.p[::-1], self.q_error[::-1], self.p_error[::-1])


@frozen
class Ladder:
    """The losses that carry atoms: `anchor` and every multiple of `spacing` away from it."""

    anchor: float
    spacing: float


class Step(ABC):
    """The law of the privacy loss L = ln(dP/dQ) of one pair, under P and under Q.

    Where an edge stands for a loss ℓ, the set it bounds may be cut at a loss up to `slack(ℓ)` away: that is the
    precision of floats. All probabilities are those of the set as cut.
    """

    @property
    def ladder(self) -> Ladder | None:
        """The places of the atoms, if the law has few; a grid that contains them is much more accurate."""
        return None

    @abstractmethod
    def masses(self, edges: Array) -> Masses:
        """The probabilities of the intervals [e₀, e₁), [e₁, e₂), … of the loss; edges rise and may be infinite."""

    @abstractmethod
    def span(self, tail: float) -> tuple[float, float]:
        """A range of losses outside which P and Q each have at most about `tail` of finite loss.

        A hint, checked later.
        """

    def reach(self, tail: float) -> tuple[float, float]:
        """The range that is cut into cells: at least `span`."""
        return self.span(tail)

    @property
    @abstractmethod
    def symmetric(self) -> bool:
        """Whether the law is the same in both directions."""

    def ceiling(self) -> float:
        """The largest finite loss, barely above it if need be."""
        return math.inf

    def top(self) -> tuple[float, float]:
        """A loss barely below the largest finite one, and P's mass there or above, from below; 0 if unknown."""
        return 0.0, 0.0

    def infinite(self) -> tuple[float, float, float, float]:
        """(low, up) of P's mass at loss +∞, and (low, up) of Q's mass at loss −∞."""
        return 0.0, 0.0, 0.0, 0.0

    @property
    def continuous(self) -> bool:
        """Whether the law has a density; if not, its atoms are all there is."""
        return True

    def atoms(self) -> Array:
        """The losses that carry positive mass."""
        return np.zeros(0)

    def anchor(self, spacing: float) -> float:
        """A loss that should be a node of a grid of this spacing."""
        return self.ladder.anchor if self.ladder else 0.0

    def snapped(self, spacing: float) -> Step:
        """A step dominated by this one, with its atoms on a grid of this spacing.

        This step itself if it has no atoms to move.
        """
        return self


def slack_of(farthest: float) -> float:
    """A bound of the rounding error of a float edge, as a loss."""
    return 64 * UNIT * (1 + farthest)


def meets(steps: int, spacing: float, distance: float) -> bool:
    """Whether snapping a distance to so many spacings changes nothing: there are none, or it is a multiple already."""
    return steps == 0 or abs(distance - steps * spacing) <= 8 * UNIT * distance
