"""Tables by levels and what is known of them: norms, least squares and conditioning, against dense linear algebra."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest
from numpy.typing import NDArray

from tacit.workload.known_cells import blocks
from tacit.workload.noisy_contrasts import NoisyContrasts
from tacit.workload.residual_basis import Attributes, ResidualStrategy, Weighting, best_strategy
from tacit.workload.table_estimates import KnownSum, TableEstimates
from tacit.workload.tree import LevelTree

Floats = NDArray[np.float64]

# keys: region (0), sex (1), ward (2), age (3); regions have 1, 2 and 3 wards
TREE = LevelTree((0, 2), ((0, 1, 2), (0, 1, 2, 3, 4, 5)), ((0, 0, 0), (0, 1, 1, 2, 2, 2)))
SIZES = (3, 2, 6, 3)
CASES: tuple[tuple[Attributes, ...], ...] = (
    ((0, 1, 2, 3), (0, 2), (0,), ()),
    ((0, 1, 2), (0, 3), (1, 3)),
    ((0, 2), (0, 1)),
    ((0, 1, 2), (0, 1), (1,)),
)
CELLS = list(product(range(6), range(2), range(3)))  # ward, sex, age


def margin(whole: NDArray[np.int64], attributes: Attributes) -> NDArray[np.int64]:
    return TREE.margin(whole, (0, 1, 2, 3), attributes)


def table_rows(attributes: Attributes) -> Floats:
    """The cells of a table as rows over the finest cells."""
    ones = np.eye(len(CELLS)).reshape(len(CELLS), 6, 2, 3)
    return np.array([np.ravel(TREE.margin(each, (0, 1, 2, 3), attributes)) for each in ones]).T


def dense(strategy: ResidualStrategy) -> Floats:
    """All that is measured, as rows over the finest cells."""
    ones = np.eye(len(CELLS), dtype=np.int64).reshape(len(CELLS), 6, 2, 3)
    columns = [
        np.concatenate([np.ravel(strategy.measured(margin(one, each), each)) for each in strategy.scales])
        for one in ones
    ]
    return np.array(columns, np.float64).T


def strategy_of(tables: tuple[Attributes, ...]) -> ResidualStrategy:
    return best_strategy(tables, SIZES, Weighting.TABLES, tree=TREE)


def noisy(strategy: ResidualStrategy, measured: Floats) -> tuple[Floats, dict[Attributes, NDArray[np.int64]]]:
    rng = np.random.default_rng(4)
    drawn = (measured @ rng.integers(0, 50, len(CELLS)) + rng.normal(0, 1000, len(measured))).round()
    values, begin = {}, 0
    for residual in strategy.scales:
        shape = strategy.values_shape(residual)
        values[residual] = drawn[begin : begin + prod(shape)].reshape(shape).astype(np.int64)
        begin += prod(shape)
    return drawn, values


@pytest.mark.parametrize("tables", CASES)
def test_no_row_has_a_larger_norm_than_is_priced(tables: tuple[Attributes, ...]) -> None:
    """R18: in an unbalanced tree, in exact integers; and every column is within a fiftieth of the price."""
    strategy = strategy_of(tables)
    norms = [sum(int(value) ** 2 for value in column) for column in dense(strategy).T]
    assert max(norms) <= strategy.squared_norm
    assert min(norms) >= 0.98 * float(strategy.squared_norm)


@pytest.mark.parametrize("tables", CASES)
def test_the_form_is_above_the_norm_of_any_person(tables: tuple[Attributes, ...]) -> None:
    """R18, R22: random persons with several rows, of both signs."""
    strategy, rng = strategy_of(tables), np.random.default_rng(3)
    measured, form = dense(strategy), strategy.form()
    for _ in range(100):
        person = rng.integers(-4, 9, (6, 2, 3)) * rng.integers(0, 2, (6, 1, 1))
        norm = sum(int(value) ** 2 for value in measured @ person.ravel())
        found = sum(
            coefficient * int((np.asarray(margin(person, each)) ** 2).sum()) for each, coefficient in form.items()
        )
        assert norm * 2**14 <= found * strategy.squared_norm


@pytest.mark.parametrize("tables", CASES)
def test_tables_are_least_squares_and_variances_exact(tables: tuple[Attributes, ...]) -> None:
    """Estimates, variances and questions over every table that is asked for and every margin of it."""
    strategy, rng = strategy_of(tables), np.random.default_rng(5)
    measured = dense(strategy)
    drawn, values = noisy(strategy, measured)
    found = NoisyContrasts(strategy, values, Fraction(7), Fraction(1), Fraction(1), "guaranteed")
    inverse = np.linalg.pinv(measured)
    for table in {each for asked in tables for each in strategy.margins(asked)}:
        rows = table_rows(table)
        covariance = 7 * rows @ inverse @ inverse.T @ rows.T
        assert np.allclose(found.table(table).ravel(), rows @ inverse @ drawn, atol=1e-6)
        assert np.allclose(found.variances(table).ravel(), np.diag(covariance), rtol=1e-8)
        questions = rng.integers(0, 2, (4, len(rows))).astype(np.float64)
        answers, variances = found.answers(table, questions)
        assert np.allclose(answers, questions @ rows @ inverse @ drawn, atol=1e-6)
        assert np.allclose(variances, np.diag(questions @ covariance @ questions.T), rtol=1e-8)


@pytest.mark.parametrize("tables", CASES[:2])
def test_known_numbers_condition_the_joint_law(tables: tuple[Attributes, ...]) -> None:
    """A region's total, one that repeats it, a whole total, and zeros: against dense Gaussian conditioning."""
    strategy, rng = strategy_of(tables), np.random.default_rng(6)
    measured = dense(strategy)
    drawn, values = noisy(strategy, measured)
    inverse = np.linalg.pinv(measured)
    finest = tables[0]
    size = prod(strategy.shape(finest))
    wards = np.arange(size).reshape(6, -1)
    known = [
        KnownSum(finest, np.ravel(wards[1:3]), Fraction(300)),
        KnownSum((0,), np.array([1]), Fraction(300)),
        KnownSum((), np.array([0]), Fraction(900)),
        *(KnownSum(finest, np.array([cell]), Fraction(0)) for cell in wards[3, :2]),
    ]
    found = TableEstimates(strategy, values, Fraction(7), Fraction(1), known)
    facts = []
    for each in known:
        cells = table_rows(each.attributes)
        facts.append(cells[each.cells].sum(axis=0))
    a, b = np.array(facts), np.array([float(each.value) for each in known])
    covariance = 7 * inverse @ inverse.T
    gain = covariance @ a.T @ np.linalg.pinv(a @ covariance @ a.T, rcond=1e-10)
    estimate, left = inverse @ drawn, covariance - gain @ a @ covariance
    estimate = estimate - gain @ (a @ estimate - b)
    for table in {*tables, (0,), ()}:
        rows = table_rows(table)
        assert np.allclose(found.table(table).ravel(), rows @ estimate, atol=1e-5)
        assert np.allclose(found.variances(table).ravel(), np.diag(rows @ left @ rows.T), rtol=1e-6, atol=1e-6)
        questions = rng.integers(0, 2, (3, len(rows))).astype(np.float64)
        answers, variances = found.answers(table, questions)
        assert np.allclose(answers, questions @ rows @ estimate, atol=1e-5)
        exact = np.diag(questions @ rows @ left @ rows.T @ questions.T)
        assert np.allclose(variances, exact, rtol=1e-6, atol=1e-6)
    assert np.allclose(found.table((0,))[1], 300)
    assert found.variances((0,))[1] == 0.0 == found.variances(())
    assert not found.variances(finest).ravel()[wards[3, :2]].any()


