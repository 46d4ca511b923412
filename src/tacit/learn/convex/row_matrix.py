"""Training rows in memory, inside a stage of a job: the levels of each row, its target, and whose row it is.

Rows stay in the stage that reads them; what leaves it are noisy whole numbers. The order of rows depends on people and
rows alone, so that no engine's threads can change a sum.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.learn.convex.number_rows import Numbers, shortened
from tacit.learn.number_columns import NUMBER_STEPS
from tacit.learn.training_text import Task, Training
from tacit.query.engines.protocol import Fetched, Session
from tacit.query.execution.noisy_table import integers
from tacit.query.sql.clamp import cut, cut_float
from tacit.query.sql.rows import UNIT, Ownership

TARGET_STEPS: Final = 2**20  # of a number that is estimated, from its least to its greatest value
MOST_KEPT: Final = 2**20  # rows of one person

Integers = NDArray[np.int64]


@frozen(eq=False)
class RowMatrix:
    """Rows by person: `people` are 0 … in ascending order, so that the rows of one person stand together.

    `codes` has the level of each row in each feature, which one-hot columns are implied by. `target` is the place of
    the row's class, or the number that is estimated in steps of 1/`TARGET_STEPS` of its bounds, from −½ to ½.
    `numbers` are those of columns that count as numbers, in steps of 1/`NUMBER_STEPS`; no row of them is longer than
    the root of `longest`, in such steps.
    """

    people: Integers
    codes: NDArray[np.int32]
    target: Integers
    levels: tuple[int, ...]  # of each feature
    numbers: Numbers | None = None
    longest: int = 0

    def within(self, longest: int) -> RowMatrix:
        """The same rows, with their numbers cut to a length."""
        if self.numbers is None:
            return self
        return replace(self, numbers=shortened(self.numbers, longest), longest=longest)

    @property
    def rows(self) -> int:
        return len(self.people)

    @cached_property
    def held(self) -> Integers:
        """How many rows each person has: at least one."""
        return np.bincount(self.people).astype(np.int64)

    @cached_property
    def begins(self) -> Integers:
        """The place of each person's first row."""
        return np.asarray(np.cumsum(self.held) - self.held, np.int64)

    @cached_property
    def columns(self) -> Integers:
        """The one-hot column of each row in each feature, numbered over all features."""
        before = np.cumsum(self.levels) - self.levels
        return np.asarray(self.codes + before, np.int64)


