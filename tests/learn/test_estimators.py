"""Estimators with scikit-learn's conventions: its own checks, and that every fit is charged or refused."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import check_estimator

from tacit import AdditiveClassifier, AdditiveRegressor
from tacit.errors import Refused

_DECLARED = "Classes are declared: other labels are left out, and nobody is told whether there were some."
CLASSIFIER_EXEMPT = {
    "check_classifiers_classes": _DECLARED,
    "check_classifiers_regression_target": _DECLARED,
    "check_classifier_not_supporting_multiclass": _DECLARED,
}
REGRESSOR_EXEMPT = {
    "check_regressors_train": "It wants an R² above 0.5 from two steps with noise, on rows beyond the declared bounds.",
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "elsewhere" / "witness"))
    return tmp_path


def classifier(**changed: Any) -> AdditiveClassifier:
    said: dict[str, Any] = {"target": (0, 1), "epsilon": 5, "name": "c", "budget": (10_000, "1e-3"), "bounds": (-5, 5)}
    return AdditiveClassifier(**{**said, "bins": 4, "steps": 2, **changed})


def regressor(**changed: Any) -> AdditiveRegressor:
    said: dict[str, Any] = {"target": (-9, 9), "epsilon": 5, "name": "r", "budget": (10_000, "1e-3"), "bounds": (-5, 5)}
    return AdditiveRegressor(**{**said, "bins": 4, "steps": 2, **changed})


def people(count: int = 600) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(2)
    age, ward = rng.integers(0, 100, count), rng.choice(["a", "b"], count)
    sick = rng.random(count) < np.where(ward == "a", 0.1, 0.5) + age / 250
    return pd.DataFrame({"age": age, "ward": ward, "who": np.arange(count) // 2}), np.where(sick, "yes", "no")


DECLARED: dict[str, Any] = {
    "target": ("no", "yes"),
    "bounds": {"age": (0, 100)},
    "keys": {"ward": ["a", "b"]},
    "unit": "who",
    "hides": "one person",
    "steps": 10,
}


@pytest.mark.long
@pytest.mark.parametrize(
    ("make", "exempt"), [(classifier, CLASSIFIER_EXEMPT), (regressor, REGRESSOR_EXEMPT)], ids=["classes", "numbers"]
)
def test_the_checks_of_the_library_hold(make: Callable[[], Any], exempt: dict[str, str]) -> None:
    """All but the exempted ones pass, and each of those fails: the list is not longer than it must be."""
    found = check_estimator(make(), expected_failed_checks=exempt, on_fail=None, on_skip=None)
    assert {each["check_name"] for each in found if each["status"] == "xfail"} == set(exempt)
    assert [each["check_name"] for each in found if each["status"] == "failed"] == []
    assert len(found) > 40


@pytest.mark.parametrize("form", [lambda table: table, pa.Table.from_pandas], ids=["pandas", "Arrow"])
def test_a_table_is_learned_from_and_predicted(form: Callable[[pd.DataFrame], Any]) -> None:
    table, sick = people()
    fitted = classifier(**DECLARED, epsilon=50).fit(form(table), sick)
    assert list(fitted.classes_) == ["no", "yes"]
    assert set(fitted.predict(form(table))) == {"no", "yes"}
    chances = fitted.predict_proba(form(table))
    assert chances.shape == (len(table), 2)
    assert np.allclose(chances.sum(axis=1), 1)
    in_b = (table["ward"] == "b").to_numpy()
    assert chances[in_b, 1].mean() > chances[~in_b, 1].mean() + 0.1
    assert fitted.score(form(table), sick) > 0.6
    assert [feature.name for feature in fitted.model_.features] == ["", "age", "ward"]
    assert "one person (add/remove)" in str(fitted.learned_)
    assert fitted.learned_.certificate.statement.shown == fitted.model_.digest


def test_a_number_is_estimated() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(800, 2))
    fitted = regressor(epsilon=200, steps=20, bins=8).fit(values, 2 * values[:, 0])
    assert fitted.score(values, 2 * values[:, 0]) > 0.5
    high, low = fitted.predict(np.array([[1.9, 0], [-1.9, 0]]))
    assert high > low + 3  # their levels have 80 rows each, around 3.4 and -3.4
    assert np.isfinite(fitted.predict(np.array([[np.nan, np.nan]]))).all()


def test_parameters_are_kept_and_cloned() -> None:
    made = classifier(**DECLARED)
    assert clone(made).get_params() == made.get_params()
    assert clone(made).set_params(epsilon=2).epsilon == 2
    with pytest.raises(NotFittedError):
        made.predict(people()[0])


def test_each_fit_of_a_search_is_charged_or_refused() -> None:
    """Two candidates on two halves, and the best on all: five fits, five charges."""
    table, sick = people(200)
    search = GridSearchCV(classifier(**DECLARED, epsilon=1), {"bins": [3, 6]}, cv=2, error_score="raise")
    search.fit(table, sick)
    last = search.best_estimator_.learned_
    assert not last.price.free
    assert last.price.left == 1 - 5 * last.price.share
    again = clone(search.best_estimator_).fit(table, sick)
    assert again.learned_.price.free  # the same rows and settings are the same release
    poor = classifier(**DECLARED, name="poor", epsilon=1, budget=("1.5", "1e-3"))
    with pytest.raises(Refused, match="budget"):
        GridSearchCV(poor, {"bins": [3, 6]}, cv=2, error_score="raise").fit(table, sick)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"epsilon": None}, "without a price"),
        ({"budget": None}, "without a price"),
        ({"target": None}, "without its classes"),
        ({"bounds": None}, "column age"),
        ({"bounds": {"age": (9, 0)}}, "bounds of age"),
        ({"keys": {"ward": ["a", 1]}}, "keys of ward"),
        ({"unit": "nobody"}, "column"),
    ],
)
def test_what_is_not_declared_is_refused(changed: dict[str, Any], said: str) -> None:
    table, sick = people(20)
    with pytest.raises(Refused, match=said):
        classifier(**{**DECLARED, **changed}).fit(table, sick)


def test_a_number_without_bounds_is_refused() -> None:
    with pytest.raises(Refused, match="target"):
        regressor(target=None).fit(np.zeros((3, 1)), np.zeros(3))


def test_the_library_loads_with_the_first_estimator() -> None:
    code = "import tacit, sys; assert 'sklearn' not in sys.modules; tacit.open; assert 'sklearn' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
