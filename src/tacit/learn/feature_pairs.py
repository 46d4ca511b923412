"""Pairs of features: a level for every two levels, so that a model can say of both together what it cannot of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.learn.features import MOST_LEVELS, ModelFeature
from tacit.learn.training_text import Training, with_features


@frozen
class PairFeature(ModelFeature):
    """Two features as one: the level of the first, times the levels of the second, plus the level of the second."""

    parts: tuple[ModelFeature, ModelFeature]

    @property
    def levels(self) -> int:
        return self.parts[0].levels * self.parts[1].levels

    @property
    def columns(self) -> tuple[str, ...]:
        return self.parts[0].columns + self.parts[1].columns

    def chosen_sql(self, of_levels: Iterable[int]) -> str:
        """The number that belongs to a row's pair of levels, in the analyst's SQL."""
        numbers, second, level = list(of_levels), self.parts[1].levels, self.parts[0].level_sql()
        rows = [numbers[begin : begin + second] for begin in range(0, len(numbers), second)]
        *inner, otherwise = [self.parts[1].chosen_sql(row) for row in rows]
        runs = " ".join(f"WHEN ({level}) = {place} THEN {each}" for place, each in enumerate(inner))
        return f"CASE {runs} ELSE {otherwise} END"

    def codes_of(self, columns: Mapping[str, Sequence[Any]]) -> NDArray[np.int64]:
        """The levels of given rows."""
        first, second = (part.codes_of(columns) for part in self.parts)
        return np.asarray(first * self.parts[1].levels + second)

    def labels(self) -> tuple[str, ...]:
        """Both levels' names."""
        one, two = (part.labels() for part in self.parts)
        return tuple(f"{first}, {second}" for first in one for second in two)

    def fields(self) -> dict[str, Any]:
        """The pair for JSON."""
        return {"name": self.name, "pair": [part.fields() for part in self.parts]}


def paired(first: ModelFeature, second: ModelFeature) -> PairFeature:
    """The pair of two features; refused where it has too many levels."""
    name, levels = f"{first.name}*{second.name}", first.levels * second.levels
    if levels > MOST_LEVELS:
        why = f"It has {levels:,} levels, each with noise of its own."
        raise Refused(f"the pair {name}", why, f"at most {MOST_LEVELS:,} levels: fewer bins, or coarser columns.")
    return PairFeature(name, "", None, None, (first, second))


def with_pairs(training: Training, pairs: str) -> Training:
    """The training with pairs of its features, written as `age*ward, age*region`."""
    named = {feature.name: feature for feature in training.features if feature.name}
    found: list[ModelFeature] = []
    for said in (each.strip().lower() for each in pairs.split(",") if each.strip()):
        names = [name.strip() for name in said.split("*")]
        if len(names) != 2 or names[0] == names[1] or not set(names) <= set(named):
            raise Refused(
                f"the pair {said}", "It is no pair of features.", f"a*b, where both are of {', '.join(named)}."
            )
        found.append(paired(named[names[0]], named[names[1]]))
    return with_features(training, (*training.features, *found)) if found else training


def read_feature(said: Mapping[str, Any]) -> ModelFeature:
    """A feature, or a pair, read from JSON fields."""
    if "pair" not in said:
        return ModelFeature.from_fields(said)
    first, second = map(ModelFeature.from_fields, said["pair"])
    return paired(first, second)
