"""A table of people to train models on and to attack: labels, features, and whose row each is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tacit.audit.membership.rounds import Marks, Reals
from tacit.curator.declared_table import TARGET, DeclaredColumn
from tacit.errors import Refused
from tacit.exact import whole
from tacit.frozen import frozen

_MOST_KEYS: Final = 20  # of a column of texts, and of classes
_LEAST_PEOPLE: Final = 20
Integers = NDArray[np.int64]


@frozen(eq=False)
class AttackedTable:
    """Rows of people drawn from a file, with the class of each row as a number.

    Bounds and keys of features are read off these rows. They are the same for all models, members and others, so that
    they tell nothing in the game; a release needs them declared.
    """

    classes: tuple[Any, ...]
    labels: Integers
    owners: Integers  # of each row, a place among the people
    numbers: Integers  # of each row in the file, from 1
    columns: Mapping[str, Sequence[Any]]
    features: tuple[DeclaredColumn, ...]
    left_out: tuple[str, ...]

    @classmethod
    def of(
        cls, columns: Mapping[str, Sequence[Any]], target: str, unit: str | None, people: int, seed: int = 0
    ) -> AttackedTable:
        """The rows of so many people drawn at random; those without a label or an owner are left out."""
        for name in (target, *([] if unit is None else [unit])):
            if name not in columns:
                raise Refused(f"the column {name}", "There is none of that name.", f"one of {', '.join(columns)}.")
        wanted, rows = whole(people, "people", _LEAST_PEOPLE), len(columns[target])
        names = list(range(rows)) if unit is None else list(columns[unit])
        held = [at for at in range(rows) if _is_known(columns[target][at]) and _is_known(names[at])]
        known = list(dict.fromkeys(names[at] for at in held))
        if len(known) < _LEAST_PEOPLE:
            raise Refused(f"an attack on {len(known)} people", "It needs halves of them.", f"{_LEAST_PEOPLE} or more.")
        drawn = np.random.default_rng(seed).permutation(len(known))[:wanted]
        places = {known[at]: place for place, at in enumerate(sorted(drawn.tolist()))}
        held = [at for at in held if names[at] in places]
        values = sorted({columns[target][at] for at in held}, key=lambda value: (str(type(value)), value))
        if not 2 <= len(values) <= _MOST_KEYS:
            why = f"It has {len(values):,} values among these people."
            raise Refused(f"the target {target}", why, f"a column of 2 to {_MOST_KEYS} classes.")
        others = {name: [column[at] for at in held] for name, column in columns.items() if name not in (target, unit)}
        read = {name: _feature(f"x{place}", column) for place, (name, column) in enumerate(others.items())}
        features = {name: feature for name, feature in read.items() if feature is not None}
        if not features:
            raise Refused("a table without features", "There is nothing to learn from.", "columns of numbers or keys.")
        return cls(
            tuple(values),
            np.array([values.index(columns[target][at]) for at in held]),
            np.array([places[names[at]] for at in held]),
            np.array(held) + 1,
            {feature.name: others[name] for name, feature in features.items()},
            tuple(features.values()),
            tuple(name for name in others if name not in features),
        )

    @cached_property
    def people(self) -> int:
        return int(self.owners.max()) + 1

    @cached_property
    def matrix(self) -> Reals:
        """Features as columns of numbers from 0 to 1: a scaled number, or a column for each key."""
        found: list[Any] = []
        for feature in self.features:
            values = feature.values(self.columns[feature.name])
            if feature.keys is not None:
                found += [[float(value == key) for value in values] for key in feature.keys]
                continue
            low, high = feature.bounds or (0.0, 1.0)
            missing = [value is None for value in values]
            found.append([0.5 if value is None else (value - low) / (high - low) for value in values])
            found += [np.array(missing, np.float64)] if any(missing) else []
        return np.column_stack(found).astype(np.float64)

    @property
    def declared(self) -> tuple[DeclaredColumn, ...]:
        """The class and the features as declared columns."""
        return (DeclaredColumn(TARGET, None, tuple(range(len(self.classes)))), *self.features)

    def rows_of(self, part: Marks) -> Marks:
        """Which rows are those of the people who are marked."""
        return np.asarray(part[self.owners])

    def by_person(self, of_rows: Reals) -> Reals:
        """The mean over each person's rows."""
        return np.bincount(self.owners, of_rows, self.people) / np.bincount(self.owners, minlength=self.people)

    def mislabelled(self, who: Marks, seed: int = 0) -> AttackedTable:
        """The same, where all rows of the people who are marked have another class, drawn at random."""
        steps = np.random.default_rng(seed).integers(1, len(self.classes), len(self.labels))
        labels = np.where(self.rows_of(who), (self.labels + steps) % len(self.classes), self.labels)
        return AttackedTable(
            self.classes, labels, self.owners, self.numbers, self.columns, self.features, self.left_out
        )

    def rows_in_file(self, person: int) -> list[int]:
        """The numbers of a person's rows in the file, from 1."""
        return [int(each) for each in self.numbers[self.owners == person]]


def _feature(name: str, column: Sequence[Any]) -> DeclaredColumn | None:
    """A number with the bounds of the column, or a text or truth value with its keys; None of anything else."""
    known = {value for value in column if _is_known(value)}
    kinds = {bool if isinstance(value, bool) else str if isinstance(value, str) else float for value in known}
    if len(kinds) != 1 or not all(isinstance(value, bool | int | float | str) for value in known) or len(known) < 2:
        return None
    if kinds == {float}:
        return DeclaredColumn.of(name, name, (float(min(known)), float(max(known))), None)
    return DeclaredColumn.of(name, name, None, sorted(known)) if len(known) <= _MOST_KEYS else None


def _is_known(value: Any) -> bool:
    return value is not None and bool(value == value)
