"""Descent without noise: it finds the shares that are there, also where residuals are cut."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from tests.learn.patients import Sums, described, planned

from tacit.learn.additive_model import AdditiveModel
from tacit.learn.descent import Descent, IndependentFeatures, in_steps
from tacit.query.plans.price import Price, price_of


def nearly_exact(folder: Path) -> Price:
    description = described(folder)
    return price_of(description.budget, description.promise, 10_000, "1e-9", False)


@pytest.mark.parametrize("clip", ["1/2", "0.7", "1"])
@pytest.mark.parametrize("shares", [(0.03, 0.4), (0.2, 0.9)])
def test_probabilities_are_the_shares(tmp_path: Path, clip: str, shares: tuple[float, float]) -> None:
    """Of 1,000 young and 1,000 old, so many are urgent. A twin with the logistic function misses the rare ones."""
    urgent = [[place < share * 1_000 for place in range(1_000)] for share in shares]
    visits = [(0, None, age, None, is_one) for age, each in zip((10, 70), urgent, strict=True) for is_one in each]
    plan = planned(
        described(tmp_path, is_each_row=True), "SELECT urgent, age FROM visits", "urgent", steps=64, clip=clip
    )
    sums, descent = Sums(plan.coded, visits), Descent(plan, nearly_exact(tmp_path))
    released = [sums.weights()]
    for _ in range(64):
        intercept, *ages = in_steps(descent.scores(released))
        released.append(sums.residuals([[intercept], ages]))
    intercept, *ages = in_steps(descent.scores(released))
    scores = ((intercept,), tuple(ages))
    model = AdditiveModel(plan.training.target, plan.training.features, scores, float(Fraction(clip)))
    found = model.probability({"age": [10, 70]})
    assert np.abs(found - shares).max() < 0.005
    uncut = replace(model, clip=1.0).probability({"age": [10, 70]})
    assert (np.abs(uncut - shares).max() > 0.005) == (clip != "1")


def test_a_step_solves_for_all_features_together() -> None:
    """The closed form is that of the whole matrix; levels without rows, or noise, are no exception."""
    rng, levels = np.random.default_rng(5), [1, 4, 3, 2]
    curvature, gradient = rng.integers(0, 40, 10).astype(float), rng.normal(size=10)
    feature = np.repeat(np.arange(4), levels)
    rows = np.bincount(feature, curvature).max()
    whole = np.outer(curvature, curvature) / rows * (feature[:, None] != feature) + np.diag(curvature + 3.0)
    found = IndependentFeatures(levels, curvature, 3.0)
    assert found.step(gradient) == pytest.approx(np.linalg.solve(whole, gradient))
    assert found.step(gradient) != pytest.approx(gradient / (curvature + 3.0))  # each level by itself
    assert np.isfinite(IndependentFeatures(levels, np.zeros(10), 0.0).step(gradient)).all()


def test_columns_that_say_the_same_do_not_diverge(tmp_path: Path) -> None:
    """Six copies of one column, of which each step takes too much: steps become shorter, and the shares are found."""
    shares = (0.3, 0.6)
    urgent = [[place < share * 1_000 for place in range(1_000)] for share in shares]
    visits = [(0, None, age, None, is_one) for age, each in zip((10, 70), urgent, strict=True) for is_one in each]
    copies = ", ".join(f"age + {place} - {place} AS a{place}" for place in range(6))
    plan = planned(described(tmp_path, is_each_row=True), f"SELECT urgent, {copies} FROM visits", "urgent", steps=30)
    sums, descent = Sums(plan.coded, visits), Descent(plan, nearly_exact(tmp_path))
    released, levels = [sums.weights()], [feature.levels for feature in plan.training.features]
    ends = np.cumsum(levels)
    for _ in range(30):
        parts = np.split(np.array(in_steps(descent.scores(released))), ends[:-1])
        released.append(sums.residuals([part.tolist() for part in parts]))
    begins, codes = np.concatenate([[0], ends[:-1]]), [each.codes([10, 70]) for each in plan.training.features[1:]]
    model = descent.model(released)
    scores = model[0] + sum(model[begin + code] for begin, code in zip(begins[1:], codes, strict=True))
    assert 1 / (1 + np.exp(-scores)) == pytest.approx(shares, abs=0.01)
