"""An outer query over released groups, checked: it is post-processing, free and repeatable.

It is bound on empty tables, and rehearsed on public groups with made-up numbers, before anything is charged. Should it
fail on the noisy numbers all the same, the table of its core is shown, and a note says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from fractions import Fraction
from typing import Any, Final

import numpy as np

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.aggregates.aggregate import Aggregate
from tacit.query.aggregates.moments import Total
from tacit.query.engines.duckdb.sealed import (
    MOST_ROWS,
    PublicTable,
    SealedResult,
    Stopped,
    StoppedError,
    run_sealed,
    sealed,
)
from tacit.query.outer.merged_cores import RELEASED
from tacit.query.outer.program import OuterProgram
from tacit.query.outer.public_tables import COLUMN_TYPES
from tacit.query.outer.weighed_columns import WeighedColumns
from tacit.query.plans.group_keys import KeyColumn, public_groups
from tacit.query.post_noise.estimates import Estimates, Groups, Keys, OutputColumn, Rendered
from tacit.schema.kind import TIMES, Kind

_WHOLE: Final = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UBIGINT", "UINTEGER")
_SHOWN: Final = {str(kind.traits.sql): kind for kind in (Kind.BOOLEAN, Kind.TEXT, *TIMES)}
_FLOATS: Final = ("DOUBLE", "FLOAT", "DECIMAL")
_ERROR: Final = re.compile(r"^[A-Z][A-Za-z ]* Error: ")
_LARGEST: Final = 2.0**53
_HALF: Final = Fraction(1, 2)  # the confidence of a rehearsal
_MADE_UP: Final = 2  # groups, where keys are private
SHOWN_OF: Final = "Totals over groups are of the groups that are shown."


@frozen(eq=False)
class OuterQuery:
    """What stands above the noise of a question: a program over the table of its groups."""

    program: OuterProgram
    keys: tuple[KeyColumn, ...]
    aggregates: Mapping[str, Aggregate]  # in the order of the columns a0, a1 …
    public: Mapping[str, PublicTable]  # the lookups that are joined

    @property
    def calls(self) -> tuple[str, ...]:
        """The aggregates by their SQL, in the order of the columns a0, a1 …"""
        return tuple(self.aggregates)

    @property
    def chooses_by_noise(self) -> bool:
        """Whether noisy numbers decide which rows are shown."""
        return self.program.is_chosen

    @property
    def is_outer(self) -> bool:
        return True

    def check(self) -> None:
        """Refuse a query that cannot be bound, or that fails on made-up numbers; nothing is charged yet."""
        groups = public_groups(self.keys)
        if groups is None:
            groups = [tuple(_made_up(key.kind, place) for key in self.keys) for place in range(_MADE_UP)]
        if not len(groups) <= MOST_ROWS:
            asked = f"an outer query over {len(groups):,} groups"
            raise Refused(asked, "It is computed in little memory.", f"at most {MOST_ROWS:,} groups, or the groups.")
        try:
            for some in ([], groups):
                _, found = self._computed(_rehearsed(self.keys, some, self.calls), _HALF)
                for name, kind in found.types.items():
                    _refuse_type(name, kind)
            self._render(_rehearsed(self.keys, groups[:_MADE_UP], self.calls), _HALF, None)
        except StoppedError as stopped:
            raise _refused(stopped) from None

    def render(self, groups: Groups, confidence: Fraction, bounded: Groups | None = None) -> Rendered:
        """The answer's columns, each number with an interval at this confidence where it has one."""
        try:
            return self._render(groups, confidence, bounded)
        except Exception as error:  # it may be behind the charge, where nothing fails: the groups are shown instead
            stopped = error if isinstance(error, StoppedError) else StoppedError(Stopped.VALUES)
            return self._groups_alone(groups, confidence, bounded, stopped)

    def _computed(self, groups: Groups, confidence: Fraction) -> tuple[PublicTable, SealedResult]:
        """The released table and the answer from it, without intervals."""
        if groups.size > MOST_ROWS:
            raise StoppedError(Stopped.ROWS)
        keys = [groups.keys[key.name].values for key in self.keys]
        table = self._table(keys, [groups.aggregates[name].at(confidence).value for name in self.calls])
        with sealed({**self.public, RELEASED: table}) as connection:
            return table, run_sealed(connection, self.program.plain_sql())

    def _render(self, groups: Groups, confidence: Fraction, bounded: Groups | None) -> Rendered:
        table, found = self._computed(groups, confidence)
        weighed = WeighedColumns.of(self.program, table, self.public, self.calls, groups, found, confidence)
        columns = []
        for place, (name, kind) in enumerate(found.types.items()):
            values = [row[place] for row in found.rows]
            form = self.program.columns[place] if place < len(self.program.columns) else None
            usual, alone = weighed.column(place, kind in _WHOLE, bounded) if weighed is not None else (None, None)
            shown = usual or _values(values, kind, form is not None and form.is_exact)
            columns.append(OutputColumn(name, shown, alone, is_derived=True))
        return Rendered(tuple(columns), self._notes(weighed is not None, groups.size))

    def _notes(self, is_weighed: bool, size: int) -> tuple[str, ...]:
        """What is to be said of columns without intervals, and of withheld groups."""
        lacking = [column.name for column in self.program.columns if column.form is None]
        noisy = [column.name for column in self.program.columns if column.form is not None and not column.is_exact]
        notes = []
        if lacking and size:
            verb = "has no interval: it is" if len(lacking) == 1 else "have no intervals: they are"
            notes.append(f"{', '.join(lacking)} {verb} computed from noisy numbers, but no sum or ratio of them.")
        if noisy and size and not is_weighed:
            verb = "has no interval" if len(noisy) == 1 else "have no intervals"
            notes.append(f"{', '.join(noisy)} {verb}: so many groups are not weighed.")
        if public_groups(self.keys) is None:
            notes.append(SHOWN_OF)
        return tuple(notes)

    def _groups_alone(
        self, groups: Groups, confidence: Fraction, bounded: Groups | None, stopped: StoppedError
    ) -> Rendered:
        columns = [OutputColumn(key.name, groups.keys[key.name]) for key in self.keys]
        for name in self.calls:
            beside = None if bounded is None else bounded.aggregates[name].at(confidence)
            columns.append(OutputColumn(name, groups.aggregates[name].at(confidence), beside))
        note = f"The statement was not computed: {stopped}. These are the groups that it reads, asked for and paid."
        return Rendered(tuple(columns), (note,))

    def _table(self, keys: Sequence[Sequence[Any]], numbers: Sequence[Any]) -> PublicTable:
        columns, values = {}, {}
        for place, key in enumerate(self.keys):
            columns[f"k{place}"] = COLUMN_TYPES[key.kind]
            values[f"k{place}"] = [str(value) if _is_whole(value) else value for value in keys[place]]
        for place, aggregate in enumerate(self.aggregates.values()):
            whole = _is_counted(aggregate)
            columns[f"a{place}"] = "BIGINT" if whole else "DOUBLE"
            values[f"a{place}"] = [_number(value, whole) for value in np.asarray(numbers[place]).tolist()]
        if not columns:
            columns["k0"], values["k0"] = "BOOLEAN", [True]
        return PublicTable(columns, values)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_counted(aggregate: Aggregate) -> bool:
    return isinstance(aggregate, Total) and aggregate.part.step.denominator == 1


