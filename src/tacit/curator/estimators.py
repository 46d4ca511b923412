"""Estimators with scikit-learn's conventions. Each fit is a job through the door, and is charged to one account.

Whoever calls `fit` holds the rows and is their steward. What leaves is `model_`, which is public, with its certificate
in `learned_`. Nothing is taken from the rows but by the job: bounds, keys and classes are declared.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Self

import numpy as np

from tacit.curator.declared_table import TARGET, DeclaredColumn, DeclaredTable, columns_of
from tacit.errors import Refused
from tacit.exact import Number

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.utils.validation import (
        assert_all_finite,
        check_consistent_length,
        check_is_fitted,
        column_or_1d,
        validate_data,
    )
except ImportError:
    raise Refused(
        "an estimator", "scikit-learn is not installed.", "pip install 'tacit[learn]'; or Dataset.learn, without it."
    ) from None

_NAME: Final = re.compile(r"[a-z][a-z0-9_]*")
_TAKEN: Final = {TARGET, "unit_id", "rows"}


class AdditiveEstimator(BaseEstimator):
    """What both additive estimators share: declarations, the account, and the fit.

    `target` are the two classes, or the bounds of the number. `bounds` is one pair for all columns, or a pair for each
    by its name or place; `keys` are values of columns. `unit` names the column that says whose rows they are, and is no
    feature; without it each row is a person. `name` is the account's, `budget` its (ε, δ), `ledger` its file.
    """

    def __init__(
        self,
        *,
        target: tuple[Any, Any] | None = None,
        epsilon: Number | None = None,
        delta: Number | None = None,
        name: str | None = None,
        budget: tuple[Number, Number] | None = None,
        ledger: str | Path | None = None,
        bounds: Any = None,
        keys: Mapping[Any, Sequence[Any]] | None = None,
        unit: Any = None,
        hides: str = "one row",
        bins: int = 16,
        steps: int = 20,
        clip: Number | None = None,
        rows_each: int = 1,
    ) -> None:
        self.target = target
        self.epsilon = epsilon
        self.delta = delta
        self.name = name
        self.budget = budget
        self.ledger = ledger
        self.bounds = bounds
        self.keys = keys
        self.unit = unit
        self.hides = hides
        self.bins = bins
        self.steps = steps
        self.clip = clip
        self.rows_each = rows_each

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = tags.input_tags.categorical = True
        tags.non_deterministic = True
        return tags

    def _fit(self, x: Any, y: Any, target: DeclaredColumn) -> Self:
        if self.epsilon is None or self.name is None or self.budget is None:
            why = "Each fit is paid for, from the budget of an account."
            raise Refused("a fit without a price", why, 'epsilon=1, name="clinic", budget=(3, 1e-6).')
        labels, columns = self._columns(x)
        places = [place for place, label in enumerate(labels) if not self._is_unit(label)]
        if self.unit is not None and len(places) == len(labels):
            raise Refused(f"the unit {self.unit}", "The table has no such column.", f"{', '.join(map(str, labels))}.")
        names = _names([labels[place] for place in places])
        declared = [self._declared(name, labels[place]) for name, place in zip(names, places, strict=True)]
        table = DeclaredTable(
            self.name, self.hides, self.budget, self.ledger, (target, *declared), self.unit is not None
        )
        rows = {TARGET: y, **{name: columns[place] for name, place in zip(names, places, strict=True)}}
        units = next((columns[place] for place, label in enumerate(labels) if self._is_unit(label)), None)
        settings: dict[str, Any] = {
            "bins": self.bins,
            "steps": self.steps,
            "clip": self.clip,
            "rows_each": self.rows_each,
        }
        with table.opened(rows, units) as dataset:
            self.learned_ = dataset.learn(table.sql, target=TARGET, epsilon=self.epsilon, delta=self.delta, **settings)
        self.model_ = self.learned_.model
        self.features_ = tuple(zip(declared, places, strict=True))
        return self

    def _read(self, x: Any) -> Mapping[str, Sequence[Any]]:
        """The columns of the model from a table like that of the fit."""
        check_is_fitted(self)
        _, columns = self._columns(x, is_new=True)
        return {declared.name: declared.values(columns[place]) for declared, place in self.features_}

    def _columns(self, x: Any, *, is_new: bool = False) -> tuple[list[Any], list[Sequence[Any]]]:
        if hasattr(x, "column_names") or hasattr(x, "columns"):
            validate_data(self, x, reset=not is_new, skip_check_array=True)
            return columns_of(x)
        kind = None if self.keys or self.unit is not None else "numeric"
        return columns_of(validate_data(self, x, reset=not is_new, dtype=kind, ensure_all_finite="allow-nan"))

    def _is_unit(self, label: Any) -> bool:
        return self.unit is not None and bool(label == self.unit)

    def _declared(self, name: str, label: Any) -> DeclaredColumn:
        keys = (self.keys or {}).get(label)
        by_name = isinstance(self.bounds, Mapping)
        bounds = self.bounds.get(label) if by_name else None if keys is not None else self.bounds
        return DeclaredColumn.of(name, label, bounds, keys)


def _names(labels: Sequence[Any]) -> list[str]:
    """Names for SQL: the columns' own where all of them are plain."""
    own = [label for label in labels if isinstance(label, str) and _NAME.fullmatch(label) and label not in _TAKEN]
    is_plain = len(set(own)) == len(labels)
    return own if is_plain else [f"x{place}" for place in range(len(labels))]


class AdditiveClassifier(ClassifierMixin, AdditiveEstimator):
    """An additive model of one of two declared classes, trained privately; rows with another label are left out."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Train; the price is charged first."""
        if self.target is None or len(set(self.target)) != 2:
            raise Refused("a classifier without its classes", "Which there are is declared.", "target=(0, 1).")
        places = {label: place for place, label in enumerate(self.target)}
        labels = [places.get(label) for label in _checked(self, X, y, is_number=False)]
        self._fit(X, labels, DeclaredColumn(TARGET, None, (0, 1)))
        self.classes_ = np.array(self.target)
        return self

    def predict(self, X: Any) -> Any:
        """The likelier class of each row."""
        columns = self._read(X)
        return self.classes_[np.array(self.model_.predict(columns), dtype=np.int64)]

    def predict_proba(self, X: Any) -> Any:
        """The probabilities of both classes."""
        columns = self._read(X)
        return self.model_.probabilities(columns)


class AdditiveRegressor(RegressorMixin, AdditiveEstimator):
    """An additive model of a number within declared bounds, trained privately."""

    def fit(self, X: Any, y: Any) -> Self:
        """Train; the price is charged first."""
        declared = DeclaredColumn.of(TARGET, TARGET, self.target, None)
        return self._fit(X, _checked(self, X, y, is_number=True), declared)

    def predict(self, X: Any) -> Any:
        """The number that is expected for each row."""
        columns = self._read(X)
        return np.asarray(self.model_.predict(columns))


def _checked(estimator: Any, x: Any, y: Any, *, is_number: bool) -> Any:
    """The target as a list with as many values as there are rows, as scikit-learn checks it."""
    if y is None:
        raise Refused(
            "a fit without a target", "This estimator requires y to be passed, but the target y is None.", "y."
        )
    found = column_or_1d(y, warn=True, dtype=np.float64 if is_number else None)
    assert_all_finite(found, input_name="y", estimator_name=type(estimator).__name__)
    check_consistent_length(x, found)
    return found.tolist()
