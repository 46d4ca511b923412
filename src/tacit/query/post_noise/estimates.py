"""Columns after the noise, one entry per group: keys, noisy numbers with intervals, and the rendered answer."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.schema.kind import Key, Kind, kind_of

Floats: TypeAlias = NDArray[np.float64]

PUBLISHED = "_published"
"""The suffix of a column for publication, after the name of its number."""


@frozen(eq=False)
class Estimates:
    """A column of numbers, each with an interval for the quantity that it estimates.

    A value is nan where the data are too few; its ends then give the known bounds, and are infinite where there are
    none. `whole` says that the values are whole numbers (counts, sums of integers). `time` is the kind of time that
    the numbers stand for, which are days or seconds since the start of 1970.
    """

    value: Floats
    low: Floats
    high: Floats
    whole: bool = False
    time: Kind | None = None

    def __post_init__(self) -> None:
        if not self.value.shape == self.low.shape == self.high.shape == (len(self.value),):
            raise Refused("estimates of different lengths", "Every value needs its two ends.", "three equal columns.")

    def __len__(self) -> int:
        return len(self.value)

    def take(self, rows: NDArray[np.int64]) -> Estimates:
        return Estimates(self.value[rows], self.low[rows], self.high[rows], self.whole, self.time)

    @property
    def times(self) -> tuple[Keys, Keys, Keys]:
        """The values and their two ends as times, where they stand for some; None where one is unknown."""
        kind = self.time
        assert kind is not None
        scale, steps = kind.time_scale, kind.time_scale.steps_a_second if kind.has_clock else 1
        first, last = scale.limits  # a cell of the grid may reach a second beyond the calendar

        def read(points: Floats) -> Keys:
            known = (None if not np.isfinite(point) else int(point) * steps for point in points)
            kept = (None if point is None else scale.time(min(max(point, first), last)) for point in known)
            return Keys(tuple(kept), kind)

        return read(self.value), read(self.low), read(self.high)


class Noisy(Protocol):
    """An aggregate after the noise."""

    def at(self, confidence: Fraction) -> Estimates:
        """Its values, each with an interval that misses with probability at most 1 − confidence."""
        ...


@frozen
class Keys:
    """A column of exact values: group keys, and expressions of keys and constants only."""

    values: tuple[Key | float | None, ...]
    kind: Kind | None = None  # None: the kind is inferred from the values

    def __len__(self) -> int:
        return len(self.values)

    @property
    def type(self) -> Kind:
        return self.kind or next((kind_of(value) for value in self.values if value is not None), Kind.TEXT)

    def take(self, rows: NDArray[np.int64]) -> Keys:
        if len(rows) == len(self.values) and np.array_equal(rows, np.arange(len(rows))):
            return self
        return Keys(tuple(map(self.values.__getitem__, rows.tolist())), self.kind)


@frozen(eq=False)
class Groups:
    """A released table before it is rendered: keys and noisy aggregates by their canonical SQL."""

    keys: Mapping[str, Keys]
    aggregates: Mapping[str, Noisy]
    size: int


@frozen(eq=False)
class OutputColumn:
    """A named column of the answer: exact values of keys, or noisy numbers with their intervals.

    `bounded` are the numbers with intervals of the noise alone, where `values` include the clipping bias. A derived
    column is computed of released groups by an outer query, so that a number it lacks is SQL's NULL.
    """

    name: str
    values: Keys | Estimates
    bounded: Estimates | None = None
    is_derived: bool = False

    @property
    def is_key(self) -> bool:
        return isinstance(self.values, Keys)

    @property
    def whole(self) -> bool:
        return isinstance(self.values, Estimates) and self.values.whole

    def take(self, rows: NDArray[np.int64]) -> OutputColumn:
        bounded = None if self.bounded is None else self.bounded.take(rows)
        return OutputColumn(self.name, self.values.take(rows), bounded, self.is_derived)


@frozen(eq=False)
class Rendered:
    """The answer's columns, and what must be said of them besides."""

    columns: tuple[OutputColumn, ...]
    notes: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        return len(self.columns[0].values)

    @property
    def has_bounded(self) -> bool:
        """Whether numbers also have intervals of the noise alone."""
        return any(column.bounded is not None for column in self.columns)

    @property
    def measured(self) -> Rendered:
        """Its keys and numbers: without noisy times, and without columns for publication, which are no keys."""
        kept = (each for each in self.columns if not self.is_published(each))
        return Rendered(tuple(each for each in kept if isinstance(each.values, Keys) or each.values.time is None))

    def is_published(self, column: OutputColumn) -> bool:
        """Whether a column is one for publication."""
        beside = {f"{each.name}{PUBLISHED}" for each in self.columns if not each.is_key}
        return column.is_key and column.name in beside

    @property
    def is_one_row(self) -> bool:
        """Whether it is one row without keys."""
        return self.size == 1 and not any(column.is_key for column in self.columns)

    def first(self, most: int | None) -> Rendered:
        """Its first rows, at most this many."""
        rows = np.arange(self.size if most is None else min(most, self.size), dtype=np.int64)
        return Rendered(tuple(column.take(rows) for column in self.columns))

    def __getitem__(self, name: str) -> OutputColumn:
        return next(column for column in self.columns if column.name == name)


class AboveNoise(Protocol):
    """What a statement computes from the groups of its question: it renders a stored release, free and repeatable."""

    @property
    def chooses_by_noise(self) -> bool:
        """Whether noisy numbers decide which rows are shown."""
        ...

    @property
    def is_outer(self) -> bool:
        """Whether it is an outer query, whose rows are others than the groups."""
        ...

    def render(self, groups: Groups, confidence: Fraction, bounded: Groups | None = None) -> Rendered:
        """The answer's columns, each number with an interval at this confidence where it has one."""
        ...
