"""Implied questions are decided in whole numbers: a question that is only nearly a combination is not implied."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.workload.linear.implied_counts import exact_combinations

CELLS = 56


def nearly_everything() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Questions of 0 and 1 that span all but one direction, and that direction, whose entries grow to 10⁹.

    Each question is of two or three cells and is at a right angle to it: |v_k| = |v_(k−1)| + |v_(k−3)|.
    """
    direction, rows = [1, -1, -1, 2], [(0, 1), (0, 2), (1, 2, 3)]
    for cell in range(4, CELLS):
        before = (cell - 1, cell - 4) if cell == 4 else (cell - 1, cell - 3)
        direction.append(-sum(direction[each] for each in before))
        rows.append((*before, cell))
    basis = np.zeros((len(rows), CELLS), np.int64)
    for place, cells in enumerate(rows):
        basis[place, list(cells)] = 1
    return basis, np.array(direction)


def test_a_question_that_is_nearly_a_combination_is_none() -> None:
    """Doubles see no difference at 10⁻⁷, although one cell may be moved by 1 while every question stays."""
    basis, direction = nearly_everything()
    assert not (basis @ direction).any()
    first = np.eye(1, CELLS, dtype=np.int64)
    assert (first @ direction).tolist() == [1]
    solved = np.linalg.lstsq(basis.T.astype(np.float64), first.T.astype(np.float64), rcond=1e-10)[0].T
    assert float(np.abs(solved @ basis - first).max()) < 1e-7
    assert exact_combinations(basis, first) is None


def test_combinations_are_found_exactly() -> None:
    """Sums, differences and halves: pairs of three cells say each cell."""
    pairs = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [1, 0, 1, 0]])
    asked = np.array([[1, 0, 0, 0], [1, 1, 1, 0], [0, 0, 0, 0], [2, 1, 1, 0]])
    found = exact_combinations(pairs, asked)
    assert found is not None
    assert np.array_equal(found @ pairs, asked)
    assert exact_combinations(pairs, np.array([[0, 0, 0, 1]])) is None


def test_questions_that_depend_on_each_other_imply_what_they_span() -> None:
    """Histograms of two widths, one of them by a second key, and some ranges: they give the total in many ways."""
    age, region = np.arange(20).repeat(5), np.tile(np.arange(5), 20)
    narrow = [age == each for each in range(20)]
    wide = [(age // 7 == each) & (region == other) for each in range(3) for other in range(5)]
    ranges = [(age >= 4) & (age < 9) & (region == 1), region == 4, *((age < 6) & (region == k) for k in range(5))]
    basis = np.array([*narrow, *wide, *ranges, *((age >= 13) & (region == k) for k in range(5))], np.int64)
    assert np.linalg.matrix_rank(basis) < len(basis) < basis.shape[1]
    asked = np.array([np.ones(100), *(age // 7 == each for each in range(3)), (age >= 6) & (age < 13)], np.int64)
    found = exact_combinations(basis, asked)
    assert found is not None
    assert np.allclose(found @ basis, asked)
    assert exact_combinations(basis, np.array([(age == 3) & (region == 2)], np.int64)) is None


def test_random_questions_are_combinations_where_their_rank_says_so() -> None:
    random = np.random.default_rng(7)
    seen = set()
    for _ in range(200):
        basis = random.integers(0, 2, (4, 6))
        made = random.random() < 0.5
        asked = random.integers(-2, 3, (1, 4)) @ basis if made else random.integers(0, 2, (1, 6))
        ranks = [np.linalg.matrix_rank(each) for each in (basis, np.vstack([basis, asked]))]
        found = exact_combinations(basis, asked)
        assert (found is not None) == (ranks[0] == ranks[1])
        seen.add((made, found is not None))
    assert seen >= {(True, True), (False, False)}
