"""Decoding: from noisy counts of random groups to a number between 0 and 1 for each person.

All three look for x with A·x near the answers, A the table of groups. Which nearness is right depends on the noise:
least squares for Gaussian noise, the ℓ1 program for heavy tails or some answers far off, the ℓ∞ program for answers
that are all promised to within a bound. Noise of o(√n) a count is not enough against any of them (Dinur and Nissim
2003; Dwork, McSherry and Talwar 2007).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from tacit.audit.reconstruction.answers import Reals
from tacit.errors import Refused

Decoder = Callable[[Reals, Reals], Reals]


def least_squares(groups: Reals, answers: Reals) -> Reals:
    """The x that minimises the squared distance; the one nearest to ½ where there are fewer answers than people."""
    half = np.full(groups.shape[1], 0.5)
    moves: Reals = np.linalg.lstsq(groups, answers - groups @ half, rcond=None)[0]
    return half + moves


def absolute_program(groups: Reals, answers: Reals) -> Reals:
    """The x in [0, 1]ⁿ that minimises the sum of distances: the ℓ1 program.

    Solved by its dual, max y·w − Σs with Aᵀw ≤ s, s ≥ 0 and −1 ≤ w ≤ 1: it has a row for each person, not one for each
    answer, and x is the price of those rows.
    """
    count, people = groups.shape
    costs = np.concatenate([-answers, np.ones(people)])
    rows = np.hstack([groups.T, -np.eye(people)])
    bounds = [(-1.0, 1.0)] * count + [(0.0, None)] * people
    return _prices(costs, rows, np.zeros(people), bounds)


def greatest_program(groups: Reals, answers: Reals) -> Reals:
    """The x in [0, 1]ⁿ that minimises the greatest distance: the ℓ∞ program.

    Its dual: max y·(u−v) − Σs with Aᵀ(u−v) ≤ s, Σu+Σv ≤ 1 and u, v, s ≥ 0.
    """
    count, people = groups.shape
    costs = np.concatenate([-answers, answers, np.ones(people)])
    each = np.hstack([groups.T, -groups.T, -np.eye(people)])
    together = np.concatenate([np.ones(2 * count), np.zeros(people)])
    limits = np.append(np.zeros(people), 1.0)
    return _prices(costs, np.vstack([each, together]), limits, [(0.0, None)] * costs.size)[:people]


def _prices(costs: Reals, rows: Reals, limits: Reals, bounds: Sequence[tuple[float, float | None]]) -> Reals:
    """What each row of a linear program costs at its optimum (HiGHS)."""
    from scipy.optimize import linprog

    found: Any = linprog(costs, A_ub=rows, b_ub=limits, bounds=bounds, method="highs-ipm")
    if found.status != 0:
        found = linprog(costs, A_ub=rows, b_ub=limits, bounds=bounds, method="highs-ds")
    if found.status != 0:
        raise Refused("a reconstruction by linear program", "The solver found no optimum.", "least squares.")
    return -np.asarray(found.ineqlin.marginals)


DECODERS: Final[dict[str, Decoder]] = {
    "l1 program": absolute_program,
    "l-infinity program": greatest_program,
    "least squares": least_squares,
}
