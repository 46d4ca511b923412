"""A step cut into cells, each cell into two halves: all that either end of a bracket looks at."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.loss.accountant.step import Array, Masses, Step, slack_of

LARGEST_LOSS = 600.0
MOST_CELLS = 1 << 21
_FARTHEST = 1 << 26


@dataclass(frozen=True)
class Cells:
    """Cell i holds the losses from node i to node i+1; node i is places[i]·spacing + shift.

    `low` and `high` are the masses of the cells' lower and upper halves. `p_below` … bound what is left outside, the mass
    at ±∞ not counted. A cell's losses may lie up to `slack` outside of it.
    """

    spacing: float
    places: NDArray[np.int64]
    shift: float
    low: Masses
    high: Masses
    p_below: float
    p_above: float
    q_below: float
    q_above: float
    at_infinity: tuple[float, float, float, float]
    slack: float

    def nodes(self) -> Array:
        """The losses at all nodes, one more than there are cells."""
        return self.places * self.spacing + self.shift

    def mirrored(self) -> Cells:
        """The same cells in the other direction."""
        p_low, p_up, q_low, q_up = self.at_infinity
        return Cells(
            self.spacing,
            -self.places[::-1],
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


def cut(step: Step, spacing: float, tail: float, growth: float) -> Cells:
    """The step's cells, wide enough to leave about `tail` outside, its atoms (if any) on the nodes where possible.

    Cells are as narrow as the spacing near the step's centres, and wider by `growth` of the distance from them.
    """
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
    places = _places(step, spacing, shift, first, last, growth)
    nodes = places * spacing + shift
    edges = np.empty(2 * len(nodes) + 1)
    edges[0], edges[-1] = -math.inf, math.inf
    edges[1:-1:2] = nodes
    edges[2:-2:2] = (nodes[:-1] + nodes[1:]) / 2
    found = step.masses(edges)
    outside = [float(mass[end] + error[end]) for mass, error in _sides(found) for end in (0, -1)]
    return Cells(
        spacing, places, shift, _part(found, 1), _part(found, 2), *outside, step.infinite(), slack_of(max(-low, high))
    )


def _places(step: Step, spacing: float, shift: float, first: int, last: int, growth: float) -> NDArray[np.int64]:
    atoms = (step.atoms() - shift) / spacing
    kept = [np.array([first, last])]
    if len(atoms):
        atoms = atoms[(atoms >= first) & (atoms <= last)]
        near = np.rint(atoms)
        kept += [np.floor(atoms), np.ceil(atoms), near]
    if step.continuous:
        far = max(last - first, 2)
        even = min(far, math.ceil(1 / growth))
        if even + math.log(far / even) / math.log1p(growth) > MOST_CELLS or far > _FARTHEST:
            raise Refused(
                f"a grid of {far} nodes for one step",
                "So fine a grid would not fit into memory.",
                "a wider gap, or the exact form where the parts are (ε, δ) alone.",
            )
        wider = even * (1 + growth) ** np.arange(1, math.ceil(math.log(far / even) / math.log1p(growth)) + 2)
        steps = np.concatenate([np.arange(even + 1), np.rint(wider)])
        for centre in step.centres():
            middle = round((centre - shift) / spacing)
            kept += [middle - steps, middle + steps]
    places = np.unique(np.concatenate(kept).astype(np.int64))
    return places[(places >= first) & (places <= last)]


def _sides(masses: Masses) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    return (masses.p, masses.p_error), (masses.q, masses.q_error)


def _part(masses: Masses, start: int) -> Masses:
    return Masses(*(side[start:-1:2] for side in (masses.p, masses.q, masses.p_error, masses.q_error)))
