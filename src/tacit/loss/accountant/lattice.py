"""A privacy loss on a grid: the measure that is convolved, for either end of a bracket.

The upper end connects the dots (Doroshenko–Ghazi–Kamath–Kumar–Manurangsi 2022). The lower end merges, so that the
merged losses land on the nodes, and rounds the rest down.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.loss.accountant.discretization import Cells
from tacit.loss.distributions.step import UNIT, Array


@frozen
class Lattice:
    """Mass `masses[k]` at loss places[k]·spacing + shift, and `infinite` at +∞; the sum need not be 1.

    δ(ε) = infinite + Σ masses·(1−e^{ε−loss})₊ grows with every mass and every loss, and so does that of a
    convolution: so an upper measure may round both up, and a lower one both down.
    """

    places: NDArray[np.int64]
    masses: Array
    shift: float
    infinite: float

    @classmethod
    def of(cls, places: NDArray[np.int64], masses: Array, shift: float, infinite: float) -> Lattice:
        """Without the empty nodes."""
        filled = masses > 0
        if not filled.any():
            return cls(places[:1], np.zeros(1), shift, infinite)
        return cls(places[filled], masses[filled], shift, infinite)


def upper_lattice(cells: Cells) -> Lattice:
    """A pair on the nodes that dominates the step.

    Claim: its δ(ε) is at least the step's at every ε, and so for every composition. Proof: within a cell
    from a to b move the P-mass m to the two ends so that the Q-mass n = E[e^−L] is kept: m_b = (m−ne^a)/(1−e^{a−b})
    goes up. As (1−e^ε x)₊ is convex in x = e^−L, moving mass outward at a fixed mean never lowers its expectation;
    domination carries over to products of pairs (Zhu–Dong–Wang 2022). Mass above the last cell goes to +∞, mass below
    the first to the first node: both are upward. Floating errors: a larger m and a smaller n only raise m and m_b,
    hence δ. Losses that lie up to s outside their cell: L−s, cut off from below at a, lies in the cell, and its n is
    at least e^−s of the measured one; so with n lowered by that factor the moved L−s is dominated, and adding s to
    every node at the end gives back L.
    """
    mass = cells.low.p + cells.high.p + cells.low.p_error + cells.high.p_error
    other = cells.low.q + cells.high.q - cells.low.q_error - cells.high.q_error
    nodes = cells.nodes()
    roundings = UNIT * (16 + 4 * np.abs(nodes[:-1]))
    other = np.maximum(other, 0.0) * (1 - cells.slack - roundings)
    raised = (mass - other * np.exp(nodes[:-1])) / -np.expm1(-np.diff(nodes)) + roundings * mass
    raised = np.clip(raised, 0.0, mass)
    moved = np.zeros(len(nodes))
    moved[:-1] = (mass - raised) * (1 + 4 * UNIT)
    moved[1:] += raised * (1 + 4 * UNIT)
    moved[0] += cells.p_below
    infinite = cells.at_infinity[1] + cells.p_above
    return Lattice.of(cells.places, moved, cells.shift + cells.slack, min(1.0, infinite))


_FREE = (2e-14, 1e-13, 3e-13, 1e-12)  # shifts too small to matter
_ALLOWANCES = (*_FREE, 1e-11, 1e-10, 1e-9)


def lower_lattice(cells: Cells) -> Lattice:
    """A pair on the nodes that the step dominates.

    Claim: its δ(ε) is at most the step's at every ε, and so for every composition. Proof: each cell sends a part of
    what falls into it to its left node and the rest to its right one, by a coin whose odds depend only on the half of
    the cell. That is post-processing, so the pair of what arrives at the nodes is dominated by the step, whatever the
    odds are. Node i then has the loss ln(P_i/Q_i). It is certified from the error bounds that this is at least the
    node's own loss less `shift`; where it is not, the node's mass goes one node down, and the loss of everything that
    came to node i is at least that of node i−1 less the slack. What lies below the cells is left out. All of this
    only lowers losses or masses, and δ grows with both.

    The odds are chosen so that almost nothing is rounded. A cell gives its left node an excess of P over e^ℓQ, and its
    right node a deficit. Cutting in the middle gives (u, v), all to the left (U, 0), all to the right (0, V); a mixture
    gives anything between. With g_i = max(u_i, v_{i−1}) every node can get an excess and a deficit of exactly g_i,
    unless the masses fall by a factor of about 3 from one cell to the next; there the cell below keeps more.
    """
    nodes = cells.nodes()
    to_left, to_right = _odds(cells, nodes)
    stay_low, stay_high = 1 - to_right, to_left  # the share of each half that goes to the left node
    sides = []
    for low, high in (
        (cells.low.p, cells.high.p),
        (cells.low.q, cells.high.q),
        (cells.low.p_error, cells.high.p_error),
        (cells.low.q_error, cells.high.q_error),
    ):
        arrived = np.zeros(len(nodes))
        arrived[:-1] = stay_low * low + stay_high * high
        arrived[1:] += (1 - stay_low) * low + (1 - stay_high) * high
        sides.append(arrived)
    p, q, p_error, q_error = sides
    certain_p = np.maximum((p - p_error) * (1 - 8 * UNIT), 0.0)
    possible_q = (q + q_error) * (1 + 8 * UNIT)
    rounding = UNIT * (16 + 4 * np.abs(nodes))
    with np.errstate(divide="ignore", invalid="ignore"):
        short = np.log(possible_q / certain_p) + nodes + rounding  # how far the loss may lie below the node
    short = np.where(certain_p > 0, short, 0.0)
    return _rounded_down(cells, certain_p, short)


def _odds(cells: Cells, nodes: Array) -> tuple[Array, Array]:
    """The share of the upper halves that goes left, and of the lower halves that goes right."""
    rise, next_rise = np.exp(nodes[:-1]), np.exp(nodes[1:])
    p, q = cells.low.p + cells.high.p, cells.low.q + cells.high.q
    u = np.maximum(cells.low.p - rise * cells.low.q, 0.0)
    v = np.maximum(next_rise * cells.high.q - cells.high.p, 0.0)
    all_left, all_right = np.maximum(p - rise * q, u), np.maximum(next_rise * q - p, v)
    room = np.append(all_left[1:], 0.0)  # the largest excess that the next cell can give
    need = np.concatenate([[0.0], all_right[:-1]])  # the largest deficit that the cell before can give
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        kept = np.where(v > room, 1 - room / v, 0.0)  # so much must go left, otherwise the next node has too little
        passed = np.where(u > need, 1 - need / u, 0.0)  # so much may go right, because the left node cannot use it
        pressed = v + passed * (all_right - v)
        wanted = np.maximum(np.maximum(u, u + kept * (all_left - u)), np.concatenate([[0.0], pressed[:-1]]))
        wanted = np.minimum(np.minimum(wanted, all_left), need)
        x, y = wanted - u, np.append(wanted[1:], 0.0) - v
        determinant = (all_left - u) * (all_right - v) - u * v
        left = (x * (all_right - v) + u * y) / determinant
        right = (y * (all_left - u) + v * x) / determinant
        unsolved = ~(determinant > 0) | (right < 0) | ~np.isfinite(left) | ~np.isfinite(right)
        alone = np.maximum(np.maximum(_ratio(x, all_left - u), _ratio(-y, v)), 0.0)
        left, right = np.where(unsolved, alone, left), np.where(unsolved, 0.0, right)
        below = ~unsolved & (left < 0)
        left, right = np.where(below, 0.0, left), np.where(below, _ratio(y, all_right - v), right)
    left = np.clip(left, 0.0, 1.0)
    return left, np.clip(right, 0.0, 1.0 - left)


def _ratio(a: Array, b: Array) -> Array:
    """a/b, and 0 where b is 0."""
    return np.where(b > 0, a / np.where(b > 0, b, 1.0), 0.0)


def _rounded_down(cells: Cells, masses: Array, short: Array) -> Lattice:
    """Round down: by the common shift and the moves to the next lower node that lose least, by an estimate."""
    worst = float(short.max()) - cells.slack
    for extra in _FREE:
        if worst <= extra:  # no mass need move down
            shift = cells.shift - 2 * cells.slack - extra
            return Lattice.of(cells.places, masses * (1 - 4 * UNIT), shift, cells.at_infinity[0])
    allowances = [cells.slack + extra for extra in _ALLOWANCES]
    depth = np.concatenate([[1.0], np.diff(cells.nodes())]) * masses
    costs = [extra + float(depth[short > extra].sum()) for extra in allowances]
    allowance = allowances[int(np.argmin(costs))]
    falls = short > allowance
    settled = np.where(falls, 0.0, masses)
    settled[:-1] += np.where(falls, masses, 0.0)[1:]  # mass that moves down from the first node is left out
    return Lattice.of(
        cells.places, settled * (1 - 4 * UNIT), cells.shift - allowance - cells.slack, cells.at_infinity[0]
    )
