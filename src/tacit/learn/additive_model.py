"""An additive model: one score for each level of each feature, which add up to a prediction. Plain data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.learn.coded_rows import SCORE
from tacit.learn.feature_pairs import read_feature
from tacit.learn.features import ModelFeature
from tacit.learn.training_text import Task, TrainingTarget
from tacit.schema.kind import Key

Floats = NDArray[np.float64]
_VERSION: Final = 1


@frozen(eq=False)
class AdditiveModel:
    """`scores` has a whole number of steps of 1/`SCORE` for each level of each feature.

    Residuals y − s were cut at `clip`, where s is the logistic function of the score. The probability q is the one at
    which they are 0 on average: q·clip = (1 − q)·s where s < 1 − clip, likewise for the other class, and q = s between.
    """

    target: TrainingTarget
    features: tuple[ModelFeature, ...]
    scores: tuple[tuple[int, ...], ...]
    clip: float

    def score(self, columns: Mapping[str, Sequence[Any]]) -> Floats:
        """The sums of scores of rows, given by columns that are named as in the SELECT, in any case."""
        named = {name.lower(): values for name, values in columns.items()}
        missing = [name for name in self.names if name not in named]
        if missing:
            raise Refused(f"rows without {missing[0]}", "The model reads it.", f"columns {', '.join(self.names)}.")
        total = np.zeros(len(named[self.names[0]]))
        for feature, scores in zip(self.features, self.scores, strict=True):
            total += np.array(scores)[feature.codes_of(named)]
        return total / SCORE

    @property
    def names(self) -> list[str]:
        """What the columns are called that it reads."""
        return list(dict.fromkeys(name for feature in self.features for name in feature.columns))

    def probability(self, columns: Mapping[str, Sequence[Any]]) -> Floats:
        """The probability of the second value of the target."""
        self._refuse_unless(Task.CLASSIFICATION)
        return self.chance(self.score(columns))

    def chance(self, scores: Floats) -> Floats:
        """The probability of the second value by the score."""
        likelier = np.exp(-np.clip(np.abs(scores), 0, 32))
        share = likelier / (1 + likelier)  # of the less likely class
        less = np.where(share < 1 - self.clip, share / (self.clip + share), share)
        return np.asarray(np.where(scores > 0, 1 - less, less))

    @property
    def score_range(self) -> tuple[int, int]:
        """The least and the largest score of any row, in steps of 1/65,536."""
        return sum(map(min, self.scores)), sum(map(max, self.scores))

    def probabilities(self, columns: Mapping[str, Sequence[Any]]) -> Floats | None:
        """The probabilities of both values of the target; None where a number is estimated."""
        if self.target.values is None:
            return None
        second = self.probability(columns)
        return np.column_stack([1 - second, second])

    def predict(self, columns: Mapping[str, Sequence[Any]]) -> list[Key] | Floats:
        """The likelier value of the target, or the number that is expected."""
        scores = self.score(columns)
        if self.target.values is not None:
            low, high = self.target.values
            return [high if score > 0 else low for score in scores]
        least, most = self.target.bounds or (0.0, 0.0)
        return least + (most - least) * (np.clip(scores, -0.5, 0.5) + 0.5)

    def score_sql(self) -> str:
        """The sum of scores as SQL over the columns of the training rows, in steps of 1/65,536."""
        parts = [feature.chosen_sql(scores) for feature, scores in zip(self.features, self.scores, strict=True)]
        return " + ".join(f"({part})" for part in parts)

    def judged_sql(self) -> str:
        """Whether the predicted class is right, as 1 or 0; or the squared error of a number."""
        if self.target.values is None:
            return f"power(({self.target.item}) - ({self.predicted_sql()}), 2)"
        predicted = f"CASE WHEN {self.score_sql()} > 0 THEN 1 ELSE 0 END"
        return f"CASE WHEN ({self.target.unit_sql()}) = {predicted} THEN 1 ELSE 0 END"

    def predicted_sql(self) -> str:
        """The number that a regression expects, as SQL over the columns of the training rows."""
        self._refuse_unless(Task.REGRESSION)
        least, most = self.target.bounds or (0.0, 0.0)
        share = f"least(greatest(({self.score_sql()}) / {SCORE}.0 + 0.5, 0), 1)"
        return f"{least!r} + {most - least!r} * {share}"

    @property
    def digest(self) -> str:
        """What tells the model from any other."""
        return hashlib.sha256(json.dumps(self.fields(), sort_keys=True).encode()).hexdigest()

    def _refuse_unless(self, task: Task) -> None:
        if self.target.task is not task:
            raise Refused(f"{task.value} by this model", f"It was trained for {self.target.task.value}.", "predict.")

    def fields(self) -> dict[str, Any]:
        """The model for JSON."""
        target: dict[str, Any] = {"name": self.target.name, "item": self.target.item}
        target |= {"values": self.target.values, "bounds": self.target.bounds}
        listed = [
            feature.fields() | {"scores": list(scores)}
            for feature, scores in zip(self.features, self.scores, strict=True)
        ]
        return {"version": _VERSION, "kind": "additive", "scale": SCORE, "clip": self.clip} | {
            "target": target,
            "features": listed,
        }

    @classmethod
    def from_fields(cls, said: Mapping[str, Any]) -> AdditiveModel:
        """The model read from JSON fields; refused where it is none."""
        try:
            if not (said["version"] == _VERSION and said["kind"] == "additive" and said["scale"] == SCORE):
                raise ValueError
            target, clip = said["target"], float(said["clip"])
            values, bounds = target["values"], target["bounds"]
            features = tuple(map(read_feature, said["features"]))
            scores = tuple(tuple(map(int, each["scores"])) for each in said["features"])
            if any(len(numbers) != feature.levels for feature, numbers in zip(features, scores, strict=True)):
                raise ValueError
            read = TrainingTarget(
                target["name"],
                target["item"],
                None if values is None else (values[0], values[1]),
                None if bounds is None else (float(bounds[0]), float(bounds[1])),
            )
        except (KeyError, TypeError, ValueError, IndexError, AttributeError):
            raise Refused("this model", "It cannot be read.", "a file that `tacit learn fit` wrote.") from None
        return cls(read, features, scores, clip)