def test_known_sums_are_sums_of_blocks_without_overlap() -> None:
    """Zeros first; of a larger total, what the smaller ones within it leave; one that only overlaps is left out."""
    known = [
        KnownSum((), np.arange(8), Fraction(100)),
        KnownSum((), np.array([0, 1, 2]), Fraction(30)),
        KnownSum((), np.array([1]), Fraction(0)),
        KnownSum((), np.array([2, 3]), Fraction(7)),
        KnownSum((), np.array([4, 5]), Fraction(40)),
    ]
    found = [(cells.tolist(), int(value)) for cells, value in blocks(known, 8)]
    assert found[0] == ([1], 0)
    assert ([2, 3], 7) in found
    assert ([4, 5], 40) in found
    assert ([0], 30) not in found
    assert found[-1] == ([0, 6, 7], 53)


def test_a_sum_of_no_cells_changes_nothing() -> None:
    """A total of a ward in another region has no cell: what is known beside it holds all the same."""
    strategy = strategy_of(CASES[0])
    _, values = noisy(strategy, dense(strategy))
    total = KnownSum((), np.array([0]), Fraction(2_000))
    empty = KnownSum((0, 2), np.zeros(0, np.int64), Fraction(0))
    alone, both = (
        TableEstimates(strategy, values, Fraction(10**6), Fraction(1), known) for known in ([total], [empty, total])
    )
    assert np.allclose(both.table((0, 2)), alone.table((0, 2)))
    assert np.allclose(both.variances((0, 2)), alone.variances((0, 2)))
    assert float(both.table(())) == pytest.approx(2_000)
    nothing = TableEstimates(strategy, values, Fraction(10**6), Fraction(1), [empty])
    assert np.array_equal(
        nothing.table((0, 2)), TableEstimates(strategy, values, Fraction(10**6), Fraction(1)).table((0, 2))
    )
