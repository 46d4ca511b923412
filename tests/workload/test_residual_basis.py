"""The residual basis: exact norms, the least variance, and what is read back from contrasts."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import prod

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from tacit.workload.helmert import contrasts, float_contrasts, spread_back, spread_squares, squared_norms
from tacit.workload.noisy_contrasts import NoisyContrasts, NoisyTables
from tacit.workload.residual_basis import (
    Attributes,
    ResidualStrategy,
    Weighting,
    best_strategy,
    closure,
    is_fine,
    objective,
    subsets,
)
from tacit.workload.table_bound import objective_variance

SIZES = (3, 4, 2)
CASES: tuple[tuple[Attributes, ...], ...] = (
    ((0, 1, 2), (0, 1), (0,), ()),
    ((0, 1), (1, 2), (0, 2)),
    ((0,), (1,), (2,)),
    ((1, 2),),
    ((),),
)


def strategy_of(tables: tuple[Attributes, ...], weighting: Weighting = Weighting.TABLES) -> ResidualStrategy:
    return best_strategy(tables, SIZES, weighting)


def dense(strategy: ResidualStrategy) -> NDArray[np.float64]:
    """All measured contrasts as rows over the joint domain."""
    cells = list(product(*map(range, strategy.sizes)))
    columns = []
    for cell in cells:
        one = np.zeros(strategy.sizes, np.int64)
        one[cell] = 1
        parts = []
        for residual in strategy.scales:
            margin = one.sum(axis=tuple(axis for axis in range(len(strategy.sizes)) if axis not in residual))
            parts.append(np.ravel(contrasts(margin) * strategy.multipliers(residual)))
        columns.append(np.concatenate(parts))
    return np.array(columns, np.float64).T


def margin_rows(sizes: tuple[int, ...], table: Attributes) -> NDArray[np.float64]:
    """The table as rows over the joint domain."""
    cells = np.array(list(product(*map(range, sizes))))
    wanted = list(product(*(range(sizes[place]) for place in table)))
    return np.array([np.all(cells[:, list(table)] == value, axis=1) for value in wanted], np.float64)


def test_contrasts_are_orthogonal_and_whole() -> None:
    """Kronecker products of rows 1 … 1 −k 0 … 0, whose squared norms are k·(k + 1)."""
    rows = np.array([np.ravel(contrasts(each.reshape(3, 4))) for each in np.eye(12, dtype=np.int64)]).T
    gram = rows @ rows.T
    assert np.array_equal(gram, np.diag(np.ravel(squared_norms((3, 4)))))
    assert not rows.reshape(-1, 3, 4).sum(axis=1).any()


def test_spreading_back_is_the_transpose() -> None:
    rows = np.array([np.ravel(contrasts(each.reshape(3, 4))) for each in np.eye(12, dtype=np.int64)]).T
    weights = np.random.default_rng(1).normal(size=(2, 3))
    assert np.allclose(spread_back(weights).ravel(), weights.ravel() @ rows)
    assert np.allclose(spread_squares(weights).ravel(), weights.ravel() @ rows**2)
    table = np.random.default_rng(2).normal(size=(3, 4))
    assert np.allclose(float_contrasts(table).ravel(), rows @ table.ravel())


@pytest.mark.parametrize("tables", CASES)
def test_no_row_has_a_larger_norm_than_is_priced(tables: tuple[Attributes, ...]) -> None:
    """R18: every column of the strategy, in exact integers."""
    strategy = strategy_of(tables)
    for column in dense(strategy).T:
        assert sum(int(value) ** 2 for value in column) <= strategy.squared_norm


@pytest.mark.parametrize("tables", CASES)
def test_the_form_is_above_the_norm_of_any_person(tables: tuple[Attributes, ...]) -> None:
    """R18, R22: random persons with several rows, of both signs: an exact inequality of integers."""
    strategy, rng = strategy_of(tables), np.random.default_rng(3)
    measured, form = dense(strategy), strategy.form()
    for _ in range(200):
        person = rng.integers(-4, 9, SIZES)
        norm = sum(int(value) ** 2 for value in measured @ person.ravel())
        found = 0
        for margin, coefficient in form.items():
            axes = tuple(axis for axis in range(3) if axis not in margin)
            found += coefficient * int((np.asarray(person.sum(axis=axes)) ** 2).sum())
        assert norm * 2**14 <= found * strategy.squared_norm
    assert 1 <= strategy.form_excess() <= 1 + Fraction(len(form), 2**14)


def test_a_form_that_is_rounded_down_is_caught() -> None:
    strategy = strategy_of(CASES[0])
    exact = strategy.squared_norm
    broken = Fraction(sum(value - 1 for value in strategy.form().values()), 2**14) * exact
    assert broken < exact


@pytest.mark.parametrize("weighting", Weighting)
@pytest.mark.parametrize("tables", CASES[:3])
def test_the_closed_form_is_the_least_over_scales(tables: tuple[Attributes, ...], weighting: Weighting) -> None:
    """Against a numerical optimiser over all scales at one price: within a thousandth, and never below."""
    pairs = objective(tables, SIZES, weighting)
    v, p = (np.array([float(pair[place]) for pair in pairs.values()]) for place in (0, 1))
    least = np.sqrt(v * p).sum() ** 2

    def variance(logs: NDArray[np.float64]) -> float:
        scales = np.exp(logs)
        return float((v * scales).sum() * (p / scales).sum())

    found = minimize(variance, np.zeros(len(v)), method="BFGS")
    assert least <= found.fun * (1 + 1e-9)
    assert found.fun <= least * (1 + 1e-3)
    rounded = strategy_of(tables, weighting)
    variance_of_one = objective_variance(rounded, weighting, Fraction(1))
    assert least <= variance_of_one * float(rounded.squared_norm) <= 1.02 * least


@pytest.mark.parametrize("tables", CASES)
def test_tables_are_least_squares_and_variances_exact(tables: tuple[Attributes, ...]) -> None:
    """Against dense generalised least squares: estimates, and the whole covariance of a table and of its sums."""
    strategy, rng = strategy_of(tables), np.random.default_rng(4)
    measured = dense(strategy)
    people = rng.integers(0, 50, SIZES)
    noise = rng.normal(0, 1000, len(measured)).round()
    noisy, values, begin = measured @ people.ravel() + noise, {}, 0
    for residual in strategy.scales:
        shape = tuple(size - 1 for size in strategy.shape(residual))
        values[residual] = noisy[begin : begin + prod(shape)].reshape(shape).astype(np.int64)
        begin += prod(shape)
    contrasts_of = NoisyContrasts(strategy, values, Fraction(7), Fraction(1), Fraction(1), "guaranteed")
    inverse = np.linalg.pinv(measured)
    for table in tables:
        rows = margin_rows(SIZES, table)
        assert np.allclose(contrasts_of.table(table).ravel(), rows @ inverse @ noisy, atol=1e-6)
        covariance = 7 * rows @ inverse @ inverse.T @ rows.T
        assert np.allclose(contrasts_of.variances(table).ravel(), np.diag(covariance), rtol=1e-9)
        questions = rng.integers(0, 2, (5, len(rows))).astype(np.float64)
        answers, variances = contrasts_of.answers(table, questions)
        assert np.allclose(answers, questions @ rows @ inverse @ noisy, atol=1e-6)
        assert np.allclose(variances, np.diag(questions @ covariance @ questions.T), rtol=1e-9)
        ignored = questions**2 @ np.diag(covariance)
        is_joint = len(tables) > 1 and len(rows) > 3  # of one table alone the cells are independent
        assert not is_joint or not np.allclose(variances, ignored, rtol=0.02)


def test_margins_of_different_tables_agree() -> None:
    strategy, rng = strategy_of(((0, 1), (1, 2), (0, 2))), np.random.default_rng(5)
    values = {B: rng.integers(-(10**6), 10**6, [size - 1 for size in strategy.shape(B)]) for B in strategy.scales}
    found = NoisyContrasts(strategy, values, Fraction(7), Fraction(1), Fraction(1), "guaranteed")
    assert np.allclose(found.table((0, 1)).sum(axis=0), found.table((1, 2)).sum(axis=1))
    assert np.allclose(found.table((0, 1)).sum(), found.table((0, 2)).sum())


def test_stored_octets_are_read_as_they_were_written() -> None:
    strategy, rng = strategy_of(CASES[1]), np.random.default_rng(6)
    values = {B: rng.integers(-(2**40), 2**40, [size - 1 for size in strategy.shape(B)]) for B in strategy.scales}
    masses = (*tuple(float(each) for each in range(40)), float("inf"))
    kept = NoisyContrasts(strategy, values, Fraction(9, 2), Fraction(3, 7), Fraction(5, 2), "usual", masses, 12.5)
    domains = (("a", "b", None), (1, 2, 3, None), (True, False))
    tables = NoisyTables(domains, {"one": kept}, Fraction(1, 3))
    again = NoisyTables.from_bytes(tables.to_bytes())
    assert again.domains == domains
    assert again.strength == Fraction(1, 3)
    assert again.measures["one"].strategy == strategy
    assert again.measures["one"].masses == masses
    assert all(np.array_equal(again.measures["one"].values[B], values[B]) for B in values)
    assert again.to_bytes() == tables.to_bytes()


def test_an_attribute_of_one_value_has_no_contrasts() -> None:
    strategy = best_strategy(((0, 1), (0,)), (1, 3), Weighting.TABLES)
    assert set(strategy.scales) == {(), (1,)}
    assert is_fine(strategy, 20)


@pytest.mark.parametrize("sizes", [(700, 700), (2, 500_000), (90, 90, 60)])
def test_every_contrast_is_measured_at_the_fewest_bits(sizes: tuple[int, ...]) -> None:
    """A multiplier of 0 would be divided by once the tables are paid for."""
    whole = tuple(range(len(sizes)))
    strategy = best_strategy((whole, (0,), ()), sizes, Weighting.CELLS, 20)
    assert min(int(strategy.multipliers(each).min()) for each in strategy.scales) >= 1


def test_the_closure_has_every_margin_once() -> None:
    assert closure(((0, 2), (1,))) == ((), (0,), (1,), (2,), (0, 2))
    assert subsets((1, 4)) == [(), (1,), (4,), (1, 4)]
    tables = tuple(each for size in range(4) for each in combinations(range(15), size))
    assert len(closure(tables)) == len(tables) == 576
