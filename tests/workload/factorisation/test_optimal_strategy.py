"""The optimal factorisation: against an independent optimiser, and its two ends against exact arithmetic."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from flint import arb_mat, fmpq_mat, fmpz_mat
from numpy.typing import NDArray
from scipy.optimize import minimize

from tacit.errors import Refused
from tacit.workload.factorisation.fixed_point import best_point
from tacit.workload.factorisation.integer_strategy import IntegerStrategy, rounded_strategy
from tacit.workload.factorisation.optimal_strategy import optimal_strategy, optimum_down
from tacit.workload.factorisation.question_matrix import QuestionMatrix

Integers = NDArray[np.int64]


def prefixes(cells: int) -> Integers:
    return np.tril(np.ones((cells, cells), np.int64))


def histogram(cells: int, width: int) -> Integers:
    return np.array([[int(cell // width == place) for cell in range(cells)] for place in range(-(-cells // width))])


def ranges(cells: int) -> Integers:
    pairs = [(low, high) for low in range(cells) for high in range(low, cells)]
    return np.array([[int(low <= cell <= high) for cell in range(cells)] for low, high in pairs])


def subsets(questions: int, cells: int) -> Integers:
    return (np.random.default_rng(5).random((questions, cells)) < 0.5).astype(np.int64)


WORKLOADS = {
    "running totals": prefixes(6),
    "all ranges": ranges(5),
    "histograms of two widths": np.vstack([histogram(12, 2), histogram(12, 3)]),
    "fewer questions than cells": subsets(3, 5),
    "a question twice": np.vstack([prefixes(4), prefixes(4)[2:3]]),
    "coefficients of both signs": np.array([[1, -1, 0], [0, 2, -3], [1, 1, 1]]),
}


def independent_optimum(questions: QuestionMatrix) -> float:
    """min tr(V (LLᵀ)⁻¹) over triangular L with rows of norm 1, by a general optimiser from several starts."""
    rows, cells = questions.weighted, questions.cells
    below = np.tril_indices(cells)
    random = np.random.default_rng(2)

    def error(numbers: NDArray[np.float64]) -> float:
        factor = np.zeros((cells, cells))
        factor[below] = numbers
        factor /= np.linalg.norm(factor, axis=1)[:, None]  # X = LLᵀ has a diagonal of ones
        gram = factor @ factor.T + 1e-12 * np.eye(cells)
        return float(np.trace(rows @ np.linalg.solve(gram, rows.T)))

    starts = [np.eye(cells)[below] + 0.2 * random.standard_normal(len(below[0])) for _ in range(3)]
    return min(float(minimize(error, start, method="L-BFGS-B", options={"maxiter": 4000}).fun) for start in starts)


@pytest.mark.parametrize("name", WORKLOADS)
def test_both_ends_hold_an_independent_optimum(name: str) -> None:
    questions = QuestionMatrix.of(WORKLOADS[name])
    best, found = optimal_strategy(questions), independent_optimum(questions)
    assert float(best.optimum_down) <= found * (1 + 1e-6)
    assert float(best.strategy.error_up) >= found * (1 - 5e-3)  # where the best X is singular, it is reached slowly
    assert float(best.strategy.error_up) <= found * 1.001
    assert best.ratio_up <= 1.001


def test_weights_are_part_of_what_is_least() -> None:
    """A weight of 9 is the question three times as large; weights that are all alike change nothing."""
    weights = tuple(map(Fraction, [9, 1, 1, 1, 1, 4]))
    weighed = optimal_strategy(QuestionMatrix.of(prefixes(6), weights))
    larger = optimal_strategy(QuestionMatrix.of(prefixes(6) * np.array([[3], [1], [1], [1], [1], [2]])))
    assert float(weighed.optimum_down) == pytest.approx(float(larger.optimum_down), rel=1e-3)
    plain = optimal_strategy(QuestionMatrix.of(prefixes(6)))
    assert weighed.strategy.variances()[0] * weighed.strategy.squared_norm < plain.strategy.variances()[0] * (
        plain.strategy.squared_norm
    )


@pytest.mark.parametrize("name", WORKLOADS)
def test_the_upper_end_is_above_the_exact_error(name: str) -> None:
    """‖C T⁻¹‖² in rationals: the certified number is above it, and near it."""
    strategy = optimal_strategy(QuestionMatrix.of(WORKLOADS[name])).strategy
    inverse = fmpq_mat(fmpz_mat(strategy.transform.tolist())).inv()
    side = len(strategy.transform)
    outer = np.eye(side, dtype=np.int64) if strategy.is_by_question else strategy.questions.rows
    read = fmpq_mat(fmpz_mat(outer.tolist())) * inverse
    entries = [read[row, column] for row in range(read.nrows()) for column in range(read.ncols())]
    exact = sum((Fraction(int(each.p), int(each.q)) ** 2 for each in entries), Fraction(0)) * strategy.squared_norm
    assert exact <= strategy.error_up <= exact * (1 + Fraction(1, 10**6))


@pytest.mark.parametrize("name", ["running totals", "histograms of two widths", "fewer questions than cells"])
def test_the_lower_end_is_below_the_dual_in_ball_arithmetic(name: str) -> None:
    """(Σ singular values of W R)²/Σ r², the singular values by certified eigenvalues."""
    questions = QuestionMatrix.of(WORKLOADS[name])
    _, dual = best_point(questions.weighted)
    root = np.sqrt(dual.diagonal)
    matrix = arb_mat([[float(x) for x in row] for row in questions.values])
    scaled = matrix * arb_mat([[float(x) if i == j else 0 for j in range(len(root))] for i, x in enumerate(root)])
    gram = scaled * scaled.transpose() if len(questions.rows) < len(root) else scaled.transpose() * scaled
    singular = [max(float(each.real.upper()), 0.0) ** 0.5 for each in gram.eig(multiple=True, algorithm="approx")]
    dual_value = sum(singular) ** 2 / float((root**2).sum())
    assert float(optimum_down(questions, dual)) <= dual_value * (1 + 1e-9)
    assert float(optimum_down(questions, dual)) >= dual_value * (1 - 1e-4)


def test_any_point_of_the_dual_gives_a_lower_end() -> None:
    """However badly it was searched: vectors that are no vectors, and a diagonal drawn at random."""
    questions, random = QuestionMatrix.of(prefixes(6)), np.random.default_rng(3)
    found = independent_optimum(questions)
    _, dual = best_point(questions.weighted)
    for _ in range(50):
        diagonal = random.random(6)
        bent = dual.vectors + 0.3 * random.standard_normal(dual.vectors.shape)
        assert optimum_down(questions, replace(dual, diagonal=diagonal, vectors=bent)) <= found


def test_a_lower_end_without_the_norm_of_u_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A polar factor that is taken to have norm 1, and has more."""
    questions = QuestionMatrix.of(prefixes(6))
    _, dual = best_point(questions.weighted)
    bent = replace(dual, vectors=dual.vectors * 1.2)
    assert optimum_down(questions, bent) <= independent_optimum(questions)
    monkeypatch.setattr("tacit.workload.factorisation.floating_bounds.largest_singular_up", lambda _: 1.0)
    assert optimum_down(questions, bent) > independent_optimum(questions)


