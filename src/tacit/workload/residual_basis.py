"""The residual basis: the best Gaussian noise for a set of tables, in closed form.

Tables are sets of attributes; a table counts people by all combinations of their values. The part of a table B beyond
its margins is its residual: its contrasts (`helmert`). Every table is the sum of the residuals of its subsets, so
measuring each residual once, with noise of its own size, answers all tables, and they agree.

Claim: with residual B measured at variance σ²_B (a contrast of norm ‖r‖ at σ²_B·‖r‖²), a person with one row costs
μ² = Σ_B p_B/σ²_B, where p_B = Π (n_i − 1)/n_i, and a cell of table A has the variance Σ_{B⊆A} σ²_B·p_B/Π_{j∈A∖B} n_j².
Proof: the residuals are orthogonal projections ⊗(I − J/n_i), whose diagonal is p_B; averaging over an axis of n_j
values divides a deviation by n_j. Among all σ² at one price, σ²_B ∝ √(p_B/v_B) makes Σ v_B·σ²_B least (Cauchy), and it
is then (Σ√(v_B·p_B))²/μ². Here v_B adds up, over all tables A ⊇ B, the table's weight times its cells' variances.

Where keys are levels of a hierarchy (`LevelTree`), a residual B of the other attributes is measured at several of them:
its contrasts within every node. Then p_B counts once for each level, and least squares over the tree (`tree_squares`)
join them; of all precisions at one price the best are found by `level_shares`, and residuals share it as before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from fractions import Fraction
from itertools import combinations
from math import ceil, log2, prod, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.workload.helmert import contrasts, largest_norm, squared_norms
from tacit.workload.tree import NO_TREE, LevelTree
from tacit.workload.tree_squares import level_shares

Attributes: TypeAlias = tuple[int, ...]

_FINE = 2**7  # the least multiplier of a contrast, where there is room: it is then rounded by less than a hundredth
_MOST_BITS = 31  # of a multiplier: its square fits a word
_FORM = 2**14  # steps of the coefficients of the quadratic form, to one


class Weighting(Enum):
    """The objective: the mean of the tables' variances, or the variance of all cells together."""

    TABLES = "tables"
    CELLS = "cells"

    @classmethod
    def named(cls, name: str) -> Weighting:
        """The weighting of this name."""
        for each in cls:
            if each.value == name:
                return each
        raise Refused(f"--weight {name}", "There is no such weighting.", "--weight tables or --weight cells.")

    def of(self, sizes: Sequence[int]) -> Fraction:
        """The weight of one cell of a table."""
        return Fraction(1, prod(sizes)) if self is Weighting.TABLES else Fraction(1)


@frozen
class ResidualStrategy:
    """Which contrasts are measured, each times a whole number.

    `scales` has for each residual B, at each level that is measured, a whole number β_B: a contrast r of it is
    multiplied by ⌊β_B/‖r‖⌋. Claim: the measured vector of a person whose rows (weighted) are counted in u has the
    squared norm at most Σ_B β²_B·‖residual B of u‖² = Σ_C q_C·‖u_C‖², where u_C are the margins of u and
    q_C = Σ_{B⊇C} β²_B·Π_{i∈B∖C} (−1/n_i), B and C of one level. For one row it is `squared_norm`, Σ β²_B·p_B. Proof:
    ⌊β/‖r‖⌋·‖r‖ ≤ β, and ‖⊗(I − J/n_i) u‖² expands by inclusion and exclusion; nodes of a level have no cell in common,
    so that their norms add up, however many cells they have. All of it is exact.
    """

    sizes: tuple[int, ...]  # how many values each attribute has
    tables: tuple[Attributes, ...]
    scales: Mapping[Attributes, int]
    tree: LevelTree = NO_TREE

    @property
    def squared_norm(self) -> Fraction:
        """The squared norm of one row, at most."""
        return sum((scale**2 * self.part(each) for each, scale in self.scales.items()), Fraction(0))

    def part(self, residual: Attributes) -> Fraction:
        """p_B: the part of a row in a residual."""
        return _part(self.flat_shape(residual))

    def shape(self, attributes: Attributes) -> tuple[int, ...]:
        """The sizes of a table's axes: the nodes of its deepest level, if it has one, and its other keys' values."""
        depth = self.tree.depth(attributes)
        return (*((self.tree.size(depth),) if depth else ()), *self.flat_shape(attributes))

    def flat_shape(self, attributes: Attributes) -> tuple[int, ...]:
        """The sizes of the axes that contrasts are along."""
        return tuple(self.sizes[place] for place in self.tree.flat(attributes))

    def values_shape(self, residual: Attributes) -> tuple[int, ...]:
        """How many contrasts there are of a residual: in each node, one less along each axis."""
        depth = self.tree.depth(residual)
        return (*((self.tree.size(depth),) if depth else ()), *(size - 1 for size in self.flat_shape(residual)))

    def margins(self, attributes: Attributes) -> list[Attributes]:
        """The table and all its margins."""
        tree = self.tree
        depths = range(tree.depth(attributes) + 1)
        return [tree.at(part, depth) for part in subsets(tree.flat(attributes)) for depth in depths]

    def multipliers(self, residual: Attributes) -> NDArray[np.int64]:
        """⌊β/‖r‖⌋ for each contrast of a residual, the same in every node."""
        norms, scale = squared_norms(self.flat_shape(residual)), self.scales[residual]
        found = np.floor(scale / np.sqrt(norms.astype(np.float64))).astype(np.int64)
        found -= found**2 * norms > scale**2
        return found[None] if self.tree.depth(residual) else found

    def measured(self, margin: NDArray[np.int64], residual: Attributes) -> NDArray[np.int64]:
        """The measurement of a residual, from the margin by its keys: modulo 2^64, or exactly of Python's integers."""
        found = contrasts(margin, 1 if self.tree.depth(residual) else 0) * self.multipliers(residual)
        return np.asarray(found, margin.dtype)

    def form(self) -> Mapping[Attributes, int]:
        """The coefficients q_C in steps of `squared_norm`/2^14, each rounded up; their sum stands for one row."""
        exact: dict[Attributes, Fraction] = {}
        for residual, scale in self.scales.items():
            flat, depth = self.tree.flat(residual), self.tree.depth(residual)
            for part in subsets(flat):
                rest, margin = [place for place in flat if place not in part], self.tree.at(part, depth)
                least = Fraction((-1) ** len(rest) * scale**2, prod(self.sizes[place] for place in rest))
                exact[margin] = exact.get(margin, Fraction(0)) + least
        unit = self.squared_norm / _FORM
        return {margin: ceil(coefficient / unit) for margin, coefficient in exact.items()}

    def form_excess(self) -> Fraction:
        """What one row has in the rounded form, relative to its squared norm: a little above 1."""
        return Fraction(sum(self.form().values()), _FORM)


