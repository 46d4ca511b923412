"""A step cut into cells, each cell into two halves: the input of both ends of a bracket."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.loss.distributions.step import Array, Masses, Step, slack_of

LARGEST_LOSS = 600.0
MOST_CELLS = 1 << 20
_FARTHEST_PLACE = 1 << 52  # larger places are not exact as floats


@frozen
class Cells:
    """Cell i holds the losses from node i to node i+1; node i is places[i]·spacing + shift.

    `low` and `high` are the masses of the cells' lower and upper halves. `p_below` … bound what is left outside, the
    mass at ±∞ not counted. A cell's losses may lie up to `slack` outside of it.
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


def cut(step: Step, spacing: float, width: float, tail: float) -> Cells:
    """The step's cells, wide enough to leave about `tail` outside, its atoms (if any) on the nodes where possible.

    A law with a density gets cells of about `width`, a whole number of spacings; atoms get nodes of their own.
    """
    low, high = step.reach(tail)
    demand_hiding(low, high)
    stride = max(1, math.floor(min(width, (high - low) / 32) / spacing * (1 + 1e-9)))
    if not len(step.atoms()):
        # a law on every 20th node has 20 copies of its spectrum, which no part with a density damps
        stride = min(stride, 8)
    anchor = step.anchor(stride * spacing)
    shift = math.remainder(anchor, spacing)
    places = _places(step, spacing, stride, (low - shift) / spacing, (high - shift) / spacing, shift, anchor)
    nodes = places * spacing + shift
    edges = np.empty(2 * len(nodes) + 1)
    edges[0], edges[-1] = -math.inf, math.inf
    edges[1:-1:2] = nodes
    edges[2:-2:2] = (nodes[:-1] + nodes[1:]) / 2
    found = step.masses(edges)
    return Cells(
        spacing,
        places,
        shift,
        _part(found, 1),
        _part(found, 2),
        float(found.p[0] + found.p_error[0]),
        float(found.p[-1] + found.p_error[-1]),
        float(found.q[0] + found.q_error[0]),
        float(found.q[-1] + found.q_error[-1]),
        step.infinite(),
        slack_of(max(-low, high)),
    )


def demand_hiding(low: float, high: float) -> None:
    """Refuse a step whose losses leave [−600, 600]."""
    if not (-LARGEST_LOSS <= low <= high <= LARGEST_LOSS):
        raise Refused(
            "the composition of a step whose own privacy loss exceeds 600",
            "Such a step hides nothing, and its probabilities leave the range of floats.",
            "more noise, or a smaller ε in each part.",
        )


def _places(
    step: Step, spacing: float, stride: int, low: float, high: float, shift: float, anchor: float
) -> NDArray[np.int64]:
    """The nodes as multiples of the spacing, from below `low` to above `high`."""
    first, last = math.floor(low) - 1, math.ceil(high) + 1
    if not last - first <= _FARTHEST_PLACE:
        raise _too_fine()
    atoms = (step.atoms() - shift) / spacing
    if not step.continuous:
        near = np.concatenate([np.floor(atoms), np.ceil(atoms), np.rint(atoms)])
        near = near[(near > first) & (near < last)].astype(np.int64)
        return _distinct(np.concatenate([[first], near, [last]]))
    middle = round((anchor - shift) / spacing)
    start, stop = (first - middle) // stride - 1, (last - middle) // stride + 2
    if not stop - start <= MOST_CELLS:
        raise _too_fine()
    even: NDArray[np.int64] = middle + stride * np.arange(start, stop)
    if stride == 1 or len(atoms) == 0:
        return even
    return _distinct(np.concatenate([even, np.floor(atoms), np.ceil(atoms), np.rint(atoms)]).astype(np.int64))


def _too_fine() -> Refused:
    return Refused(
        f"a grid of more than {MOST_CELLS:,} cells for one step",
        "So fine a grid would not fit into memory.",
        "a wider gap, or the exact form where the parts are (ε, δ) alone.",
    )


def _distinct(places: NDArray[np.int64]) -> NDArray[np.int64]:
    places.sort()
    first: NDArray[np.int64] = places[np.append(True, places[1:] != places[:-1])]
    return first


def _part(found: Masses, start: int) -> Masses:
    """Every second interval between the outermost ones."""
    every = slice(start, -1, 2)
    return Masses(found.p[every], found.q[every], found.p_error[every], found.q_error[every])
