"""Levels that are chosen privately: keys of many people are levels, keys of one person are not."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.learn.patients import TEXT, table_of

import tacit
from tacit.curator.dataset import Dataset
from tacit.errors import Refused
from tacit.learn.additive_model import AdditiveModel
from tacit.learn.sums.additive_kind import AdditiveKind
from tacit.learn.sums.found_levels import KEYS_SHARE, FoundLevelsFit
from tacit.learn.sums.linear_model import LinearModel
from tacit.query.plans.price import price_of

SQL = "SELECT urgent, ward, age FROM visits"


@pytest.fixture
def wards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Dataset]:
    """Two wards of 200 patients each, one of a single patient with 500 visits, and visits without a ward."""
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "elsewhere" / "witness"))
    visits = [(n, "it's" if n % 2 else "b", 20 + n % 60, 5.0, n % 2 == 0) for n in range(400)]
    visits += [(1_000, "only one", 50, 5.0, True)] * 500 + [(n, None, 50, 5.0, False) for n in range(2_000, 2_100)]
    pq.write_table(table_of(visits), tmp_path / "visits.parquet")
    described = TEXT.replace('ward = { type = "text", keys = ["a", "b", "c"] }', 'ward = { type = "text" }')
    (tmp_path / "patients.toml").write_text(described, encoding="utf-8")
    with tacit.open(tmp_path / "patients.toml") as dataset:
        yield dataset


@pytest.mark.parametrize("settings", [{}, {"cuts": "quantiles", "bins": 4, "pairs": "age*ward"}])
def test_keys_of_many_people_are_levels(wards: Dataset, settings: dict[str, object]) -> None:
    """False alarm below 10⁻⁶: the only patient of a ward is shown with probability δ/2 = 5·10⁻⁹."""
    learned = wards.learn(SQL, target="urgent", epsilon=20, steps=5, private="ward", **settings)
    model = learned.model
    assert isinstance(model, AdditiveModel)
    assert model.features[1].values == ("b", "it's")
    assert model.predict({"ward": ["b", "it's"], "age": [50, 50]}) == [True, False]
    assert "ward" in learned.notes
    assert len(wards.budget().entries) == 1
    assert wards.learn(SQL, target="urgent", epsilon=20, steps=5, private="ward", **settings).price.free


def test_a_linear_model_has_them_too(wards: Dataset) -> None:
    model = wards.learn("SELECT age, ward FROM visits", target="age", model="linear", epsilon=20, private="ward").model
    assert isinstance(model, LinearModel)
    assert [each.name for each in model.coefficients] == ["1", "ward = it's"]
    assert np.isnan(model.predict({"ward": ["only one", None]})).all()


def test_the_choice_and_the_steps_share_the_price(wards: Dataset) -> None:
    planner = wards._planner
    description = planner.opened.description
    settings = {"private": "ward, age", "steps": 3}
    fit = AdditiveKind().fit(SQL, "urgent", planner.catalogue, description.unit, settings)
    assert isinstance(fit, FoundLevelsFit)
    price = price_of(description.budget, description.promise, 3, "1e-7", True)
    blocks = fit.blocks_of(price)
    rules = [block.rule for block in blocks]
    assert sum(Fraction(rule.delta) for rule in rules if rule is not None) == price.keys_delta > 0
    spent = sum(Fraction(block.noise.radius) ** 2 / block.noise.law.variance for block in blocks)
    assert price.strength * KEYS_SHARE * Fraction(99, 100) < spent <= price.strength * KEYS_SHARE
    assert len(fit.stages(price)) == 1 + 1 + 3
    assert fit.most == 500
    paired = AdditiveKind().fit(SQL, "urgent", planner.catalogue, description.unit, settings | {"pairs": "age*ward"})
    assert isinstance(paired, FoundLevelsFit)
    assert paired.most == 20  # 21² levels of the pair, where 51² would be refused, and after the charge


@pytest.mark.parametrize(("private", "why"), [("floor", "no such column"), ("cost", "float")])
def test_what_has_no_keys_is_refused(wards: Dataset, private: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        wards.learn(f"{SQL[:-12]}, cost FROM visits", target="urgent", epsilon=20, private=private)
