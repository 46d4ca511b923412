"""What one person moves the whole sums of descent by: never more than noise is made for, in any order of rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.learn.convex.minimising import Rows, matrix, random_people

from tacit.learn.coded_rows import RESIDUAL
from tacit.learn.convex.gradient_steps import PARTS, GradientSums
from tacit.learn.convex.losses import LossKind
from tacit.learn.convex.row_matrix import RowMatrix

LEVELS = (1, 3, 2)
CASES = [
    (LossKind.LOGISTIC, 2, RESIDUAL // 2, 1),
    (LossKind.LOGISTIC, 2, RESIDUAL, 7),
    (LossKind.HINGE, 2, RESIDUAL, 1),
    (LossKind.SOFTMAX, 3, RESIDUAL, 1),
    (LossKind.SOFTMAX, 4, RESIDUAL // 2, 5),
]


def scores_of(sums: GradientSums, rng: np.random.Generator) -> np.ndarray:
    size = int(rng.choice([1, 2**17, 2**40]))
    return rng.integers(-size, size + 1, (sum(LEVELS), sums.loss.scores(sums.classes)))


def moved(sums: GradientSums, claimed: GradientSums, seeds: range) -> float:
    """The largest squared norm by which one person moves weights or residuals, as a part of what is claimed."""
    most = 0.0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        others, (one, *_) = (random_people(rng, LEVELS, sums.classes) for _ in range(2))
        with_one, without = matrix([*others, one], LEVELS), matrix(others, LEVELS)
        scores = scores_of(sums, rng)
        weights = sums.level_weights(with_one) - sums.level_weights(without)
        residuals = sums.level_residuals(with_one, scores) - sums.level_residuals(without, scores)
        norm = claimed.most**2 * len(LEVELS)
        most = max(most, int((weights**2).sum()) / norm)
        most = max(most, int((residuals**2).sum()) / (norm * claimed.residual_squared))
    return most


@pytest.mark.parametrize(("loss", "classes", "clip", "rows_each"), CASES)
def test_one_person_moves_sums_within_the_norm(loss: LossKind, classes: int, clip: int, rows_each: int) -> None:
    sums = GradientSums(loss, classes, clip, rows_each)
    assert 0.5 < moved(sums, sums, range(25)) <= 1


def test_twins_are_caught() -> None:
    """Noise for half the clip; for one row of a person whose seven count; for softmax's shorter norm of two classes."""
    logistic = GradientSums(LossKind.LOGISTIC, 2, RESIDUAL, 1)
    assert moved(logistic, replace(logistic, clip=RESIDUAL // 2), range(25)) > 1
    assert moved(replace(logistic, rows_each=7), logistic, range(25)) > 1
    softmax = GradientSums(LossKind.SOFTMAX, 3, RESIDUAL, 1)
    assert moved(softmax, replace(logistic, loss=LossKind.HINGE, classes=3), range(25)) > 1


@pytest.mark.parametrize(("loss", "classes", "clip", "rows_each"), CASES)
def test_longest_residuals_are_within_the_norm(loss: LossKind, classes: int, clip: int, rows_each: int) -> None:
    """Every class of a row at scores that are far apart, equal, or a step apart."""
    sums = GradientSums(loss, classes, clip, rows_each)
    rng = np.random.default_rng(2)
    rows = matrix([[((0, 0, 0), place % classes)] for place in range(60)], LEVELS)
    longest = 0
    for _ in range(60):
        residuals = sums.residuals(rows, scores_of(sums, rng))
        longest = max(longest, int((residuals**2).sum(axis=1).max()))
    assert 0.9 * min(sums.residual_squared, 2 * clip**2) < longest <= sums.residual_squared


def test_order_of_rows_changes_no_bit() -> None:
    rng = np.random.default_rng(3)
    people: list[Rows] = [own for seed in range(5) for own in random_people(np.random.default_rng(seed), LEVELS, 3)]
    rows = matrix(people, LEVELS)
    sums = GradientSums(LossKind.SOFTMAX, 3, RESIDUAL, 1)
    scores = scores_of(sums, rng)
    mixed = rng.permutation(rows.rows)
    order = mixed[np.argsort(rows.people[mixed], kind="stable")]
    other = RowMatrix(rows.people[order], rows.codes[order], rows.target[order], rows.levels)
    assert (sums.level_residuals(rows, scores) == sums.level_residuals(other, scores)).all()
    assert PARTS * len(people) >= sums.level_weights(rows)[0]


def test_residuals_pull_to_the_class() -> None:
    """Against plain arithmetic, within a step of the table."""
    rows = matrix([[((0, 0, 0), 1)], [((0, 1, 0), 0)]], LEVELS)
    scores = np.array([[20_000], [30_000], [-50_000], [0], [7], [0]])
    totals = (scores[0] + np.array([30_007, -49_993])) / 2**16
    logistic = GradientSums(LossKind.LOGISTIC, 2, RESIDUAL, 1).residuals(rows, scores)[:, 0]
    expected = (np.array([1, 0]) - 1 / (1 + np.exp(-totals))) * RESIDUAL
    assert np.abs(logistic - expected).max() < 1
    hinge = GradientSums(LossKind.HINGE, 2, RESIDUAL, 1).residuals(rows, scores)[:, 0]
    assert np.abs(hinge + LossKind.HINGE.gradients(totals[:, None], rows.target)[:, 0] * RESIDUAL).max() < 2