def _number(value: float, whole: bool) -> float | int | None:
    if not np.isfinite(value):
        return None
    return int(np.clip(round(value), -_LARGEST, _LARGEST)) if whole else value


@frozen(eq=False)
class _MadeUpNumbers:
    """Numbers of a rehearsal: 1, 2, 3 …"""

    size: int

    def at(self, confidence: Fraction) -> Estimates:
        values = np.arange(1.0, self.size + 1)
        return Estimates(values, values / 2, 2 * values)


def _rehearsed(keys: Sequence[KeyColumn], groups: Sequence[Sequence[Any]], calls: Sequence[str]) -> Groups:
    """Groups with made-up numbers; their keys as they are shown."""
    columns = {
        key.name: Keys(
            tuple(
                group[place] / 10**key.scale if key.scale and isinstance(group[place], int) else group[place]
                for group in groups
            ),
            Kind.FLOAT if key.kind is Kind.DECIMAL else key.kind,
        )
        for place, key in enumerate(keys)
    }
    return Groups(columns, {name: _MadeUpNumbers(len(groups)) for name in calls}, len(groups))


def _made_up(kind: Kind, place: int) -> Any:
    if kind is Kind.TEXT:
        return "ab"[place]
    if kind.is_time:
        return datetime(2001, 1, place + 1) if kind.has_clock else date(2001, 1, place + 1)
    return bool(place) if kind is Kind.BOOLEAN else place


def _refused(stopped: StoppedError) -> Refused:
    accepted = "columns of the sub-query by their names; a scalar sub-query of one row; fewer rows."
    words = _ERROR.sub("", stopped.words.split("\n")[0]).rstrip(".!")
    why = f"{words or str(stopped)}."
    why = f"{why[0].upper()}{why[1:]}"
    return Refused("what is computed from the released groups", why, accepted)


def _refuse_type(name: str, kind: str) -> None:
    base = kind.split("(")[0]
    if base not in (*_WHOLE, *_SHOWN, *_FLOATS) or kind.endswith("]"):
        raise Refused(f"the column {name}", f"Its type is {base}.", "a number, a text, a date, or true and false.")


def _values(values: Sequence[Any], kind: str, is_exact: bool) -> Keys | Estimates:
    """A column without an interval: exact values, or numbers about whose errors nothing is known."""
    base = kind.split("(")[0]
    if base in _SHOWN:
        return Keys(tuple(values), _SHOWN[base])
    whole = base in _WHOLE
    if is_exact:
        made = (None if value is None else int(value) if whole else float(value) for value in values)
        return Keys(tuple(made), Kind.INTEGER if whole else Kind.FLOAT)
    points = np.array([np.nan if value is None else float(value) for value in values], np.float64)
    points[~np.isfinite(points)] = np.nan
    return Estimates(points, np.full(len(points), -np.inf), np.full(len(points), np.inf), whole)
