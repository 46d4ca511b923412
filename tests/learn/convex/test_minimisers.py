"""Minimisers of neighbours: never farther apart than noise is made for, and as exact as they are certified to be."""

from __future__ import annotations

from math import fsum, sqrt
from pathlib import Path

import mpmath
import numpy as np
import pytest
from tests.learn.convex.minimising import Rows, distance, exact_gradient, matrix, minimum, random_people
from tests.learn.convex.test_row_matrix import matrix_of, training_of
from tests.learn.patients import SQL, visits_of

from tacit.learn.convex.design import FINEST, ExampleDesign, by_person, by_row
from tacit.learn.convex.losses import LossKind
from tacit.learn.convex.newton import TOLERANCE, RidgeObjective, certified_minimum
from tacit.learn.convex.output_perturbation import OutputNoise
from tacit.learn.convex.row_matrix import RowReading
from tacit.loss.families.loss import Relation

LEVELS = (1, 3, 2)
KINDS = [(LossKind.LOGISTIC, 2), (LossKind.SOFTMAX, 3), (LossKind.HINGE, 2)]


def moved(loss: LossKind, classes: int, ridge: float, rows_each: int, relation: Relation, seed: int) -> float:
    """The distance of two neighbours' minimisers, as a part of the claimed sensitivity."""
    rng = np.random.default_rng(seed)
    others, one, instead = (random_people(rng, LEVELS, classes) for _ in range(3))
    neighbour = [*others, instead[0]] if relation is Relation.REPLACE else others
    found = [
        minimum(by_row(matrix(people, LEVELS), rows_each), loss, ridge, classes)
        for people in ([*others, one[0]], neighbour)
    ]
    return distance(*found) / float(OutputNoise(ridge, loss.steepest_squared, rows_each, relation).sensitivity)


@pytest.mark.parametrize(("loss", "classes"), KINDS)
@pytest.mark.parametrize("relation", [Relation.ADD_REMOVE, Relation.REPLACE])
@pytest.mark.parametrize(("ridge", "rows_each"), [(0.0625, 1), (1.0, 3), (64.0, 1)])
def test_one_person_moves_the_minimiser_within_the_claim(
    loss: LossKind, classes: int, relation: Relation, ridge: float, rows_each: int
) -> None:
    most = max(moved(loss, classes, ridge, rows_each, relation, seed) for seed in range(4))
    assert 0.001 < most <= 1


ONE: Rows = [((0, 0, 0), 1)]
OTHER: Rows = [((0, 0, 0), 0)]


def far(loss: LossKind, ridge: float, classes: int = 2) -> float:
    """The distance of one person's minimiser from nobody's, times λ."""
    with_one, without = (by_row(matrix(people, LEVELS), 1) for people in ([ONE], []))
    return ridge * distance(minimum(with_one, loss, ridge, classes), minimum(without, loss, ridge, classes))


def test_the_claim_is_reached_and_half_of_it_is_caught() -> None:
    """Broken twins: half of the sensitivity, or one world's under replace."""
    hinge = far(LossKind.HINGE, 64.0)
    assert 0.99 < hinge <= float(OutputNoise(64.0, 1, 1, Relation.ADD_REMOVE).sensitivity) * 64
    assert hinge > 0.5 * float(OutputNoise(64.0, 1, 1, Relation.ADD_REMOVE).sensitivity) * 64
    softmax = far(LossKind.SOFTMAX, 64.0, 3)
    assert softmax > 0.5 * float(OutputNoise(64.0, 2, 1, Relation.ADD_REMOVE).sensitivity) * 64
    one, other = (minimum(by_row(matrix([own], LEVELS), 1), LossKind.HINGE, 64.0) for own in (ONE, OTHER))
    assert distance(one, other) > float(OutputNoise(64.0, 1, 1, Relation.ADD_REMOVE).sensitivity)
    assert distance(one, other) <= float(OutputNoise(64.0, 1, 1, Relation.REPLACE).sensitivity)


def test_rows_without_weights_are_caught() -> None:
    """A broken twin: a thousand equal rows of one person count as a thousand."""
    bound = float(OutputNoise(64.0, 1, 1, Relation.ADD_REMOVE).sensitivity)
    whole = matrix([ONE * 1_000], LEVELS)
    assert distance(minimum(by_row(whole, 1), LossKind.HINGE, 64.0), np.zeros((6, 1))) <= bound
    assert distance(minimum(by_row(whole, 1_000), LossKind.HINGE, 64.0), np.zeros((6, 1))) > bound


