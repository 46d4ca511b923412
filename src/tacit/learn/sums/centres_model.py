"""Centres of clusters in the units of their columns. Plain data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.learn.sums.design import ScaledDesign, ScaledNumber, encoded
from tacit.learn.training_text import TrainingTarget

Floats = NDArray[np.float64]
_VERSION: Final = 1


@frozen(eq=False)
class CentresModel:
    """Centres, each a number for each column, with about how many rows were nearest to it: noisy counts.

    Distances are those of columns scaled to their declared bounds.
    """

    numbers: tuple[ScaledNumber, ...]
    centres: tuple[tuple[float, ...], ...]
    rows: tuple[float, ...]

    @classmethod
    def of(cls, design: ScaledDesign, scaled: Floats, rows: Floats) -> CentresModel:
        """The model of scaled centres."""
        listed = [
            tuple(number.centre + number.half * float(at) for number, at in zip(design.numbers, centre, strict=True))
            for centre in scaled
        ]
        return cls(design.numbers, tuple(listed), tuple(map(float, rows)))

    @property
    def target(self) -> TrainingTarget:
        """The number of a centre."""
        return TrainingTarget("centre", "", tuple(range(len(self.centres))), None)

    def predict(self, columns: Mapping[str, Sequence[Any]]) -> list[Any]:
        """The number of the nearest centre; None for rows with NULL."""
        rows, _ = encoded(self.numbers, (), columns)
        spans = ((rows[:, None, :] - self.scaled[None, :, :]) ** 2).sum(axis=2)
        missing = np.isnan(rows.sum(axis=1)).tolist()
        return [None if lost else int(place) for lost, place in zip(missing, spans.argmin(axis=1), strict=True)]

    @property
    def scaled(self) -> Floats:
        """The centres from −1 to 1 in each column."""
        return np.array(
            [number.scaled([each[at] for each in self.centres]) for at, number in enumerate(self.numbers)]
        ).T

    def probabilities(self, columns: Mapping[str, Sequence[Any]]) -> None:
        """None: rows belong to the nearest centre."""

    def judged_sql(self) -> NoReturn:
        """Refused: no row says which centre is right."""
        raise Refused("an evaluation of centres", "No row says which is right.", "a query of distances.")

    @property
    def told(self) -> str:
        """The centres, with about how many rows are nearest to each."""
        listed = zip(self.centres, self.rows, strict=True)
        lines = [
            ", ".join(f"{number.name} {at:.5g}" for number, at in zip(self.numbers, centre, strict=True))
            + f": about {max(0.0, rows):,.0f} rows"
            for centre, rows in listed
        ]
        return "\n".join(lines)

    @property
    def digest(self) -> str:
        """What tells the model from any other."""
        return hashlib.sha256(json.dumps(self.fields(), sort_keys=True).encode()).hexdigest()

    def fields(self) -> dict[str, Any]:
        """The model for JSON."""
        listed = {"centres": [list(each) for each in self.centres], "rows": list(self.rows)}
        return {"version": _VERSION, "kind": "kmeans", "numbers": [each.fields() for each in self.numbers]} | listed

    @classmethod
    def from_fields(cls, said: Mapping[str, Any]) -> CentresModel:
        """The model read from JSON fields; refused where it is none."""
        try:
            if not (said["version"] == _VERSION and said["kind"] == "kmeans"):
                raise ValueError
            numbers = tuple(map(ScaledNumber.from_fields, said["numbers"]))
            centres = tuple(tuple(map(float, each)) for each in said["centres"])
            rows = tuple(map(float, said["rows"]))
            if len(rows) != len(centres) or any(len(each) != len(numbers) for each in centres):
                raise ValueError
        except (KeyError, TypeError, ValueError, IndexError, AttributeError):
            raise Refused("this model", "It cannot be read.", "a file that `tacit learn fit` wrote.") from None
        return cls(numbers, centres, rows)
