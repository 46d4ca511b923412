"""Extremal reports: for a given utility, the best ε-local report (Kairouz, Oh and Viswanath 2016).

The utility is Σ over reports of μ(column), where a column has the report's probabilities under each answer and μ is
sublinear: convex, and twice a column is worth twice as much. Mutual information and f-divergences are such.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import log2
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.exact import Number, positive, probability, whole
from tacit.frozen import frozen
from tacit.local.randomizers.randomizer import WeightTable, odds_within

Utility: TypeAlias = Callable[[Sequence[float]], float]

_MOST_ANSWERS = 12


@frozen
class Extremal:
    """The best table for a utility, its value, and a proven upper bound for every ε-local report."""

    table: WeightTable
    value: float
    limit: float


def extremal(epsilon: Number, answers: int, utility: Utility) -> Extremal:
    """The ε-local table of the largest utility, over all numbers of reports.

    Claim, for the replacement of one answer by another: its report is ε-private. Proof: every column is a multiple of
    a pattern of 1s and rs, r = odds_within(ε); the multiples solve Σ multiple·pattern = 1 in fractions.

    Claim: for a sublinear utility no ε-local report with these odds is worth more than `limit`. Proof: every column
    within those odds is a sum of such patterns, so that the patterns' program has the best table among its solutions,
    and the limit is Σλ for a λ with λ·pattern ≥ μ(pattern) for every pattern.
    """
    own, count = positive(epsilon, "epsilon"), whole(answers, "answers", 2)
    if not count <= _MOST_ANSWERS:
        raise Refused(f"{count} answers", "There are 2^answers patterns.", f"at most {_MOST_ANSWERS} answers.")
    odds = odds_within(own)
    marks = list(product((0, 1), repeat=count))[1:]  # all 1s are a multiple of all rs
    patterns = np.array([[float(odds) if high else 1.0 for high in mark] for mark in marks])
    worth = np.array([utility(tuple(pattern)) for pattern in patterns])
    if not bool(np.all(np.isfinite(worth))):
        raise Refused("a utility", "It has no value for some report.", "a finite number for every column of positives.")
    multiples, prices = _solve(patterns, worth)
    basis = _basis(patterns, multiples)
    exact = _exactly([[odds if high else Fraction(1) for high in marks[place]] for place in basis])
    if not all(multiple >= 0 for multiple in exact):
        raise ArithmeticError("the program of the extremal report was not solved")
    used = [(place, multiple) for place, multiple in zip(basis, exact, strict=True) if multiple]
    rows = [[multiple * (odds if marks[place][answer] else 1) for place, multiple in used] for answer in range(count)]
    excess = max(0.0, float(np.max((worth - patterns @ prices) / patterns.sum(axis=1))))
    value = float(sum(float(multiple) * worth[place] for place, multiple in used))
    return Extremal(WeightTable.of(rows), value, float(prices.sum() + count * excess))


def mutual_information(prior: Sequence[Number]) -> Utility:
    """The mutual information in bits of report and answer under this prior."""
    chances = [float(probability(chance, "prior")) for chance in prior]
    if not abs(sum(chances) - 1) < 1e-9:
        raise Refused("a prior", "It does not add up to 1.", "probabilities of all answers.")

    def utility(column: Sequence[float]) -> float:
        total = sum(p * c for p, c in zip(chances, column, strict=True))
        return sum(p * c * log2(c / total) for p, c in zip(chances, column, strict=True) if p > 0)

    return utility


def divergence(first: Sequence[Number], second: Sequence[Number], shape: Callable[[float], float]) -> Utility:
    """The f-divergence of the reports of two populations: how well a test distinguishes them. f is convex, f(1) = 0."""
    one = [float(probability(chance, "first")) for chance in first]
    other = [float(probability(chance, "second")) for chance in second]

    def utility(column: Sequence[float]) -> float:
        p, q = (sum(w * c for w, c in zip(law, column, strict=True)) for law in (one, other))
        return q * shape(p / q)

    return utility


def _solve(
    patterns: NDArray[np.float64], worth: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    from scipy.optimize import linprog

    found = linprog(-worth, A_eq=patterns.T, b_eq=np.ones(patterns.shape[1]), method="highs-ds")
    if found.status != 0:
        raise ArithmeticError("the program of the extremal report was not solved")
    return found.x, -found.eqlin.marginals


def _basis(patterns: NDArray[np.float64], multiples: NDArray[np.float64]) -> list[int]:
    """As many independent patterns as there are answers, those in use first."""
    chosen: list[int] = []
    for place in np.argsort(-multiples, kind="stable"):
        if len(chosen) == patterns.shape[1]:
            break
        if np.linalg.matrix_rank(patterns[[*chosen, int(place)]]) > len(chosen):
            chosen.append(int(place))
    return chosen


def _exactly(columns: list[list[Fraction]]) -> list[Fraction]:
    """The multiples with which these columns add up to 1 in every row, by elimination in fractions."""
    size = len(columns)
    rows = [[column[row] for column in columns] + [Fraction(1)] for row in range(size)]
    for lead in range(size):
        pivot = next(row for row in range(lead, size) if rows[row][lead])
        rows[lead], rows[pivot] = rows[pivot], rows[lead]
        rows[lead] = [cell / rows[lead][lead] for cell in rows[lead]]
        for row in range(size):
            if row != lead and (factor := rows[row][lead]):
                rows[row] = [cell - factor * top for cell, top in zip(rows[row], rows[lead], strict=True)]
    return [row[-1] for row in rows]