def test_a_ridge_for_each_private_row_is_caught() -> None:
    """A broken twin: λ times the number of rows, which one person changes as well: the claim with λn does not hold."""
    for_each = 1.69
    with_one = [*([ONE] * 10), OTHER]
    found = minimum(by_row(matrix(with_one, LEVELS), 1), LossKind.HINGE, for_each * 11)
    before = minimum(by_row(matrix([ONE] * 10, LEVELS), 1), LossKind.HINGE, for_each * 10)
    assert distance(found, before) > 1.2 * float(OutputNoise(for_each * 10, 1, 1, Relation.ADD_REMOVE).sensitivity)
    absolute = minimum(by_row(matrix(with_one, LEVELS), 1), LossKind.HINGE, for_each * 10)
    assert distance(absolute, before) <= float(OutputNoise(for_each * 10, 1, 1, Relation.ADD_REMOVE).sensitivity)


def test_an_optimiser_that_errs_as_much_as_it_may_is_within_the_claim() -> None:
    """Both worlds' errors point apart; a broken twin leaves them out of the sensitivity."""
    worst = far(LossKind.HINGE, 64.0) + 2 * TOLERANCE
    assert worst <= float(OutputNoise(64.0, 1, 1, Relation.ADD_REMOVE).sensitivity) * 64
    assert worst > 1


@pytest.mark.parametrize(("loss", "classes"), KINDS)
@pytest.mark.parametrize("ridge", [0.0625, 3.0, 1e6])
def test_the_certificate_is_true_to_sixty_digits(loss: LossKind, classes: int, ridge: float) -> None:
    """Near the minimum and far from it, coefficients beyond every cut included."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        rows = matrix(random_people(rng, LEVELS, classes), LEVELS)
        designs = [by_row(rows, 1), *([by_person(rows, 2)] if loss.is_monotone else [])]
        for design in map(few, designs):
            tilt = rng.normal(0, 3, (design.width, loss.scores(classes)))
            objective = RidgeObjective(design, loss, ridge, tilt)
            least = certified_minimum(objective)
            for steps in (
                least,
                rng.integers(-(2**40), 2**40, least.shape),
                rng.integers(-(2**46), 2**46, least.shape),
            ):
                computed, error = objective.gradient(steps)
                exact = exact_gradient(objective, steps)
                with mpmath.workdps(60):
                    off = mpmath.norm([mpmath.mpf(float(a)) - b for a, b in zip(computed.ravel(), exact, strict=True)])
                assert off <= error
                if steps is least:
                    assert mpmath.norm(exact) <= TOLERANCE


def few(design: ExampleDesign) -> ExampleDesign:
    """Without the thousandfold rows, which the oracle takes long for."""
    rows = np.flatnonzero(design.example < 8)[:200]
    many = int(design.example[rows].max()) + 1
    return ExampleDesign(
        design.columns[rows],
        design.example[rows],
        design.share[rows],
        design.target[:many],
        design.weight[:many],
        design.width,
    )


def test_an_early_end_is_caught() -> None:
    """A broken twin: an optimiser that ends at a gradient of 2 leaves one person's data unread."""
    design = by_row(matrix([ONE], LEVELS), 1)
    early = minimum(design, LossKind.HINGE, 64.0, tolerance=2.0)
    gradient = exact_gradient(
        RidgeObjective(design, LossKind.HINGE, 64.0, np.zeros((6, 1))),
        np.rint(np.ldexp(early, FINEST)).astype(np.int64),
    )
    assert mpmath.norm(gradient) > 100 * TOLERANCE


@pytest.mark.parametrize(("loss", "classes"), KINDS)
def test_hard_objectives_are_minimised(loss: LossKind, classes: int) -> None:
    """All of one class, next to no ridge, many people; nobody; and noise that pulls a hundred deviations away."""
    for people in ([ONE] * 10_000, [], [ONE, OTHER] * 50):
        design = by_row(matrix(people, LEVELS), 1)
        for size in (0.0, 1e3):
            tilt = np.full((design.width, loss.scores(classes)), size)
            assert np.isfinite(minimum(design, loss, 0.0625, classes, tilt)).all()


