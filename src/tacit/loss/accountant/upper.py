"""The upper end: connect the dots (Doroshenko–Ghazi–Kamath–Kumar–Manurangsi 2022)."""

from __future__ import annotations

import numpy as np

from tacit.loss.accountant.cells import Cells
from tacit.loss.accountant.lattice import Lattice
from tacit.loss.accountant.step import UNIT


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
