"""Columns as numbers: what one person adds is never longer than noise is made for, whatever their rows hold."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import mpmath
import numpy as np
import pytest
from tests.learn.convex.minimising import distance, exact_gradient, matrix, minimum, numbered, random_people
from tests.learn.convex.test_row_matrix import matrix_of, training_of
from tests.learn.patients import visits_of

from tacit.errors import Refused
from tacit.learn.coded_rows import RESIDUAL, SCORE
from tacit.learn.convex.design import by_person, by_row
from tacit.learn.convex.gradient_steps import DescentSizes, GradientSums, descended
from tacit.learn.convex.losses import LossKind
from tacit.learn.convex.newton import TOLERANCE, RidgeObjective, certified_minimum
from tacit.learn.convex.number_rows import column_sums, row_products, shortened
from tacit.learn.convex.output_perturbation import OutputNoise
from tacit.learn.convex.row_matrix import RowMatrix, RowReading
from tacit.learn.number_columns import NUMBER_STEPS, NumberColumn, listed_numbers
from tacit.loss.families.loss import Relation

LEVELS = (1, 3, 2)
COLUMNS, LONGEST = 5, NUMBER_STEPS**2 * 3 // 2
KINDS = [(LossKind.LOGISTIC, 2), (LossKind.SOFTMAX, 3), (LossKind.HINGE, 2)]
SQL = "SELECT urgent, ward, age, cost, cost - 500 AS balance FROM visits"
NUMBERS = "age, *a*nce, cost"


def test_rows_are_cut_to_a_length_in_whole_numbers() -> None:
    """Also rows that a factor makes exactly as long as they may be; shorter ones stay, and directions too."""
    rng = np.random.default_rng(1)
    for columns in (1, 3, 1_024):
        rows = rng.integers(-NUMBER_STEPS, NUMBER_STEPS + 1, (4_200, columns)).astype(np.int16)
        rows[:9], rows[9:99] = -NUMBER_STEPS, 0
        for longest in (0, 1, 7, NUMBER_STEPS**2, columns * NUMBER_STEPS**2 // 3, columns * NUMBER_STEPS**2):
            cut = shortened(rows, longest).astype(np.int64)
            squares, before = (cut**2).sum(axis=1), (rows.astype(np.int64) ** 2).sum(axis=1)
            assert squares.max() <= longest
            assert (cut[before <= longest] == rows[before <= longest]).all()
            assert np.sqrt(squares[:9]).min() > np.sqrt(min(longest, before[0])) - 2 * np.sqrt(columns)
            assert (cut * rows >= 0).all()
            assert (shortened(rows[17:18], longest) == cut[17]).all()


def test_products_are_exact() -> None:
    """Against whole numbers of any size, at the largest that are allowed."""
    rng = np.random.default_rng(2)
    rows = np.full((5_000, 1_024), NUMBER_STEPS, np.int16)
    rows[1::2] = rng.integers(-NUMBER_STEPS, NUMBER_STEPS + 1, (2_500, 1_024))
    weights, values = np.full((1_024, 2), 2**30 - 1), np.full((5_000, 2), 2**28 - 1)
    weights[:, 1] = rng.integers(-(2**30), 2**30, 1_024)
    values[:, 1] = rng.integers(-(2**28), 2**28, 5_000)
    assert (row_products(rows, weights) == rows.astype(np.int64) @ weights).all()
    assert (column_sums(rows, values) == rows.T.astype(np.int64) @ values).all()


def moved(sums: GradientSums, seeds: range, *, is_cut: bool = True) -> float:
    """The largest squared norm by which one person moves residuals, as a part of what is claimed."""
    most = 0.0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        others, (one, *_) = (random_people(rng, LEVELS, sums.classes) for _ in range(2))
        one = one[:1] * int(rng.choice([1, 1_000])) if seed % 2 else one
        worlds = [numbered(matrix(people, LEVELS), COLUMNS, seed) for people in ([*others, one], others)]
        worlds = [rows.within(LONGEST) for rows in worlds] if is_cut else worlds
        size = int(rng.choice([2**17, 2**22]))
        scores = rng.integers(-size, size + 1, (sum(LEVELS) + COLUMNS, sums.loss.scores(sums.classes)))
        with_one, without = (sums.level_residuals(rows, scores) for rows in worlds)
        norm = sums.most**2 * (len(LEVELS) * NUMBER_STEPS**2 + LONGEST) * sums.residual_squared
        most = max(most, float(sum(int(each) ** 2 for each in (with_one - without).ravel())) / norm)
    return most


@pytest.mark.parametrize("rows_each", [1, 7])
@pytest.mark.parametrize(("loss", "classes"), KINDS)
def test_one_person_moves_sums_within_the_norm(loss: LossKind, classes: int, rows_each: int) -> None:
    """People with one row, or thousands that are the same. A twin whose rows are not cut is caught."""
    sums = GradientSums(loss, classes, RESIDUAL, rows_each)
    assert 0.5 < moved(sums, range(25)) <= 1
    assert moved(sums, range(25), is_cut=False) > 1


@pytest.mark.parametrize(("loss", "classes"), KINDS)
@pytest.mark.parametrize("relation", [Relation.ADD_REMOVE, Relation.REPLACE])
def test_one_person_moves_the_minimiser_within_the_claim(loss: LossKind, classes: int, relation: Relation) -> None:
    most = 0.0
    for seed in range(2):
        rng = np.random.default_rng(seed)
        others, one, instead = (random_people(rng, LEVELS, classes) for _ in range(3))
        second = [*others, instead[0]] if relation is Relation.REPLACE else others
        worlds = [numbered(matrix(people, LEVELS), COLUMNS, seed) for people in ([*others, one[0]], second)]
        found = [minimum(by_row(rows.within(LONGEST), 1), loss, 1.0, classes) for rows in worlds]
        most = max(most, distance(*found) / float(OutputNoise(1.0, loss.steepest_squared, 1, relation).sensitivity))
    assert 0.001 < most <= 1


def test_rows_that_are_not_cut_are_caught() -> None:
    """A twin: one row twice as long as the examples are divided by moves the minimiser twice as far."""
    whole = numbered(matrix([[((0, 0, 0), 1)]], LEVELS), 100, 3)
    sensitivity = float(OutputNoise(64.0, 1, 1, Relation.ADD_REMOVE).sensitivity)
    for rows, is_within in ((whole.within(LONGEST), True), (replace(whole, longest=LONGEST), False)):
        far = distance(minimum(by_row(rows, 1), LossKind.HINGE, 64.0), np.zeros((106, 1)))
        assert (far <= sensitivity) == is_within


@pytest.mark.parametrize(("loss", "classes"), KINDS)
def test_the_certificate_is_true_to_sixty_digits(loss: LossKind, classes: int) -> None:
    """Near the minimum and far from it, for rows and for people with several."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        people = [own[:3] for own in random_people(rng, LEVELS, classes)]
        rows = numbered(matrix(people, LEVELS), 3, seed).within(LONGEST)
        for design in [by_row(rows, 1), *([by_person(rows, 2)] if loss.is_monotone else [])]:
            objective = RidgeObjective(design, loss, 0.0625, rng.normal(0, 3, (design.width, loss.scores(classes))))
            least = certified_minimum(objective)
            for steps in (least, *(rng.integers(-(2**size), 2**size, least.shape) for size in (40, 46, 55))):
                computed, error = objective.gradient(steps)
                exact = exact_gradient(objective, steps)
                with mpmath.workdps(60):
                    pairs = zip(computed.ravel(), exact, strict=True)
                    assert mpmath.norm([mpmath.mpf(float(one)) - other for one, other in pairs]) <= error
                assert steps is not least or mpmath.norm(exact) <= TOLERANCE