def test_a_column_norm_is_an_exact_integer() -> None:
    """Entries far beyond what squares of doubles hold."""
    rows = np.array([[2**19, 1], [3, 2**20]])
    strategy = IntegerStrategy(QuestionMatrix.of(rows), np.array([[2**25 + 1, 5], [-7, 2**26 - 1]]))
    exact = [sum(int(x) ** 2 for x in column) for column in strategy.matrix.T]
    assert list(strategy.squared_norms) == exact


def test_what_is_read_of_measured_cells_is_the_answer() -> None:
    """Whatever the rounding: without noise every question is answered exactly, up to doubles."""
    for rows in WORKLOADS.values():
        questions = QuestionMatrix.of(rows)
        primal, _ = best_point(questions.weighted)
        strategy = rounded_strategy(questions, primal, 8)
        cells = np.arange(1, rows.shape[1] + 1) ** 2
        measured = strategy.matrix @ questions.merged(cells)
        assert np.allclose(strategy.readings @ measured, rows @ cells, rtol=1e-9)


def test_what_adds_up_agrees_whatever_the_noise_is() -> None:
    """Two histograms, one by a second key: fewer questions than cells, and pairs of the first are sums of the second.

    Both say the same of each pair, and the error stays below the certified one.
    """
    age, region = np.arange(12).repeat(4), np.tile(np.arange(4), 12)
    narrow = [age == each for each in range(12)]
    rows = np.array([*narrow, *((age // 2 == each) & (region == other) for each in range(6) for other in range(4))])
    weights = tuple(map(Fraction, [4, *[1] * 35]))
    strategy = optimal_strategy(QuestionMatrix.of(rows.astype(np.int64), weights)).strategy
    assert strategy.is_by_question
    pairs, fours = strategy.readings[:12].reshape(6, 2, -1), strategy.readings[12:].reshape(6, 4, -1)
    apart = pairs.sum(axis=1) - fours.sum(axis=1)
    assert np.abs(apart).max() < 1e-9 * np.abs(strategy.readings).max()
    weighed = strategy.variances() @ [float(each) for each in weights] * strategy.squared_norm
    assert weighed <= float(strategy.error_up)


def test_cells_that_no_question_tells_apart_are_one() -> None:
    rows = np.array([[0, 1, 1, 0, 1, 0], [0, 0, 0, 2, 0, 0]])
    questions = QuestionMatrix.of(rows)
    assert questions.places.tolist() == [-1, 0, 0, 1, 0, -1]
    assert questions.merged(np.array([7, 1, 2, 3, 4, 9])).tolist() == [7, 3]


@pytest.mark.parametrize("rows", [np.zeros((2, 3), np.int64), np.full((1, 2), 2**21)])
def test_what_cannot_be_measured_is_refused(rows: Integers) -> None:
    with pytest.raises(Refused):
        QuestionMatrix.of(rows)
