"""A step cut into cells of equal width, each cell into two halves: all that either end of a bracket looks at."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tacit.errors import Refused
from tacit.loss.accountant.step import Array, Masses, Step, slack_of

LARGEST_LOSS = 600.0
MOST_CELLS = 1 << 21


@dataclass(frozen=True)
class Cells:
    """Cell i holds the losses from node i to node i+1; node i is (first+i)·spacing + shift.

    `low` and `high` are the masses of the cells' lower and upper halves. `p_below` … bound what is left outside, the mass
    at ±∞ not counted. A cell's losses may lie up to `slack` outside of it.
    """

    spacing: float
    first: int
    shift: float
    low: Masses
    high: Masses
    p_below: float
    p_above: float
    q_below: float
    q_above: float
    at_infinity: tuple[float, float, float, float]
    slack: float

    @property
    def count(self) -> int:
        return len(self.low.p)

    def nodes(self) -> Array:
        """The losses at all count+1 nodes."""
        return np.arange(self.first, self.first + self.count + 1) * self.spacing + self.shift

    def mirrored(self) -> Cells:
        """The same cells in the other direction."""
        p_low, p_up, q_low, q_up = self.at_infinity
        return Cells(
            self.spacing,
            -(self.first + self.count),
            -self.shift,
            self.high.mirrored(),
            self.low.mirrored(),
            self.q_above,
            self.q_below,
            self.p_above,
            self.p_below,
            (q_low, q_up, p_low, p_up),
            self.slack,
        )


def cut(step: Step, spacing: float, tail: float) -> Cells:
    """The step's cells, wide enough to leave about `tail` outside, its atoms (if any) on the nodes where possible."""
    low, high = step.reach(tail)
    if not (-LARGEST_LOSS <= low <= high <= LARGEST_LOSS):
        raise Refused(
            "the composition of a step whose own privacy loss exceeds 600",
            "Such a step hides nothing, and its probabilities leave the range of floats.",
            "more noise, or a smaller ε in each part.",
        )
    shift = math.remainder(step.anchor(spacing), spacing)
    first = math.floor((low - shift) / spacing) - 1
    last = math.ceil((high - shift) / spacing) + 1
    if not last - first <= MOST_CELLS:
        raise Refused(
            f"a grid of {last - first} cells for one step",
            "So fine a grid would not fit into memory.",
            "a wider gap, or the exact form where the parts are (ε, δ) alone.",
        )
    edges = np.arange(2 * first, 2 * last + 1) * (spacing / 2) + shift
    found = step.masses(np.concatenate([[-math.inf], edges, [math.inf]]))
    outside = [float(mass[end] + error[end]) for mass, error in _sides(found) for end in (0, -1)]
    return Cells(
        spacing, first, shift, _part(found, 1), _part(found, 2), *outside, step.infinite(), slack_of(max(-low, high))
    )


def _sides(masses: Masses) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    return (masses.p, masses.p_error), (masses.q, masses.q_error)


def _part(masses: Masses, start: int) -> Masses:
    return Masses(*(side[start:-1:2] for side in (masses.p, masses.q, masses.p_error, masses.q_error)))
