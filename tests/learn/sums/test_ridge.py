"""Coefficients from noisy sums: exact without noise, and within their intervals as often as they say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.learn.patients import visits_of
from tests.learn.sums.test_linear_neighbours import linear
from tests.learn.sums.visits_session import whole_sums

from tacit.errors import Refused
from tacit.learn.sums.linear_model import LinearModel
from tacit.learn.sums.linear_plan import LinearPlan
from tacit.learn.sums.moments import UNIT_PRODUCT
from tacit.learn.sums.ridge import ridge_fit


def summed(folder: Path) -> tuple[LinearPlan, np.ndarray]:
    plan = linear(folder, reach="1", is_each_row=True)
    rng = np.random.default_rng(8)
    visits = [visit for patient in range(100) for visit in visits_of(patient, rng)]
    return plan, whole_sums(plan.design.kept_sql(), plan.bounded, visits)


def test_without_noise_they_are_the_least_squares_coefficients(tmp_path: Path) -> None:
    plan, sums = summed(tmp_path)
    model = LinearModel.fitted(plan.moments, sums, 1e-6)
    whole = plan.moments.matrix(sums)
    features = [0, 1, 3, 4, 5]
    scaled = np.linalg.solve(whole[np.ix_(features, features)], whole[features, 2])
    assert model.is_least_squares
    assert np.allclose(model.scaled, scaled, atol=1e-9)
    names = [each.name for each in model.coefficients]
    assert names == ["1", "age", "ward = b", "ward = c", "urgent = True"]
    values = [each.value for each in model.coefficients]
    predicted = model.predict({"age": [20], "ward": ["c"], "urgent": [False]})[0]
    assert np.isclose(predicted, values[0] + 20 * values[1] + values[3])
    assert np.isnan(model.predict({"age": [20, None], "ward": ["z", "a"], "urgent": [True, True]})).all()
    assert LinearModel.from_fields(model.fields()).digest == model.digest


@pytest.mark.parametrize("width", [0.2, 200.0])
def test_intervals_hold_as_often_as_they_say(tmp_path: Path, width: float) -> None:
    """Of 200 noisy releases with and without a ridge; 5 coefficients at 90%, false alarm below 10⁻⁶.

    Of one coefficient the share that holds has a standard deviation of 0.021; the least of five stays above 0.79.
    """
    plan, sums = summed(tmp_path)
    exact, features = plan.moments.matrix(sums), [0, 1, 3, 4, 5]
    rng, held, ridges = np.random.default_rng(11), [], []
    for _ in range(200):
        noisy = sums + np.round(rng.normal(0, width * UNIT_PRODUCT, len(sums))).astype(np.int64)
        fit = ridge_fit(plan.moments, noisy, width * UNIT_PRODUCT)
        ridged = exact[np.ix_(features, features)] + fit.ridge * np.eye(5)
        off = fit.coefficients - np.linalg.solve(ridged, exact[features, 2])
        held.append(np.abs(off) <= 1.645 * np.sqrt(np.diag(fit.covariance)))
        ridges.append(fit.ridge)
    shares = np.mean(held, axis=0)
    assert shares.min() > 0.79
    assert shares.max() < 0.99
    assert (max(ridges) > 0) == (width > 1)


def test_noise_that_is_left_out_is_caught(tmp_path: Path) -> None:
    """A broken twin: the error of a coefficient from the noise on sums with the target alone, E = 0."""
    plan, sums = summed(tmp_path)
    exact, features = plan.moments.matrix(sums), [0, 1, 3, 4, 5]
    rng, held = np.random.default_rng(12), []
    truth = np.linalg.solve(exact[np.ix_(features, features)], exact[features, 2])
    for _ in range(200):
        noisy = sums + np.round(rng.normal(0, 0.2 * UNIT_PRODUCT, len(sums))).astype(np.int64)
        fit = ridge_fit(plan.moments, noisy, 0.2 * UNIT_PRODUCT)
        inverse = np.linalg.inv(plan.moments.matrix(noisy)[np.ix_(features, features)])
        held.append(np.abs(fit.coefficients - truth) <= 1.645 * 0.2 * np.sqrt(np.diag(inverse @ inverse)))
    assert np.mean(held, axis=0).min() < 0.79


def test_files_that_are_no_model_are_refused() -> None:
    for said in ({}, {"version": 1, "kind": "additive"}, {"version": 1, "kind": "linear", "numbers": []}):
        with pytest.raises(Refused):
            LinearModel.from_fields(said)
