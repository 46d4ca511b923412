"""opt(W) of tables by levels: compared with a direct minimisation, the closed form, and the dense certificate."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.workload.optimality.test_tables_optimum import least_found

from tacit.workload.factorisation.optimal_strategy import optimal_strategy
from tacit.workload.factorisation.question_matrix import QuestionMatrix
from tacit.workload.levels_optimum import levels_optimum_down
from tacit.workload.optimality.tables_optimum import tables_optimum_down
from tacit.workload.residual_basis import Weighting, best_strategy
from tacit.workload.table_estimates import TableLaw
from tacit.workload.tree import LevelTree

Tables = dict[tuple[int, ...], Fraction]
ONE, HALF = Fraction(1), Fraction(1, 2)
TWO_LEVELS = LevelTree((0, 1), ((0, 1), (0, 1, 2)), ((0, 0), (0, 1, 1)))
THREE_LEVELS = LevelTree((0, 1, 2), ((0, 1), (0, 1, 2), (0, 1, 2, 3, 4)), ((0, 0), (0, 1, 1), (0, 0, 1, 2, 2)))
CASES: list[tuple[LevelTree, dict[int, int], Tables]] = [
    (TWO_LEVELS, {}, {(): ONE, (0,): ONE, (0, 1): ONE}),
    (TWO_LEVELS, {2: 2}, {(0, 1, 2): ONE, (0,): HALF, (2,): Fraction(3), (): ONE}),
    (TWO_LEVELS, {2: 2}, {(0, 2): ONE, (0, 1): Fraction(2)}),
    (THREE_LEVELS, {}, {(): Fraction(5), (0,): ONE, (0, 1, 2): HALF}),
    (THREE_LEVELS, {}, {(0, 1): ONE, (0,): Fraction(4)}),
]


def questions(tree: LevelTree, sizes: dict[int, int], tables: Tables) -> tuple[NDArray[np.int64], tuple[Fraction, ...]]:
    """A row of zeros and ones for each cell of each table, over all leaves and values; and its weight."""
    deepest = max(map(tree.depth, tables))
    flat = sorted({place for table in tables for place in tree.flat(table)})
    cells = list(product(range(tree.size(deepest)), *(range(sizes[place]) for place in flat)))
    rows, weights = [], []
    for table, weight in tables.items():
        depth, own = tree.depth(table), tree.flat(table)
        member = tree.summed(np.eye(tree.size(deepest)), deepest, depth)
        for node, *values in product(range(tree.size(depth)), *(range(sizes[place]) for place in own)):
            chosen = dict(zip(own, values, strict=True))
            fits = [all(cell[1 + flat.index(place)] == chosen[place] for place in own) for cell in cells]
            rows.append([int(member[node, cell[0]]) * fit for cell, fit in zip(cells, fits, strict=True)])
            weights.append(weight)
    return np.array(rows, np.int64), tuple(weights)


@pytest.mark.parametrize(("tree", "sizes", "tables"), CASES)
def test_it_is_the_optimum(tree: LevelTree, sizes: dict[int, int], tables: Tables) -> None:
    rows, weights = questions(tree, sizes, tables)
    found = levels_optimum_down(tree, sizes, tables)
    assert found is not None
    bound, least = float(found), least_found(rows * np.sqrt(np.array(weights, float))[:, None], starts=2)
    assert bound <= least * (1 + 1e-9)
    assert least <= bound * 1.002  # the descent comes near: the bound is the optimum, not merely below it
    assert not 1.05 * bound <= least  # one that is 5% too high is caught


@pytest.mark.parametrize("weighting", Weighting)
def test_an_uneven_tree_agrees_with_the_dense_certificate_and_what_is_released_is_near(weighting: Weighting) -> None:
    parents = tuple(region for region in range(9) for _ in range(region * region // 6 + 1))
    tree = LevelTree((0, 1), (tuple(range(9)), tuple(range(len(parents)))), ((0,) * 9, parents))
    tables = {each: weighting.of([tree.size(tree.depth(each))]) for each in ((), (0,), (0, 1))}
    rows, weights = questions(tree, {}, tables)
    dense = float(optimal_strategy(QuestionMatrix.of(rows, weights)).optimum_down)
    found = levels_optimum_down(tree, {}, tables)
    assert found is not None
    assert float(found) == pytest.approx(dense, rel=1e-3)
    strategy = best_strategy(list(tables), [9, len(parents)], weighting, tree=tree)
    law = TableLaw(strategy, strategy.squared_norm, ONE)
    ours = sum(float(weight) * float(law.variances(each).sum()) for each, weight in tables.items())
    assert float(found) <= ours <= 1.02 * float(found)


def test_one_level_is_a_key_as_any_other() -> None:
    tree = LevelTree((0, 1), (tuple(range(4)), tuple(range(9))), ((0,) * 4, (0, 0, 0, 1, 1, 2, 2, 3, 3)))
    tables = {(0, 2): HALF, (0,): ONE, (): Fraction(7)}
    found = levels_optimum_down(tree, {2: 3}, tables)
    plain = tables_optimum_down((4, 1, 3), tables)
    assert found is not None
    assert float(found) == pytest.approx(float(plain), rel=1e-8)
    assert found <= plain


def test_a_wide_tree_has_no_bound() -> None:
    wide = LevelTree((0, 1), (tuple(range(300)), tuple(range(300))), ((0,) * 300, tuple(range(300))))
    assert levels_optimum_down(wide, {}, {(0, 1): ONE, (0,): ONE}) is None
    assert levels_optimum_down(wide, {}, {(0,): ONE, (): ONE}) is not None