def subsets(attributes: Attributes) -> list[Attributes]:
    """All subsets, the smallest first."""
    return [each for size in range(len(attributes) + 1) for each in combinations(attributes, size)]


def closure(tables: Sequence[Attributes]) -> tuple[Attributes, ...]:
    """All tables and their margins, each once, the smallest first."""
    found = {margin for table in tables for margin in subsets(table)}
    return tuple(sorted(found, key=lambda each: (len(each), each)))


def _part(sizes: Sequence[int]) -> Fraction:
    return Fraction(prod(size - 1 for size in sizes), prod(sizes))


def objective(
    tables: Sequence[Attributes], sizes: Sequence[int], weighting: Weighting, tree: LevelTree = NO_TREE
) -> Mapping[Attributes, tuple[Fraction, Fraction]]:
    """For each residual that has contrasts, (v_B, p_B): what its variance adds to the objective, and what it costs.

    At a level of a hierarchy, v_B is what the variance in one node adds.
    """
    found: dict[Attributes, Fraction] = {}
    for table in tables:
        flat, depth = tree.flat(table), tree.depth(table)
        own = [sizes[place] for place in flat]
        cell = weighting.of([*own, tree.size(depth)]) * prod(own)
        for part in subsets(flat):
            rest = prod(sizes[place] for place in flat if place not in part)
            residual = tree.at(part, depth)
            found[residual] = found.get(residual, Fraction(0)) + cell * Fraction(1, rest**2)
    ordered = sorted(found, key=lambda each: (len(each), each))
    parts = {each: _part([sizes[place] for place in tree.flat(each)]) for each in ordered}
    return {each: (found[each] * parts[each], parts[each]) for each in ordered if parts[each]}


def best_strategy(
    tables: Sequence[Attributes],
    sizes: Sequence[int],
    weighting: Weighting,
    most_bits: int = _MOST_BITS,
    tree: LevelTree = NO_TREE,
) -> ResidualStrategy:
    """The strategy of least variance, its scales rounded to whole numbers of at most so many bits.

    None is below the largest norm of its contrasts, so that every contrast is measured.
    """
    shares = _shares(objective(tables, sizes, weighting, tree), tree)
    norms = {each: largest_norm([sizes[place] for place in tree.flat(each)]) for each in shares}
    fine = max(_FINE * norms[each] / share for each, share in shares.items())
    largest = max(shares.values())
    bits = min(max(8, ceil(log2(fine * largest))), most_bits)
    scales = {each: max(norms[each], int(share / largest * 2**bits)) for each, share in shares.items()}
    return ResidualStrategy(tuple(sizes), tuple(tables), scales, tree)


def _shares(costs: Mapping[Attributes, tuple[Fraction, Fraction]], tree: LevelTree) -> dict[Attributes, float]:
    """The best β of each residual at each of its levels, relative to each other."""
    levels: dict[Attributes, dict[int, tuple[Fraction, Fraction]]] = {}
    for each, pair in costs.items():
        levels.setdefault(tree.flat(each), {})[tree.depth(each)] = pair
    found = {}
    for flat, pairs in levels.items():
        whole, part = sum(v for v, _ in pairs.values()), max(p for _, p in pairs.values())
        weights = [
            round(float(pairs[depth][0] / whole), 9) if depth in pairs else 0.0 for depth in range(max(pairs) + 1)
        ]
        shares, least = level_shares(tree, tuple(weights))
        joint = sqrt(sqrt(float(whole) * least / float(part)))
        found.update({tree.at(flat, depth): joint * sqrt(share) for depth, share in enumerate(shares) if share})
    return found


def is_fine(strategy: ResidualStrategy, most_bits: int) -> bool:
    """Whether whole multipliers of so many bits can follow the best scales, even of the largest contrasts."""
    return all(largest_norm(strategy.flat_shape(each)) <= 2**most_bits for each in strategy.scales)