def test_examples_are_within_the_unit_ball_and_persons_have_one() -> None:
    rng = np.random.default_rng(7)
    for _ in range(20):
        people = random_people(rng, LEVELS, 2)
        rows = matrix(people, LEVELS)
        single = by_person(rows, 2)
        norms = np.sqrt(np.asarray(single.matrix.multiply(single.matrix).sum(axis=1)).ravel())
        assert norms.max() <= 1 + 1e-12
        assert len(single.target) == len(people)
        assert all(fsum(single.share[single.example == place]) <= 1 for place in range(len(people)))
        several = by_row(rows, 3)
        assert (np.bincount(rows.people, several.weight) <= 3).all()


@pytest.mark.parametrize(("loss", "classes"), KINDS)
def test_losses_are_as_steep_and_as_bent_as_they_say(loss: LossKind, classes: int) -> None:
    """On a grid of scores; the bounds are nearly reached, so that half of each would be caught."""
    rng = np.random.default_rng(1)
    scores = np.concatenate([rng.normal(0, s, (4_000, loss.scores(classes))) for s in (0.01, 1, 8, 100)])
    target = rng.integers(0, classes, len(scores))
    slopes, bends = loss.gradients(scores, target), loss.curvatures(scores, target)
    longest = np.sqrt((slopes**2).sum(axis=1)).max()
    assert 0.9 * sqrt(loss.steepest_squared) < longest <= sqrt(loss.steepest_squared) + 1e-9
    trace = np.trace(bends, axis1=1, axis2=2).max()
    assert 0.6 * loss.curvature < trace <= loss.curvature + 1e-9
    step = 1e-6
    near = (loss.gradients(scores + step, target) - slopes) / step
    assert np.abs(near - bends.sum(axis=2)).max() < 1e-3
    if loss.is_monotone:
        signs = np.where(target == 1, -1, 1)
        assert (slopes[:, 0] * signs >= 0).all()


@pytest.mark.parametrize(("loss", "classes"), KINDS)
def test_odd_patients_move_the_minimiser_within_the_claim(tmp_path: Path, loss: LossKind, classes: int) -> None:
    """Through the SQL: NULL, NaN and infinities, values beyond their bounds, and three thousand equal visits."""
    asked = ("SELECT ward, age, cost, urgent FROM visits", "ward") if classes == 3 else (SQL, "urgent")
    reading = RowReading(training_of(tmp_path, *asked, classes=classes))
    most = 0.0
    for seed in range(2):
        rng = np.random.default_rng(seed)
        others, one = ([visit for who in people for visit in visits_of(who, rng)] for people in (range(3), [9]))
        found = [
            minimum(by_row(matrix_of(reading, visits), 1), loss, 2.0, classes) for visits in ([*others, *one], others)
        ]
        most = max(
            most, distance(*found) / float(OutputNoise(2.0, loss.steepest_squared, 1, Relation.ADD_REMOVE).sensitivity)
        )
    assert 0.01 < most <= 1


@pytest.mark.parametrize("loss", [LossKind.LOGISTIC, LossKind.HINGE])
def test_a_person_pulls_in_one_direction_whatever_the_coefficients(loss: LossKind) -> None:
    """What objective perturbation rests on; a broken twin has every row of a person as an example, and turns."""
    person: Rows = [((0, 0, 0), 1), ((0, 1, 1), 1), ((0, 2, 1), 0)]
    rng = np.random.default_rng(4)
    places = [rng.integers(-(2**37), 2**37, (6, 1)) for _ in range(20)]
    turned = []
    for designed in (lambda rows: by_person(rows, 2), lambda rows: by_row(rows, 1)):
        design = designed(matrix([person], LEVELS))
        pulls = np.array([design.sums(loss.gradients(design.scores(at), design.target))[:, 0] for at in places])
        bends = [
            np.einsum("n,nij,n->", design.weight, loss.curvatures(design.scores(at), design.target), design.weight)
            for at in places
        ]
        assert np.linalg.norm(pulls, axis=1).max() <= 1
        assert max(bends) <= loss.curvature + 1e-9
        turned.append(float(np.linalg.svd(pulls, compute_uv=False)[1]))
    assert turned[0] < 1e-8 < 1e-2 < turned[1]
