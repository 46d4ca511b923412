"""The linear program of the best unbiased report of a number: least worst variance, ratios within e^ε, in floats."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen

Floats = NDArray[np.float64]


@frozen
class Shape:
    """Which inputs and outputs the program knows: x = i/steps for |i| ≤ steps, values j/per_unit for |j| ≤ widest."""

    steps: int
    per_unit: int
    widest: int


@frozen
class Solution:
    """Probabilities of the outputs −widest … widest given the inputs 0 … steps, and what the program's dual says.

    The rows of negative inputs are these turned round. `value` is the least worst variance at the inputs and halfway
    between them. `inputs`, `prices` and `rents` are the dual's weights of the inputs' variances, of their means and of
    their totals.
    """

    rows: Floats
    value: float
    inputs: Floats
    prices: Floats
    rents: Floats


def solve(odds: Fraction, shape: Shape, between: bool = True) -> Solution:
    """The best table of this shape, by HiGHS; with `between`, numbers halfway between two inputs count as well.

    Unknowns: the probabilities, each column's least one, and the worst variance t. By symmetry (reports of −x are
    those of x turned round; averaging with its mirror image makes no table worse) only inputs x ≥ 0 are needed, and
    columns j and −j share their least probability.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_matrix, diags, eye, hstack, kron, vstack

    rows, widest, ratio = shape.steps + 1, shape.widest, float(odds)
    marks = np.arange(-widest, widest + 1)
    values, inputs = marks / shape.per_unit, np.arange(rows) / shape.steps
    cells = eye(rows * marks.size, format="csr")
    least = kron(np.ones((rows, 1)), csr_matrix((np.ones(marks.size), (np.arange(marks.size), np.abs(marks)))))
    squares = kron(eye(rows), values[None, :] ** 2)
    points = inputs
    if between:
        squares = vstack([squares, diags([0.5, 0.5], [0, 1], (rows - 1, rows)) @ squares])
        points = np.concatenate([inputs, (inputs[1:] + inputs[:-1]) / 2])
    count = points.size
    above = hstack([cells, -ratio * least, csr_matrix((cells.shape[0], 1))])
    below = hstack([-cells, least, csr_matrix((cells.shape[0], 1))])
    spread = hstack([squares, csr_matrix((count, widest + 1)), -np.ones((count, 1))])
    mean = kron(eye(rows), values[None, :])
    total = kron(eye(rows), np.ones((1, marks.size)))
    exactly = hstack([vstack([mean, total]), csr_matrix((2 * rows, widest + 2))])
    cost = np.zeros(cells.shape[0] + widest + 2)
    cost[-1] = 1
    found = linprog(
        cost,
        vstack([above, below, spread]).tocsr(),
        np.concatenate([np.zeros(2 * cells.shape[0]), points**2]),
        exactly.tocsr(),
        np.concatenate([inputs, np.ones(rows)]),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if found.status != 0:
        raise ArithmeticError("the program of the best report was not solved")
    return Solution(
        found.x[: cells.shape[0]].reshape(rows, marks.size),
        float(found.fun),
        -found.ineqlin.marginals[2 * cells.shape[0] :],
        found.eqlin.marginals[:rows],
        found.eqlin.marginals[rows:],
    )