def test_examples_are_within_the_unit_ball() -> None:
    for seed in range(10):
        people = random_people(np.random.default_rng(seed), LEVELS, 2)
        rows = numbered(matrix(people, LEVELS), COLUMNS, seed)
        cut = rows.within(LONGEST)
        for design in (by_person(cut, 2), by_row(cut, 1)):
            assert np.linalg.norm(design.matrix, axis=1).max() <= 1 + 1e-12
    assert np.linalg.norm(by_row(replace(rows, longest=LONGEST), 1).matrix, axis=1).max() > 1  # a twin that is not cut


def test_numbers_are_read_as_python_reads_them(tmp_path: Path) -> None:
    """NULL, infinities, NaN and values beyond their bounds: within −1 and 1, and NULL in the middle."""
    training = training_of(tmp_path, SQL, "urgent", numbers=NUMBERS)
    assert [column.name for column in training.numbers] == ["age", "cost", "balance"]
    assert [feature.name for feature in training.features] == ["", "ward"]
    rng = np.random.default_rng(4)
    visits = [visit for patient in range(30) for visit in visits_of(patient, rng)]
    visits += [(99, "a", age, cost, True) for age in (None, 99, -5) for cost in (None, np.inf, -np.inf, 1e308, 250.0)]
    found = matrix_of(RowReading(training), visits)
    assert found.numbers is not None
    known = [visit for visit in visits if visit[4] is not None]
    ages, costs = [visit[2] for visit in known], [visit[3] for visit in known]
    balances = [None if cost is None else cost - 500 for cost in costs]
    expected = listed_numbers(training.numbers, {"age": ages, "cost": costs, "balance": balances})
    assert sorted(map(tuple, found.numbers.tolist())) == sorted(map(tuple, expected.tolist()))
    assert found.numbers[:, :2].min() == 0
    assert np.abs(found.numbers).max() == NUMBER_STEPS
    middle = NumberColumn("x", "x", 0, 10), NumberColumn("x", "x", -4, 10)
    assert [column.numbers([None, np.nan, 10, 99]).tolist() for column in middle] == [
        [NUMBER_STEPS // 2] * 2 + [NUMBER_STEPS] * 2,
        [0, 0, NUMBER_STEPS, NUMBER_STEPS],
    ]


def test_odd_patients_move_sums_within_the_norm(tmp_path: Path) -> None:
    """Through the SQL, with three thousand equal rows; nobody else's rows change, and their order decides nothing."""
    training = training_of(tmp_path, SQL, "urgent", numbers=NUMBERS)
    reading, sums = RowReading(training, 3), GradientSums(LossKind.LOGISTIC, 2, RESIDUAL, 1)
    longest, most = NUMBER_STEPS**2, 0.0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        others, one = ([visit for who in people for visit in visits_of(who, rng)] for people in (range(3), [9]))
        mixed = [[*others, *one][place] for place in rng.permutation(len(others) + len(one))]
        with_one, without, again = (matrix_of(reading, visits) for visits in ([*others, *one], others, mixed))
        assert with_one.numbers is not None
        assert without.numbers is not None
        assert again.numbers is not None
        assert (with_one.numbers[: without.rows] == without.numbers).all()
        assert (with_one.numbers == again.numbers).all()
        scores = rng.integers(-(2**18), 2**18, (sum(with_one.levels) + 3, 1))
        found = [sums.level_residuals(rows.within(longest), scores) for rows in (with_one, without)]
        norm = sums.most**2 * (2 * NUMBER_STEPS**2 + longest) * sums.residual_squared
        most = max(most, float(((found[0] - found[1]).astype(float) ** 2).sum()) / norm)
    assert 0.1 < most <= 1


def test_nobody_has_numbers(tmp_path: Path) -> None:
    for numbers in (NUMBERS, "*"):
        found = matrix_of(RowReading(training_of(tmp_path, SQL.replace("ward, ", ""), "urgent", numbers=numbers)), [])
        assert isinstance(found, RowMatrix)
        assert found.numbers is not None
        assert found.numbers.shape == (0, 3)


def test_what_is_no_number_is_refused(tmp_path: Path) -> None:
    for numbers, why in (("ward", "ward as a number"), ("pixel_*", "names no such"), ("urgent", "names no such")):
        with pytest.raises(Refused, match=why):
            training_of(tmp_path, SQL, "urgent", numbers=numbers)
    many = ", ".join(f"age + {place} AS a{place}" for place in range(1_025))
    with pytest.raises(Refused, match="1,025 columns of numbers"):
        training_of(tmp_path, f"SELECT urgent, {many} FROM visits", "urgent", numbers="a*")


def test_a_path_stays_where_classes_are_rare() -> None:
    """Of numbers that are never negative, and without noise. With momentum on all, scores ran to their ends."""
    rng = np.random.default_rng(5)
    target = (rng.random(3_000) < 0.02).astype(np.int64)
    numbers = rng.integers(0, NUMBER_STEPS, (3_000, 4)).astype(np.int16)
    numbers[target == 1, 0] = NUMBER_STEPS
    rows = RowMatrix(np.arange(3_000), np.zeros((3_000, 1), np.int32), target, (1,), numbers).within(NUMBER_STEPS**2)
    sums = GradientSums(LossKind.LOGISTIC, 2, RESIDUAL, 1)
    path, steps = [np.zeros((5, 1))], []
    for _ in range(40):
        steps.append(sums.level_residuals(rows, np.rint(path[-1] * SCORE).astype(np.int64)))
        path = descended(sums.level_weights(rows), steps, DescentSizes(1, 1.0, 0.0), 0.0)
    assert rows.numbers is not None
    scores = path[-1][0, 0] + rows.numbers / NUMBER_STEPS @ path[-1][1:, 0]
    assert 0.01 < (1 / (1 + np.exp(-scores))).mean() < 0.04
    assert path[-1][1, 0] > 1 > np.abs(path[-1][2:]).max() / path[-1][1, 0]
