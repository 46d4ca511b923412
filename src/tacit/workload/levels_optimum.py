"""A certified lower end of opt(W) for tables by levels of a hierarchy: the least error of any Gaussian noise.

Cells are leaves of a tree combined with the values of flat keys; `tables_optimum` has the case without a tree, and its
terms. Table A, at depth t_A, weighs w_A for each of its cells. For a set B of flat keys let d_B = Π_{i∈B} (n_i − 1) and

    M_B = Σ_{A⊇B} w_A · Π_{i∉A} n_i · L_tᵀ L_t,   t = t_A,

where L_t has a row of zeros and ones over leaves for each node of depth t; and F = Π n_i over all flat keys.

Claim: opt(W) ≥ (Σ_B d_B·tr (R M_B R)^½)² / (F·Σ r²) for every R = diag(r) ≥ 0 over leaves. Proof. Over all cells V =
WᵀW = Σ_A w_A · L_tᵀ L_t ⊗ (⊗_{i∈A} I ⊗_{i∉A} J) = Σ_B M_B ⊗ P_B, with the residual projectors P_B, which are orthogonal
to each other and have rank d_B. So (R⊗I) V (R⊗I) = Σ_B R M_B R ⊗ P_B, whose root has the trace Σ_B d_B·tr (R M_B R)^½.
The rest is the claim of `optimal_strategy` for the weights r of leaves, the same for all values of flat keys. ∎

Let r be the same for the k_p leaves of each lowest node p, and c_B the coefficient of the leaves' level in M_B. Claim:
tr (R M_B R)^½ = Σ_p (k_p − 1)·√c_B·r_p + ‖M̃_B‖_*, where M̃_B has for each level above the rows √(c·k_p)·r_p over the
nodes p that lie in a node of it, and √c_B·diag(r_p). Proof: R M_B R maps contrasts of siblings to c_B·r_p² times
themselves, and the rest of the space is spanned by the leaves of each p together, of norm √k_p. ∎

So dense numbers are as large as the level above the leaves.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import prod, sqrt

import numpy as np
from numpy.typing import NDArray

from tacit.workload.factorisation.floating_bounds import nuclear_norm_down
from tacit.workload.residual_basis import Attributes, subsets
from tacit.workload.tree import LevelTree

Floats = NDArray[np.float64]
Coefficients = tuple[Fraction, ...]
"""Of each depth's nodes in M_B, the largest being 1."""

_MOST_NODES = 256  # above the leaves
_MOST_SHAPES = 32  # different M_B
_STEPS = 12  # of the fixed point r² ← diag Σ d_B (R M_B R)^½
_DOWN = 1 - 2.0**-30  # more than the rounding error of sums of positive numbers


def levels_optimum_down(
    tree: LevelTree, sizes: Mapping[int, int], weights: Mapping[Attributes, Fraction]
) -> Fraction | None:
    """opt(W) of tables (closed sets of keys), each cell of which has a weight, rounded down.

    `sizes` are those of flat keys. None where the tree has too many nodes above its leaves.
    """
    deepest = max(map(tree.depth, weights))
    if not deepest or not tree.size(deepest - 1) <= _MOST_NODES:
        return None
    flat = tuple(sorted({place for table in weights for place in tree.flat(table)}))
    shapes = _shapes(tree, flat, sizes, weights, deepest)
    if not len(shapes) <= _MOST_SHAPES:
        return None
    leaves = np.bincount(tree.above(deepest), minlength=tree.size(deepest - 1)).astype(np.float64)
    levels = [_members(tree, deepest - 1, depth) * np.sqrt(leaves) for depth in range(deepest)]
    squares = np.ones(len(leaves))
    for _ in range(_STEPS):
        squares = _moved(shapes, levels, leaves, squares)
    found = 0.0
    for coefficients, times in shapes.items():
        singular, vectors, matrix = _factored(coefficients, levels, squares)
        within = sqrt(coefficients[-1]) * float(((leaves - 1) * np.sqrt(squares)).sum())
        found += times * (within + max(0.0, nuclear_norm_down(matrix, singular, vectors)))
    spread = prod(sizes[place] for place in flat) * float((leaves * squares).sum())
    return Fraction(found**2 / spread * _DOWN)


def _shapes(
    tree: LevelTree, flat: Attributes, sizes: Mapping[int, int], weights: Mapping[Attributes, Fraction], deepest: int
) -> dict[Coefficients, float]:
    """The different M_B, each with Σ d_B·√(its largest coefficient) over the sets B that have it."""
    found: dict[Coefficients, float] = {}
    for part in subsets(flat):
        coefficients = [Fraction(0)] * (deepest + 1)
        for table, weight in weights.items():
            own = tree.flat(table)
            if {*part} <= {*own}:
                coefficients[tree.depth(table)] += weight * prod(sizes[place] for place in flat if place not in own)
        largest, contrasts = max(coefficients), prod(sizes[place] - 1 for place in part)
        if largest and contrasts:
            shape = tuple(each / largest for each in coefficients)
            found[shape] = found.get(shape, 0.0) + contrasts * sqrt(largest)
    return found


def _members(tree: LevelTree, depth: int, above: int) -> Floats:
    """For each node at a depth above, 1 for the nodes that lie in it."""
    return tree.summed(np.eye(tree.size(depth)), depth, above)


def _factored(coefficients: Coefficients, levels: list[Floats], squares: Floats) -> tuple[Floats, Floats, Floats]:
    """The singular values of M̃, its right vectors, and itself."""
    own = np.diag(np.full(len(squares), sqrt(coefficients[-1])))
    rows = [sqrt(each) * level for each, level in zip(coefficients, levels, strict=False) if each]
    matrix = np.vstack([*rows, own]) * np.sqrt(squares)
    values, vectors = np.linalg.eigh(matrix.T @ matrix)
    return np.sqrt(np.maximum(values, 0.0)), vectors, matrix


def _moved(shapes: Mapping[Coefficients, float], levels: list[Floats], leaves: Floats, squares: Floats) -> Floats:
    """The diagonal of Σ d_B (R M_B R)^½, a leaf of each lowest node."""
    found = np.zeros(len(squares))
    for coefficients, times in shapes.items():
        singular, vectors, _ = _factored(coefficients, levels, squares)
        together = (vectors**2) @ singular
        found += times * (together + (leaves - 1) * sqrt(coefficients[-1]) * np.sqrt(squares)) / leaves
    return np.asarray(np.maximum(found, 1e-12 * found.max()) / found.sum())
