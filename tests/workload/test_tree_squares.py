"""Least squares over trees: estimates and covariances against dense generalised least squares, and the best levels."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from tacit.workload.tree import NO_TREE, LevelTree
from tacit.workload.tree_squares import TreeSquares, level_shares

Floats = NDArray[np.float64]

# a root; three nodes with 1, 2 and 4 below them; and of those the first five with 1, 3, 1, 2 and 1, the others with 2
UNBALANCED = LevelTree(
    (0, 1, 2),
    ((0, 1, 2), tuple(range(7)), tuple(range(12))),
    ((0, 0, 0), (0, 1, 1, 2, 2, 2, 2), (0, 1, 1, 1, 2, 3, 3, 4, 5, 5, 6, 6)),
)
MEASURED = (
    (True, True, True, True),
    (False, True, False, True),
    (False, False, False, True),
    (True, False, True, True),
)


def rows(tree: LevelTree, depth: int) -> Floats:
    """The nodes of a depth as sums of leaves."""
    deepest = len(tree.places)
    return tree.summed(np.eye(tree.size(deepest)), deepest, depth)


@pytest.mark.parametrize("which", MEASURED)
def test_estimates_are_generalised_least_squares(which: tuple[bool, ...]) -> None:
    """Every node's estimate and variance, and a question's covariance with all nodes, for two coordinates at once."""
    rng = np.random.default_rng(1)
    precisions = [rng.uniform(0.1, 3, 2) if is_measured else None for is_measured in which]
    values = [
        None if own is None else rng.normal(0, 9, (UNBALANCED.size(depth), 2)) for depth, own in enumerate(precisions)
    ]
    squares = TreeSquares(UNBALANCED, precisions)
    estimates, variances = squares.estimates(values), squares.variances()
    for coordinate in range(2):
        used = [depth for depth, is_measured in enumerate(which) if is_measured]
        design = np.concatenate([rows(UNBALANCED, depth) for depth in used])
        own = [(precisions[depth], values[depth]) for depth in used]
        weights = np.concatenate([np.full(len(y), w[coordinate]) for w, y in own if w is not None and y is not None])
        measured = np.concatenate([y[:, coordinate] for _, y in own if y is not None])
        covariance = np.linalg.inv(design.T * weights @ design)
        leaves = covariance @ (design.T * weights @ measured)
        for depth in range(4):
            nodes = rows(UNBALANCED, depth)
            assert np.allclose(estimates[depth][:, coordinate], nodes @ leaves)
            assert np.allclose(variances[depth][:, coordinate], np.diag(nodes @ covariance @ nodes.T))
            question = rng.normal(size=(len(nodes), 2))
            pushed = squares.covariances(question, depth)
            for other in range(4):
                exact = rows(UNBALANCED, other) @ covariance @ nodes.T @ question[:, coordinate]
                assert np.allclose(pushed[other][:, coordinate], exact)


def test_nodes_are_the_sums_of_those_below() -> None:
    rng = np.random.default_rng(2)
    values = [rng.normal(0, 9, (UNBALANCED.size(depth), 1)) for depth in range(4)]
    found = TreeSquares(UNBALANCED, [np.ones(1)] * 4).estimates(values)
    for depth, (above, below) in enumerate(pairwise(found), 1):
        assert np.allclose(above, UNBALANCED.summed(below, depth, depth - 1), atol=1e-12)


@pytest.mark.parametrize("costs", [(1.0, 1.0, 1.0, 1.0), (0.7, 0.2, 0.1, 0.0003), (0.0, 0.5, 0.0, 0.5)])
def test_no_other_precisions_of_levels_are_better(costs: tuple[float, ...]) -> None:
    """Against a numerical optimiser: the fixed point is within a thousandth of its optimum, and never far below."""
    shares, least = level_shares(UNBALANCED, costs)
    assert sum(shares) == pytest.approx(1)

    def total(logs: Floats) -> float:
        given = np.exp(logs)
        squares = TreeSquares(UNBALANCED, [np.array([each]) for each in given / given.sum()])
        return sum(cost * float(each.sum()) for cost, each in zip(costs, squares.variances(), strict=True))

    found = minimize(total, np.zeros(4), method="Nelder-Mead", options={"maxiter": 4000, "xatol": 1e-6, "fatol": 1e-9})
    assert found.fun * (1 - 1e-3) <= least <= found.fun * (1 + 1e-3)


def test_without_levels_there_is_one_node() -> None:
    shares, least = level_shares(NO_TREE, (0.25,))
    assert (shares, least) == ((1.0,), 0.25)
    squares = TreeSquares(NO_TREE, [np.array([2.0, 4.0])])
    assert np.allclose(squares.variances()[0], [[0.5, 0.25]])
    assert np.allclose(squares.estimates([np.array([[3.0, 5.0]])])[0], [[3, 5]])


def test_sets_of_keys_are_closed_under_levels() -> None:
    tree = LevelTree((3, 1), ((0, 1), (0, 1, 2)), ((0, 0), (0, 1, 1)))
    assert tree.closed((1,)) == (1, 3)
    assert tree.closed((0, 3)) == (0, 3)
    assert tree.closed((0, 2)) == (0, 2)
    assert (tree.depth((1, 3)), tree.flat((0, 1, 3)), tree.at((2,), 1)) == (2, (0,), (2, 3))
    assert tree.paths(2) == [(0, 0), (1, 1), (1, 2)]
