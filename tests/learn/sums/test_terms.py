"""Terms of models: they add up to predictions, and are drawn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.learn.sums.plans import NUMBERS

from tacit.curator.dataset import Dataset
from tacit.errors import Refused
from tacit.learn.additive_model import AdditiveModel
from tacit.learn.sums.linear_model import LinearModel
from tacit.learn.sums.terms import plot_terms, terms_of


def test_terms_add_up_to_predictions_and_are_drawn(clinic: Dataset, tmp_path: Path) -> None:
    additive = clinic.learn("SELECT cost, ward, age FROM visits", target="cost", epsilon=20, bins=4).model
    ward, age = terms_of(additive)
    assert ward.labels == ("a", "b", "c", "else")
    assert age.labels == ("below 25", "25 to 50", "50 to 75", "from 75", "else")
    assert isinstance(additive, AdditiveModel)
    bounds = additive.scores[0][0] / 2**16 * 1_000 + 500
    expected = additive.predict({"ward": ["b"], "age": [30]})[0]
    assert np.isclose(ward.values[1, 0] + age.values[1, 0] + bounds, expected)
    linear = clinic.learn("SELECT cost, age, urgent FROM visits", target="cost", model="linear", epsilon=20).model
    assert isinstance(linear, LinearModel)
    number, key = terms_of(linear)
    ends = linear.predict({"age": [0, 99], "urgent": [False, False]})
    assert np.isclose(number.values[1, 0] - number.values[0, 0], ends[1] - ends[0])
    assert key.labels == ("False", "True")
    bayes = clinic.learn("SELECT urgent, age FROM visits", target="urgent", model="naive-bayes", epsilon=20).model
    assert terms_of(bayes)[0].series == ("False", "True")
    for place, model in enumerate((additive, linear, bayes)):
        drawn = plot_terms(model, tmp_path / f"{place}.png")
        assert drawn == (tmp_path / f"{place}.png").read_bytes()
        assert drawn.startswith(b"\x89PNG")
    centres = clinic.learn(NUMBERS, model="kmeans", epsilon=20).model
    with pytest.raises(Refused, match="no sum of terms"):
        terms_of(centres)
