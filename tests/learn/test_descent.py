"""Descent without noise: it finds the shares that are there, also where residuals are cut."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from tests.learn.patients import Sums, described, planned

from tacit.learn.additive_model import AdditiveModel
from tacit.learn.descent import Descent, in_steps
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
