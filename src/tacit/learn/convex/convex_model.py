"""A linear model of classes: one score, or one for each class, of each level of each feature. Plain data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import sqrt
from typing import Any, Final

import numpy as np

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.learn.additive_model import AdditiveModel
from tacit.learn.coded_rows import SCORE
from tacit.learn.convex.design import FINEST
from tacit.learn.convex.losses import Floats, Integers, LossKind, shares
from tacit.learn.convex.number_scores import MOST_SCORE, NumberScores
from tacit.learn.features import ModelFeature
from tacit.learn.training_text import TrainingTarget
from tacit.schema.kind import Key

_VERSION: Final = 1


@frozen(eq=False)
class ConvexModel:
    """`scores` has whole steps of 1/`SCORE` by feature, level and score; with two classes logistic and hinge have one.

    Where residuals were cut at `clip`, probabilities are those at which cut residuals are 0 on average.
    """

    loss: LossKind
    target: TrainingTarget
    features: tuple[ModelFeature, ...]
    scores: tuple[tuple[tuple[int, ...], ...], ...]
    clip: float
    numbers: NumberScores | None = None  # of columns that count as numbers

    @property
    def classes(self) -> tuple[Key, ...]:
        return self.target.values or ()

    def score(self, columns: Mapping[str, Sequence[Any]]) -> Floats:
        """The sums of scores of rows, rows × K, given by columns that are named as in the SELECT, in any case."""
        named = {name.lower(): values for name, values in columns.items()}
        names = [feature.name for feature in self.features if feature.name]
        names += self.numbers.names if self.numbers is not None else []
        missing = [name for name in names if name not in named]
        if missing:
            raise Refused(f"rows without {missing[0]}", "The model reads it.", f"columns {', '.join(names)}.")
        many = len(named[names[0]])
        total = np.zeros((many, len(self.scores[0][0])))
        for feature, scores in zip(self.features, self.scores, strict=True):
            codes = feature.codes(named[feature.name]) if feature.name else np.zeros(many, np.int64)
            total += np.array(scores)[codes]
        if self.numbers is not None:
            total += self.numbers.score(named)
        return total / SCORE

    def probabilities(self, columns: Mapping[str, Sequence[Any]]) -> Floats | None:
        """A column for each class; None for a hinge loss, whose scores are no odds."""
        if self.loss is LossKind.HINGE:
            return None
        scores = self.score(columns)
        if self.loss is LossKind.SOFTMAX:
            return shares(scores)
        both = shares(np.column_stack([np.zeros(len(scores)), scores]))
        rarer = both.min(axis=1)
        less = np.where(rarer < 1 - self.clip, rarer / (self.clip + rarer), rarer)
        return np.asarray(np.where(both == rarer[:, None], less[:, None], 1 - less[:, None]))

    def predict(self, columns: Mapping[str, Sequence[Any]]) -> list[Key]:
        """The class with the largest score."""
        scores = self.score(columns)
        places = scores.argmax(axis=1) if self.loss is LossKind.SOFTMAX else (scores[:, 0] > 0).astype(int)
        return [self.classes[place] for place in places]

    def one_score(self) -> AdditiveModel | None:
        """A logistic model of two classes is an additive one, unless columns count as numbers."""
        if self.loss is not LossKind.LOGISTIC or self.numbers is not None:
            return None
        scores = tuple(tuple(level[0] for level in levels) for levels in self.scores)
        return AdditiveModel(self.target, self.features, scores, self.clip)

    def judged_sql(self) -> str:
        """1 where the prediction is right, else 0, in the analyst's SQL."""
        if self.numbers is not None:
            raise Refused(
                "a model of numbers in SQL",
                "Each row is cut to a length first, which SQL would do again for every column and class.",
                "predictions of rows that you hold; a model of levels, without numbers.",
            )
        sums = [self._score_sql(place) for place in range(len(self.scores[0][0]))]
        if self.loss is LossKind.SOFTMAX:
            tests = [
                f"WHEN {one} >= {_greatest(sums[place + 1 :])} THEN {place}" for place, one in enumerate(sums[:-1])
            ]
            predicted = f"CASE {' '.join(tests)} ELSE {len(sums) - 1} END"
        else:
            predicted = f"CASE WHEN {sums[0]} > 0 THEN 1 ELSE 0 END"
        return f"CASE WHEN ({self.target.unit_sql()}) = {predicted} THEN 1 ELSE 0 END"

    def _score_sql(self, place: int) -> str:
        parts = [
            feature.chosen_sql([level[place] for level in scores])
            for feature, scores in zip(self.features, self.scores, strict=True)
        ]
        return f"({' + '.join(f'({part})' for part in parts)})"

    @property
    def digest(self) -> str:
        return hashlib.sha256(json.dumps(self.fields(), sort_keys=True).encode()).hexdigest()

    def fields(self) -> dict[str, Any]:
        """The model for JSON."""
        target = {"name": self.target.name, "item": self.target.item, "values": self.classes}
        pairs = zip(self.features, self.scores, strict=True)
        listed = [feature.fields() | {"scores": [list(level) for level in scores]} for feature, scores in pairs]
        kind = {"version": _VERSION, "kind": self.loss.value, "scale": SCORE, "clip": self.clip}
        own = {} if self.numbers is None else {"numbers": self.numbers.fields()}
        return kind | {"target": target, "features": listed} | own

    @classmethod
    def from_fields(cls, said: Mapping[str, Any]) -> ConvexModel:
        """The model read from JSON fields; refused where it is none."""
        try:
            if not (said["version"] == _VERSION and said["scale"] == SCORE):
                raise ValueError
            loss, clip, target = LossKind(said["kind"]), float(said["clip"]), said["target"]
            features = tuple(map(ModelFeature.from_fields, said["features"]))
            scores = tuple(tuple(tuple(map(int, level)) for level in each["scores"]) for each in said["features"])
            many = loss.scores(len(target["values"]))
            if not features or any(len(part) != feature.levels for feature, part in zip(features, scores, strict=True)):
                raise ValueError
            if not all(len(level) == many for part in scores for level in part) or not 0.5 <= clip <= 1:
                raise ValueError
            numbers = NumberScores.from_fields(said["numbers"], many) if "numbers" in said else None
            read = TrainingTarget(target["name"], target["item"], tuple(target["values"]), None)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError):
            raise Refused("this model", "It cannot be read.", "a file that `tacit learn fit` wrote.") from None
        return cls(loss, read, features, scores, clip, numbers)


def scores_of(steps: Integers, length_squared: Fraction) -> Integers:
    """Noisy coefficients of rows of norm 1 as scores: a row's ones and numbers were divided by its length."""
    scaled = np.rint(np.ldexp(steps.astype(np.float64), -FINEST) * (SCORE / sqrt(length_squared)))
    return np.clip(scaled, -MOST_SCORE, MOST_SCORE).astype(np.int64)


def _greatest(sums: Sequence[str]) -> str:
    return sums[0] if len(sums) == 1 else f"greatest({', '.join(sums)})"
