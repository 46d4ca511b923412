"""Naive ways to release the same tables at the same price, by their total variance in closed form.

Gaussian noise on each table by itself: of k tables each takes a part of the price, and a cell's variance is one over
that part of μ². The parts are equal; or the best for the weights; or only for the widest tables, of which all others
are sums: a sum of m cells has m times the variance.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod, sqrt

from tacit.workload.residual_basis import Attributes, Weighting

Tables = Sequence[Attributes]


def weights(tables: Tables, sizes: Sequence[int], weighting: Weighting) -> list[float]:
    """The weight of one cell of each table."""
    return [float(weighting.of([sizes[place] for place in table])) for table in tables]


def equal_split(tables: Tables, sizes: Sequence[int], weighting: Weighting, strength: float) -> float:
    """Every table takes the same part of the price."""
    cells = _cells(tables, sizes)
    return sum(w * n for w, n in zip(weights(tables, sizes, weighting), cells, strict=True)) * len(tables) / strength


def best_split(tables: Tables, sizes: Sequence[int], weighting: Weighting, strength: float) -> float:
    """Parts in proportion to the root of the total weight of a table's cells, which is optimal (Cauchy)."""
    cells = _cells(tables, sizes)
    return sum(sqrt(w * n) for w, n in zip(weights(tables, sizes, weighting), cells, strict=True)) ** 2 / strength


def widest_only(tables: Tables, sizes: Sequence[int], weighting: Weighting, strength: float) -> float:
    """The same part for each of the widest tables; each other one is a sum of the smallest that holds it."""
    widest = [set(table) for table in tables if len(table) == max(map(len, tables))]
    total = 0.0
    for table, weight in zip(tables, weights(tables, sizes, weighting), strict=True):
        holding = min(prod(sizes[place] for place in each) for each in widest if set(table) <= each)
        total += weight * holding  # as many cells as the table has, each a sum of holding over so many
    return total * len(widest) / strength


NAIVE = {"equal split": equal_split, "best split": best_split, "widest tables summed": widest_only}


def _cells(tables: Tables, sizes: Sequence[int]) -> list[int]:
    return [prod(sizes[place] for place in table) for table in tables]