@frozen(eq=False)
class RowReading:
    """What is read of training: the rows that have a target and an owner, at most `most_rows` of each person.

    Claim: which rows of a person are read, and their levels, numbers and targets, depends on that person's own rows
    alone; a level is below the number of levels of its feature, a number from −1 to 1, and a target within its classes
    or bounds, whatever the row holds. Proof: each is cut in the emitted SQL; the SELECT gives each row with its owner;
    and of a person with more rows those are kept at evenly spaced places among all of theirs in the order of their
    values, where rows that are equal in all values may be exchanged.
    """

    training: Training
    most_rows: int | None = None

    def __post_init__(self) -> None:
        if self.most_rows is not None and not 1 <= self.most_rows <= MOST_KEPT:
            raise Refused(f"{self.most_rows} rows of a person", "It is no number of rows.", f"1 to {MOST_KEPT:,}.")

    @property
    def sql(self) -> str:
        """One SELECT with columns "__unit", where a person may have several rows or owns them, c0 …, n0 … and t."""
        training = self.training
        levels = [
            f"{cut(sql, 0, feature.levels - 1)} AS c{place}"
            for place, (feature, sql) in enumerate(zip(training.features, training.level_sql, strict=True))
        ]
        levels += [
            f"{column.cut_sql(sql)} AS n{place}"
            for place, (column, sql) in enumerate(zip(training.numbers, training.number_sql, strict=True))
        ]
        unit = "1" if training.rows.ownership is Ownership.EACH else UNIT
        listed = ", ".join([f"{unit} AS {UNIT}", *levels, f"{training.target_sql} AS t"])
        read = f'SELECT {listed} FROM ({training.rows.under(listed)}) AS "__rows"'
        names = [f"c{place}" for place in range(len(training.features))]
        names += [f"n{place}" for place in range(len(training.numbers))]
        columns = ", ".join([UNIT, *names, f"{self._target('t')} AS t"])
        rows = f'"__read" AS ({read}), "__targets" AS (SELECT {columns} FROM "__read" WHERE t IS NOT NULL)'
        listed = ", ".join([UNIT, *names, "t"])
        if self.most_rows is None or training.rows.ownership is not Ownership.MANY:
            return f'WITH {rows} SELECT {listed} FROM "__targets"'
        place = f"row_number() OVER (PARTITION BY {UNIT} ORDER BY {', '.join([*names, 't'])})"
        placed = f'"__placed" AS (SELECT {listed}, {place} AS place FROM "__targets")'
        held = f'"__held" AS (SELECT {UNIT}, COUNT(*) AS held FROM "__targets" GROUP BY {UNIT})'
        spaced = f"(place * {self.most_rows}) // held > ((place - 1) * {self.most_rows}) // held"
        joined = f'"__placed" JOIN "__held" USING ({UNIT})'
        return f"WITH {rows}, {placed}, {held} SELECT {listed} FROM {joined} WHERE {spaced}"

    def fetch(self, session: Session) -> RowMatrix:
        """The rows, in a session of the data."""
        return self.matrix(session.run(self.sql))

    def matrix(self, table: Fetched) -> RowMatrix:
        """The rows of an engine's table."""
        levels = tuple(feature.levels for feature in self.training.features)
        codes = np.column_stack([integers(table, f"c{place}") for place in range(len(levels))]).astype(np.int32)
        target = integers(table, "t")
        is_own = self.training.rows.ownership is Ownership.EACH
        people = np.zeros(len(target), np.int64) if is_own else _numbered(table)
        numbers = self._numbers(table, len(target))
        last = [] if numbers is None else [_ranks(numbers)]
        order = np.lexsort((*last, target, *codes.T, people))
        owners = np.arange(len(target)) if is_own else people[order]
        if numbers is None:
            return RowMatrix(owners, codes[order], target[order], levels)
        longest = numbers.shape[1] * NUMBER_STEPS**2
        return RowMatrix(owners, codes[order], target[order], levels, numbers[order], longest)

    def _numbers(self, table: Fetched, rows: int) -> Numbers | None:
        many = len(self.training.numbers)
        if not many:
            return None
        found = np.empty((rows, many), np.int16)
        for place in range(many):
            found[:, place] = np.clip(integers(table, f"n{place}"), -NUMBER_STEPS, NUMBER_STEPS)
        return found

    def _target(self, name: str) -> str:
        values = self.training.target.values
        if self.training.target.task is Task.CLASSIFICATION:
            return str(cut(name, 0, len(values or ()) - 1))
        return str(cut_float(name, Fraction(1, TARGET_STEPS), -TARGET_STEPS // 2, TARGET_STEPS // 2))


def _numbered(table: Fetched) -> Integers:
    """People by number, in the order of what they are called."""
    named = UNIT.strip('"')
    column = table[named] if isinstance(table, Mapping) else table.column(named).to_pylist()
    numbers = {each: place for place, each in enumerate(sorted(set(column)))}  # not as an array: that cuts ending NULs
    return np.fromiter((numbers[each] for each in column), np.int64, len(column))


def _ranks(numbers: Numbers) -> Integers:
    """A number for each row of numbers, the same for equal rows, that depends on no order."""
    rows = np.ascontiguousarray(numbers).view(f"S{numbers.shape[1] * numbers.itemsize}")[:, 0]
    return np.asarray(np.unique(rows, return_inverse=True)[1], np.int64)
