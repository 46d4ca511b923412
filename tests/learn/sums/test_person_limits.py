"""What one patient moves the sums of any model by: never more than the noise is made for, whatever their rows are."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from tests.learn.patients import visits_of
from tests.learn.sums.plans import CLASSES, NAMES, kmeans, multinomial, naive_bayes, pca, statistic
from tests.learn.sums.visits_session import catalogued, most_moved, whole_sums

from tacit.errors import Refused
from tacit.learn.sums.design import STEPS, read_design
from tacit.learn.sums.kmeans import KMeansPlan
from tacit.learn.sums.linear_plan import LinearPlan


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rows_each", [1, pytest.param(7, marks=pytest.mark.long)])
def test_one_patient_moves_sums_within_the_limit(tmp_path: Path, name: str, rows_each: int) -> None:
    kept, bounded = statistic(name, tmp_path, rows_each)
    for seed in range(3):
        sums = bounded(np.random.default_rng(seed))
        moved = most_moved(kept, sums, range(3 * seed, 3 * seed + 2), is_replaced=seed == 2)
        assert moved <= sums.limit * (4 if seed == 2 else 1)


@pytest.mark.parametrize("name", NAMES)
def test_the_limit_is_nearly_reached(tmp_path: Path, name: str) -> None:
    """By 1,000 rows of one patient that are alike; and half the limit would be too little for them."""
    kept, bounded = statistic(name, tmp_path)
    sums = bounded(np.random.default_rng(1))
    rows = [(9, "b", 99, 1_000.0, True)] * 1_000
    moved = float((whole_sums(kept, sums, rows).astype(float) ** 2).sum())
    assert sums.limit * (0.001 if name == "multinomial residuals" else 0.3) < moved <= sums.limit


@pytest.mark.parametrize("name", NAMES)
def test_one_row_moves_sums_within_the_limit(tmp_path: Path, name: str) -> None:
    kept, bounded = statistic(name, tmp_path, is_each_row=True)
    sums = bounded(np.random.default_rng(5))
    assert 0 < most_moved(kept, sums, range(4), is_replaced=False, by_row=True) <= sums.limit


@pytest.mark.parametrize("name", NAMES)
def test_rows_that_count_as_people_are_caught(tmp_path: Path, name: str) -> None:
    """A broken twin: rows of one patient are kept as if each were a person, 1,000 times."""
    by_row, _ = statistic(name, tmp_path, is_each_row=True)
    _, bounded = statistic(name, tmp_path, is_each_row=True)
    sums = bounded(np.random.default_rng(2))
    rows = [(9, "b", 99, 1_000.0, True)] * 1_000
    assert float((whole_sums(by_row, sums, rows).astype(float) ** 2).sum()) > sums.limit


def test_residuals_are_classes_less_their_probabilities(tmp_path: Path) -> None:
    """Against plain arithmetic, to a step for each row for the engine's exponential and rounding."""
    plan = multinomial(tmp_path, is_each_row=True)
    rng = np.random.default_rng(5)
    visits = [visit for patient in range(40) for visit in visits_of(patient, rng)]
    features = plan.training.features
    scores = np.round(rng.normal(0, 1, (sum(each.levels for each in features), 3)) * 2**16) / 2**16
    known = [visit for visit in visits if visit[1] in ("a", "b", "c")]
    codes = [np.zeros(len(known), np.int64)]
    columns = [[visit[at] for visit in known] for at in (2, 3, 4)]
    codes += [each.codes(column) for each, column in zip(features[1:], columns, strict=True)]
    starts = np.cumsum([0, *(each.levels for each in features)])
    total = sum(scores[start + at] for start, at in zip(starts[:-1], codes, strict=True))
    shares = np.exp(total) / np.exp(total).sum(axis=1, keepdims=True)
    residuals = np.eye(3)[["abc".index(str(visit[1])) for visit in known]] - shares
    steps = np.floor(residuals * 1024 + 0.5)
    expected = np.zeros((starts[-1], 3))
    for start, at in zip(starts[:-1], codes, strict=True):
        np.add.at(expected, start + at, steps)
    found = whole_sums(plan.rows_sql, plan.residuals(scores), visits).reshape(-1, 3)
    assert np.abs(found - expected).max() <= 4
    assert np.abs(expected).max() > 10_000


def test_rows_go_to_their_nearest_centre(tmp_path: Path) -> None:
    plan = kmeans(tmp_path, is_each_row=True)
    rng = np.random.default_rng(6)
    centres = rng.integers(-STEPS, STEPS, (5, 2))
    visits = [
        (0, "a", int(age), float(cost), True)
        for age, cost in zip(rng.integers(0, 100, 500), rng.random(500) * 1e3, strict=True)
    ]
    table = whole_sums(plan.rows_sql, plan.near(centres), visits).reshape(5, 3)
    scaled = np.array([[(age - 49.5) / 49.5, (cost - 500) / 500] for _, _, age, cost, _ in visits])
    steps = np.floor(scaled * STEPS + 0.5)
    nearest = ((steps[:, None] - centres[None]) ** 2).sum(axis=2).argmin(axis=1)
    assert (table[:, 0] == np.bincount(nearest, minlength=5) * STEPS).all()
    assert (table[:, 1] == np.bincount(nearest, steps[:, 0], 5)).all()


def test_settings_have_bounds(tmp_path: Path) -> None:
    for rows_each in (0, 1_001):
        with pytest.raises(Refused):
            naive_bayes(tmp_path, rows_each)
    for steps in (0, 65):
        with pytest.raises(Refused):
            multinomial(tmp_path, steps=steps)
        with pytest.raises(Refused):
            kmeans(tmp_path, steps=steps)
    with pytest.raises(Refused):
        pca(tmp_path, 0)
    design = read_design(CLASSES, None, catalogued(tmp_path)[1])
    with pytest.raises(Refused, match="ward in k-means"):
        KMeansPlan(design, kmeans(tmp_path).relation, "p", 5, 1, 1)
    with pytest.raises(Refused, match="reach"):
        LinearPlan(design, kmeans(tmp_path).relation, "p", 1, Fraction(2))
