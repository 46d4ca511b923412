"""From a program's floats to whole weights that hold without rounding: ratios, totals and means."""

from __future__ import annotations

from fractions import Fraction
from math import floor

import numpy as np

from tacit.local.means.program import Floats, Shape

SLACK = Fraction(1, 1 << 16)  # the program is solved for odds smaller by this part, to leave room for the repair
_SAME = 1e-9  # of a column's least probability: a cell this close to an end of its column is meant to be there
_UNUSED = 1e-8
_FINE = 1 << 48


def whole_weights(rows: Floats, odds: Fraction, shape: Shape) -> dict[int, list[int]]:
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
