"""A model with a score for each class at each level of each feature; the class with the largest sum is predicted."""

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
from tacit.learn.training_text import TrainingTarget
from tacit.schema.kind import Key

Floats = NDArray[np.float64]
_VERSION: Final = 1
CLASS_KINDS: Final = ("naive-bayes", "multinomial")


@frozen(eq=False)
class ClassScores:
    """`scores` has, for each feature and level, a whole number of steps of 1/`SCORE` for each class.

    In naive Bayes they are logarithms of shares, in a multinomial model terms of the exponent; probabilities are the
    shares of the exponentials of the sums.
    """

    kind: str
    target: TrainingTarget
    features: tuple[ModelFeature, ...]
    scores: tuple[tuple[tuple[int, ...], ...], ...]

    @property
    def classes(self) -> tuple[Key, ...]:
        return self.target.values or ()

    def score(self, columns: Mapping[str, Sequence[Any]]) -> Floats:
        """The sums of scores of rows, a column for each class."""
        named = {name.lower(): values for name, values in columns.items()}
        wanted = list(dict.fromkeys(name for feature in self.features for name in feature.columns))
        missing = [name for name in wanted if name not in named]
        if missing:
            raise Refused(f"rows without {missing[0]}", "The model reads it.", f"columns {', '.join(wanted)}.")
        whole = np.zeros((len(named[wanted[0]]), len(self.classes)))
        for feature, scores in zip(self.features, self.scores, strict=True):
            whole += np.array(scores)[feature.codes_of(named)]
        return whole / SCORE

    def probabilities(self, columns: Mapping[str, Sequence[Any]]) -> Floats:
        """A column for each value of the target."""
        scores = self.score(columns)
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def predict(self, columns: Mapping[str, Sequence[Any]]) -> list[Key]:
        """The likeliest value of the target."""
        return [self.classes[place] for place in self.score(columns).argmax(axis=1)]

    def judged_sql(self) -> str:
        """1 where the prediction is right, else 0: the first of the classes with the largest score."""
        sums = []
        for place in range(len(self.classes)):
            parts = [
                feature.chosen_sql([level[place] for level in scores])
                for feature, scores in zip(self.features, self.scores, strict=True)
            ]
            sums.append(" + ".join(f"({part})" for part in parts))
        right = []
        for place, own in enumerate(sums):
            tests = [f"({self.target.unit_sql()}) = {place}"]
            tests += [
                f"({own}) {'>' if other < place else '>='} ({sums[other]})"
                for other in range(len(sums))
                if other != place
            ]
            right.append(f"WHEN {' AND '.join(tests)} THEN 1")
        return f"CASE {' '.join(right)} ELSE 0 END"

    @property
    def digest(self) -> str:
        """What tells the model from any other."""
        return hashlib.sha256(json.dumps(self.fields(), sort_keys=True).encode()).hexdigest()

    def fields(self) -> dict[str, Any]:
        """The model for JSON."""
        listed = [
            feature.fields() | {"scores": [list(level) for level in scores]}
            for feature, scores in zip(self.features, self.scores, strict=True)
        ]
        target = {"name": self.target.name, "item": self.target.item, "values": list(self.classes)}
        return {"version": _VERSION, "kind": self.kind, "scale": SCORE, "target": target, "features": listed}

    @classmethod
    def from_fields(cls, said: Mapping[str, Any]) -> ClassScores:
        """The model read from JSON fields; refused where it is none."""
        try:
            if not (said["version"] == _VERSION and said["kind"] in CLASS_KINDS and said["scale"] == SCORE):
                raise ValueError
            target = said["target"]
            read = TrainingTarget(target["name"], target["item"], tuple(target["values"]), None)
            features = tuple(map(read_feature, said["features"]))
            scores = tuple(tuple(tuple(map(int, level)) for level in each["scores"]) for each in said["features"])
            for feature, levels in zip(features, scores, strict=True):
                if len(levels) != feature.levels or any(len(level) != len(read.values or ()) for level in levels):
                    raise ValueError
        except (KeyError, TypeError, ValueError, IndexError, AttributeError):
            raise Refused("this model", "It cannot be read.", "a file that `tacit learn fit` wrote.") from None
        return cls(said["kind"], read, features, scores)
