"""opt(W) of tables: compared with a direct minimisation over strategies that does not use residuals."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from tacit.errors import Refused
from tacit.workload.optimality.tables_optimum import residual_optimum_down, tables_optimum_down

Matrix = NDArray[np.float64]
ONE = Fraction(1)
_PATIENT = {"maxiter": 3000, "ftol": 1e-13, "gtol": 1e-9}
CASES = [
    ((2, 3), {(0,): ONE, (1,): ONE}),
    ((2, 3), {(0, 1): ONE, (0,): ONE, (): ONE}),
    ((2, 2, 2), dict.fromkeys(combinations(range(3), 2), ONE)),
    ((3, 2, 2), {(0, 1): Fraction(1, 6), (2,): Fraction(1, 2), (): Fraction(3)}),
    ((1, 4), {(0, 1): ONE, (0,): Fraction(2)}),
]


def workload(sizes: tuple[int, ...], weights: dict[tuple[int, ...], Fraction]) -> Matrix:
    """The weighted tables as plain rows of zeros and ones over all cells."""
    cells = list(product(*(range(size) for size in sizes)))
    rows = []
    for table, weight in weights.items():
        for values in product(*(range(sizes[i]) for i in table)):
            hits = [all(cell[i] == value for i, value in zip(table, values, strict=True)) for cell in cells]
            rows.append(float(weight) ** 0.5 * np.array(hits, float))
    return np.array(rows)


def least_found(questions: Matrix, starts: int = 3) -> float:
    """The least tr(W X⁻¹ Wᵀ) that a descent over strategies with columns of norm 1 finds."""
    gram, cells = questions.T @ questions, questions.shape[1]
    random = np.random.default_rng(7)

    def error(flat: Matrix) -> tuple[float, Matrix]:
        raw = flat.reshape(cells, cells)
        norms = np.linalg.norm(raw, axis=0)
        strategy = raw / norms
        inverse = np.linalg.inv(strategy.T @ strategy + 1e-12 * np.eye(cells))
        slope = -2 * strategy @ inverse @ gram @ inverse
        slope = (slope - strategy * (strategy * slope).sum(axis=0)) / norms
        return float(np.trace(gram @ inverse)), slope.ravel()

    begun = [random.normal(size=cells * cells) for _ in range(starts)]
    found = [minimize(error, start, jac=True, method="L-BFGS-B", options=_PATIENT).fun for start in begun]
    return float(min(found))


@pytest.mark.parametrize(("sizes", "weights"), CASES)
def test_the_closed_form_is_the_optimum(sizes: tuple[int, ...], weights: dict[tuple[int, ...], Fraction]) -> None:
    bound, found = float(tables_optimum_down(sizes, weights)), least_found(workload(sizes, weights))
    assert bound <= found * (1 + 1e-9)
    assert found <= bound * 1.002  # the descent comes near: the bound is the optimum, not merely below it
    assert not 1.05 * bound <= found  # one that is 5% too high is caught


def least_replaced(questions: Matrix) -> float:
    """The same where one person leaves a cell for another: the least of strategies with differences of norm 1."""
    gram, cells = questions.T @ questions, questions.shape[1]
    moved = np.array([np.eye(cells)[i] - np.eye(cells)[j] for i, j in combinations(range(cells), 2)])

    def error(flat: Matrix, power: float) -> float:
        root = flat.reshape(cells, cells)
        norms = ((moved @ root) ** 2).sum(axis=1)
        top = norms.max()
        worst = float(top * ((norms / top) ** power).sum() ** (1 / power))
        return worst * float(np.trace(gram @ np.linalg.inv(root @ root.T + 1e-10 * np.eye(cells))))

    at = np.random.default_rng(3).normal(scale=0.2, size=cells * cells) + np.eye(cells).ravel()
    for power in (8.0, 64.0, 512.0):
        at = minimize(error, at, args=(power,), method="L-BFGS-B", options={"maxiter": 300}).x
    return error(at, np.inf)


@pytest.mark.parametrize(
    ("sizes", "weights"),
    [((3,), {(0,): ONE}), ((2, 2), {(0,): ONE, (1,): ONE, (): ONE}), ((2, 3), {(0, 1): ONE, (1,): Fraction(2)})],
)
def test_under_replace_nothing_is_below_it(sizes: tuple[int, ...], weights: dict[tuple[int, ...], Fraction]) -> None:
    bound = float(tables_optimum_down(sizes, weights, is_replaced=True))
    found = least_replaced(workload(sizes, weights))
    assert bound <= found * (1 + 1e-4)
    assert not 1.1 * bound <= found  # a bound that is a tenth too high is caught


def test_under_replace_a_total_has_no_bound() -> None:
    assert tables_optimum_down((3, 2), {(): ONE}, is_replaced=True) == 0
    assert tables_optimum_down((1,), {(0,): ONE}, is_replaced=True) == 0
    assert abs(tables_optimum_down((9, 4), {(1,): ONE}, is_replaced=True) - 6) < Fraction(1, 10**15)  # 2·(4 − 1)


def test_one_table_of_disjoint_cells_needs_no_strategy() -> None:
    assert abs(tables_optimum_down((5,), {(0,): ONE}) - 5) < Fraction(1, 10**15)
    assert abs(tables_optimum_down((), {(): ONE}) - 1) < Fraction(1, 10**15)


def test_it_is_rounded_down() -> None:
    assert residual_optimum_down([Fraction(2), Fraction(3)], [ONE, ONE]) ** 2 < 5**2 * 4  # (√2 + √3)² < 10
    assert residual_optimum_down([Fraction(4), Fraction(9)], [ONE, ONE]) <= 25


@pytest.mark.parametrize("pairs", [([], []), ([Fraction(-1)], [ONE]), ([Fraction(0)], [ONE])])
def test_residuals_that_bound_nothing_are_refused(pairs: tuple[list[Fraction], list[Fraction]]) -> None:
    with pytest.raises(Refused):
        residual_optimum_down(*pairs)


def test_a_negative_weight_is_refused() -> None:
    with pytest.raises(Refused, match="weight"):
        tables_optimum_down((2,), {(0,): Fraction(-1)})
