"""The linear program of the best unbiased report of a number: least worst variance, ratios within e^ε.

It is solved in floats; its solution becomes whole weights whose ratios, totals and means hold without rounding.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen

Floats = NDArray[np.float64]


@frozen
class ProgramShape:
    """The inputs and outputs of the program: x = i/steps for |i| ≤ steps, values j/per_unit for |j| ≤ widest."""

    steps: int
    per_unit: int
    widest: int


@frozen
class Solution:
    """Probabilities of the outputs −widest … widest given the inputs 0 … steps, and the solution of the dual program.

    The rows of negative inputs are these reversed. `value` is the least worst variance at the inputs and halfway
    between them. `inputs`, `prices` and `rents` are the dual's weights of the inputs' variances, of their means and of
    their totals.
    """

    rows: Floats
    value: float
    inputs: Floats
    prices: Floats
    rents: Floats


def solve(odds: Fraction, shape: ProgramShape, between: bool = True) -> Solution:
    """The best table of this shape, by HiGHS; with `between`, numbers halfway between two inputs count as well.

    Unknowns: the probabilities, each column's least one, and the worst variance t. By symmetry (reports of −x are those
    of x with the opposite sign; averaging with its mirror image makes no table worse) only inputs x ≥ 0 are needed, and
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


SLACK = Fraction(1, 1 << 16)  # the program is solved for odds smaller by this share, to leave room for the repair
_SAME = 1e-9  # of a column's least probability: a cell this close to an end of its column is set to that end
_UNUSED = 1e-8
_FINE = 1 << 48


def whole_weights(rows: Floats, odds: Fraction, shape: ProgramShape) -> dict[int, list[int]]:
    """For each output the weights of all inputs −steps … steps, near the program's probabilities, and exact.

    `odds` are those that the program was solved for, a `SLACK` below what is permitted.

    Claim: the ratio within a column is at most odds/(1 − SLACK); all inputs have one total, and as their mean
    themselves. Proof: cells are cut to whole multiples of 4f within [low, odds·low] of their column. What a row then
    lacks in total (D₀) and in mean (D₁, both multiples of 4f) is added to its cells at the outputs ±f, the columns of
    most weight: D₀/2 ± D₁/2f each, whole numbers. Only there may the ratio exceed `odds`, by what the slack pays for;
    if it did not, `MeanResponse`, which checks every claim again, would refuse the table.
    """
    widest, steps = shape.widest, shape.steps
    least = np.min(np.minimum(rows, rows[:, ::-1]), axis=0)
    fat = 1 + int(np.argmax(least[widest + 1 :]))
    grain = 4 * fat
    total = grain * _FINE
    weights: dict[int, list[int]] = {}
    for out in range(-widest, widest + 1):
        bottom = float(least[widest + out])
        if bottom > _UNUSED:
            # row −i is row i turned round; row 0 is its own mirror image
            half = [float(rows[i, widest + out]) for i in range(1, steps + 1)]
            turned = [float(rows[i, widest - out]) for i in range(steps, 0, -1)]
            centre = (float(rows[0, widest + out]) + float(rows[0, widest - out])) / 2
            weights[out] = _cut([*turned, centre, *half], bottom, odds, grain)
    for place in range(2 * steps + 1):
        lacks = total - sum(column[place] for column in weights.values())
        moment = sum(out * column[place] for out, column in weights.items())
        tilt = (total // steps * (place - steps) * shape.per_unit - moment) // fat
        weights[fat][place] += (lacks + tilt) // 2
        weights[-fat][place] += (lacks - tilt) // 2
    return weights


def _cut(column: list[float], bottom: float, odds: Fraction, grain: int) -> list[int]:
    """The cells in whole multiples of the grain, within the column's ends; those at an end exactly there."""
    low = _grains(bottom) * grain
    high = floor(odds * low / grain) * grain
    top = bottom * float(odds)
    return [
        low if cell <= bottom * (1 + _SAME) else high if cell >= top * (1 - _SAME) else _grains(cell) * grain
        for cell in column
    ]


def _grains(cell: float) -> int:
    return floor(Fraction(cell) * _FINE)
