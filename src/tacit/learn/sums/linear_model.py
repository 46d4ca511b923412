"""A linear model with an interval for each coefficient. Plain data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.learn.features import ModelFeature, literal
from tacit.learn.sums.design import ScaledNumber, encoded
from tacit.learn.sums.moments import Moments
from tacit.learn.sums.ridge import ridge_fit
from tacit.learn.training_text import TrainingTarget

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
_VERSION: Final = 1


@frozen
class Coefficient:
    """A coefficient: what the target grows by with one unit of a number, or at a level of a key beside its first.

    `error` is the standard deviation of what the noise adds to it.
    """

    name: str
    value: float
    error: float

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """The interval for the coefficient of the exact sums of rows as they were added up, at the model's ridge."""
        if not 0 < confidence < 1:
            raise Refused(f"a confidence of {confidence}", "It is a probability.", "above 0, below 1.")
        far = NormalDist().inv_cdf((1 + confidence) / 2) * self.error
        return self.value - far, self.value + far


@frozen(eq=False)
class LinearModel:
    """A target as a constant, a multiple of each number, and a number for each level of each key.

    The intervals of `coefficients` are for the coefficients that the exact sums would give at the same `ridge`, of
    complete rows as they were added up: cut at declared bounds, and scaled where a person has more, or further out,
    than the limit. They are least-squares coefficients where `is_least_squares`. Only the noise is in them, not what
    another sample of people would change.
    """

    scale: ScaledNumber  # the target
    numbers: tuple[ScaledNumber, ...]
    keys: tuple[ModelFeature, ...]
    scaled: tuple[float, ...]  # the coefficients of scaled columns: 1, numbers, levels
    coefficients: tuple[Coefficient, ...]  # the same in the units of the columns
    ridge: float

    @classmethod
    def fitted(cls, moments: Moments, noisy: Integers, width: float) -> LinearModel:
        """The model from noisy sums."""
        design, fit = moments.design, ridge_fit(moments, noisy, width)
        *numbers, target = design.numbers
        back = _back(numbers, target, len(fit.coefficients))
        values = back @ fit.coefficients
        values[0] += target.centre
        errors = np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", back, fit.covariance, back), 0))
        names = [name for place, name in enumerate(moments.names) if place != len(design.numbers)]
        listed = map(Coefficient, names, map(float, values), map(float, errors))
        scaled = tuple(map(float, fit.coefficients))
        return cls(target, tuple(numbers), design.keys, scaled, tuple(listed), fit.ridge)

    @property
    def target(self) -> TrainingTarget:
        """What is predicted."""
        return TrainingTarget(self.scale.name, self.scale.item, None, (self.scale.low, self.scale.high))

    @property
    def is_least_squares(self) -> bool:
        """Whether the sums were so exact that no ridge was needed."""
        return self.ridge == 0

    def predict(self, columns: Mapping[str, Sequence[Any]]) -> Floats:
        """The expected target, cut at its bounds; NaN for rows with NULL or a value that is not declared."""
        numbers, levels = encoded(self.numbers, self.keys, columns)
        constant, *others = self.scaled
        total = constant + numbers @ np.array(others[: len(self.numbers)])
        start = len(self.numbers)
        for key, codes in zip(self.keys, levels, strict=True):
            own = np.array([0.0, *others[start : start + len(key.values or ()) - 1], np.nan])
            total = total + own[codes]
            start += len(key.values or ()) - 1
        return np.asarray(self.scale.centre + self.scale.half * np.clip(total, -1, 1))

    def probabilities(self, columns: Mapping[str, Sequence[Any]]) -> None:
        """None: a number is estimated."""

    def judged_sql(self) -> str:
        """The squared error of a prediction; NULL for incomplete rows."""
        terms = [literal(self.scaled[0])]
        for number, value in zip(self.numbers, self.scaled[1:], strict=False):
            terms.append(f"{literal(value)} * {number.scaled_sql()}")
        start = 1 + len(self.numbers)
        for key in self.keys:
            end = start + len(key.values or ()) - 1
            runs = enumerate([0.0, *self.scaled[start:end]])
            cases = " ".join(f"WHEN {place} THEN {literal(value)}" for place, value in runs)
            terms.append(f"(CASE ({key.level_sql()}) {cases} END)")
            start = end
        share = f"least(greatest({' + '.join(terms)}, -1), 1)"
        return f"power(({self.scale.item}) - ({literal(self.scale.centre)} + {literal(self.scale.half)} * {share}), 2)"

    @property
    def told(self) -> str:
        """The coefficients with their 95% intervals, and what these are of."""
        wide = max(len(each.name) for each in self.coefficients)
        lines = [f"{each.name:<{wide}}  {each.value:12.5g} ± {1.96 * each.error:.2g}" for each in self.coefficients]
        shrunk = f"of a ridge of {self.ridge:,.0f} rows, which the noise needs: they are shrunk"
        kind = "of least squares" if self.is_least_squares else shrunk
        return "\n".join([*lines, f"± is 95% of the noise. Coefficients are {kind}, on complete rows within bounds."])

    @property
    def digest(self) -> str:
        """What tells the model from any other."""
        return hashlib.sha256(json.dumps(self.fields(), sort_keys=True).encode()).hexdigest()

    def fields(self) -> dict[str, Any]:
        """The model for JSON."""
        shown = [{"name": each.name, "value": each.value, "error": each.error} for each in self.coefficients]
        return {
            "version": _VERSION,
            "kind": "linear",
            "target": self.scale.fields(),
            "numbers": [each.fields() for each in self.numbers],
            "keys": [each.fields() for each in self.keys],
            "scaled": list(self.scaled),
            "coefficients": shown,
            "ridge": self.ridge,
        }

    @classmethod
    def from_fields(cls, said: Mapping[str, Any]) -> LinearModel:
        """The model read from JSON fields; refused where it is none."""
        try:
            if not (said["version"] == _VERSION and said["kind"] == "linear"):
                raise ValueError
            numbers = tuple(map(ScaledNumber.from_fields, said["numbers"]))
            keys = tuple(map(ModelFeature.from_fields, said["keys"]))
            shown = tuple(
                Coefficient(str(each["name"]), float(each["value"]), float(each["error"]))
                for each in said["coefficients"]
            )
            scaled = tuple(map(float, said["scaled"]))
            columns = 1 + len(numbers) + sum(len(key.values or ()) - 1 for key in keys)
            if not len(shown) == len(scaled) == columns:
                raise ValueError
            return cls(ScaledNumber.from_fields(said["target"]), numbers, keys, scaled, shown, float(said["ridge"]))
        except (KeyError, TypeError, ValueError, IndexError, AttributeError):
            raise Refused("this model", "It cannot be read.", "a file that `tacit learn fit` wrote.") from None


def _back(numbers: Sequence[ScaledNumber], target: ScaledNumber, columns: int) -> Floats:
    """The map from coefficients of scaled columns to those of columns in their units, but the target's centre."""
    whole = np.eye(columns) * target.half
    for place, number in enumerate(numbers, 1):
        whole[place, place] = target.half / number.half
        whole[0, place] = -target.half * number.centre / number.half
    return whole
