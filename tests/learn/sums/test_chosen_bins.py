"""Bins of about equally many rows: what they cost, that one person moves them little, and that training uses them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from tests.learn.patients import SQL, Sums, described, visits_of
from tests.learn.sums.visits_session import catalogued, most_moved, whole_sums

from tacit.curator.dataset import Dataset
from tacit.errors import Refused
from tacit.learn.additive_model import AdditiveModel
from tacit.learn.sums.additive_kind import AdditiveFit, AdditiveKind
from tacit.learn.sums.chosen_bins import BINS_SHARE, ChosenBinsFit, quantile_places
from tacit.loss.families.gdp import Gdp
from tacit.query.plans.price import price_of


def chosen(folder: Path, *, is_each_row: bool = False, **settings: object) -> ChosenBinsFit:
    description, catalogue = catalogued(folder, is_each_row=is_each_row)
    asked = {"bins": 5, "steps": 3, "cuts": "quantiles", **settings}
    found = AdditiveKind().fit(SQL, "urgent", catalogue, description.unit, asked)
    assert isinstance(found, ChosenBinsFit)
    return found


@pytest.mark.parametrize("is_each_row", [False, True])
def test_one_patient_moves_histograms_within_the_limit(tmp_path: Path, is_each_row: bool) -> None:
    fit = chosen(tmp_path, is_each_row=is_each_row, rows_each=3)
    most = most_moved(fit.rows_sql, fit.bounded, range(3), is_replaced=False, by_row=is_each_row)
    assert 0.3 * fit.bounded.limit < most <= fit.bounded.limit
    if not is_each_row:  # a broken twin: rows count, whosever they are
        twin = replace(fit.bounded, is_many=False)
        assert most_moved(fit.rows_sql, twin, range(2), is_replaced=False) > fit.bounded.limit


def test_histograms_and_steps_cost_the_price(tmp_path: Path) -> None:
    fit, description = chosen(tmp_path), described(tmp_path)
    for epsilon in ("0.01", "1", "30"):
        price = price_of(description.budget, description.promise, epsilon, "1e-9", False)
        rest = replace(price, strength=price.strength * (1 - BINS_SHARE))
        inner = fit.make(fit.even)
        assert isinstance(inner, AdditiveFit)
        plan = inner.plan
        spent = fit.bounded.limit / fit.law(price).variance + plan.squared_norm / plan.weights_law(rest).variance
        spent += 3 * plan.squared_norm * plan.clip_steps**2 / plan.residuals_law(rest).variance
        assert price.strength * Fraction(99, 100) < spent <= price.strength
        assert Fraction(Gdp(spent).delta(price.alone.exact_epsilon)) <= price.alone.exact_delta
        assert len(fit.stages(price)) == 1 + len(inner.stages(rest))


def test_bins_hold_about_equally_many_rows(tmp_path: Path) -> None:
    """Without noise: of skewed costs, each bin has a fifth of the rows, to a cell of the grid."""
    fit = chosen(tmp_path, is_each_row=True)
    rng = np.random.default_rng(2)
    costs = 1_000 * rng.random(2_000) ** 4
    visits = [
        (0, "a", int(age), float(cost), True) for age, cost in zip(rng.integers(0, 100, 2_000), costs, strict=True)
    ]
    counts = whole_sums(fit.rows_sql, fit.bounded, visits) / 2**16
    features = {each.name: each for each in fit.binned(counts, 0.1).features}
    held = np.bincount(features["cost"].codes(list(costs)), minlength=6)
    assert held[-1] == 0
    assert held[1:-1].max() < 500
    assert len(features["age"].edges or ()) == 4
    assert features["age"].edges != fit.even.features[2].edges or features["cost"].edges != fit.even.features[3].edges
    assert fit.binned(counts * 0, 10.0).features == fit.even.features  # nothing but noise: even bins


def test_quantiles_of_cells() -> None:
    cells = np.array([100.0, 0, 0, 50, 50, -3, 0])
    assert quantile_places(cells, np.array([0.25, 0.5, 0.75])) == [0, 3]
    assert quantile_places(cells * 0, np.array([0.5])) == [0]


@pytest.mark.parametrize("kind", ["additive", "naive-bayes", pytest.param("multinomial", marks=pytest.mark.long)])
def test_models_are_trained_on_them_through_the_door(clinic: Dataset, kind: str) -> None:
    asked = "SELECT urgent, age, cost FROM visits"
    settings = {"bins": 6, "cuts": "quantiles", "pairs": "age*cost"}
    learned = clinic.learn(asked, target="urgent", model=kind, epsilon=30, **settings)
    assert len(clinic.budget().entries) == 1
    rows = {"age": [20, 80], "cost": [100.0, None]}
    assert learned.model.predict(rows) == [False, True]
    assert "equally many" in learned.notes
    assert clinic.learn(asked, target="urgent", model=kind, epsilon=30, **settings).price.free
    if kind == "additive":
        read = AdditiveModel.from_fields(learned.model.fields())
        assert read.digest == learned.model.digest
        assert [feature.name for feature in read.features] == ["", "age", "cost", "age*cost"]
        clinic.evaluate(read, asked, epsilon=5)
    with pytest.raises(Refused, match="cuts odd"):
        clinic.learn(asked, target="urgent", model=kind, epsilon=30, cuts="odd")


@pytest.mark.parametrize("pairs", ["age", "age*age", "age*region", "age*cost*ward"])
def test_pairs_are_of_two_features(tmp_path: Path, pairs: str) -> None:
    description, catalogue = catalogued(tmp_path)
    with pytest.raises(Refused, match="the pair"):
        AdditiveKind().fit(SQL, "urgent", catalogue, description.unit, {"pairs": pairs})
    with pytest.raises(Refused, match="levels"):
        AdditiveKind().fit(SQL, "urgent", catalogue, description.unit, {"bins": 40, "pairs": "age*cost"})


def test_levels_of_pairs_are_the_same_in_sql_and_python(tmp_path: Path) -> None:
    description, catalogue = catalogued(tmp_path, is_each_row=True)
    fit = AdditiveKind().fit(SQL, "urgent", catalogue, description.unit, {"bins": 4, "pairs": "ward*age"})
    assert isinstance(fit, AdditiveFit)
    rng = np.random.default_rng(3)
    known = [v for patient in range(60) for v in visits_of(patient, rng) if v[4] is not None]
    pair = fit.training.features[-1]
    expected = np.bincount(pair.codes_of({"ward": [v[1] for v in known], "age": [v[2] for v in known]}), minlength=20)
    assert (Sums(fit.plan.coded, known).weights()[-20:] == expected).all()
