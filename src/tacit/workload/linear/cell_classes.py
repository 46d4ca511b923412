"""The cells of a domain: columns with public values, where values that no question distinguishes form one class.

Two values of a column are in one class if every part of a question that reads only this column is the same for them. So
classes are found column by column, and cells are combinations of classes: the raw product may be far larger.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.plans.group_keys import KeyColumn
from tacit.query.post_noise.estimates import Groups, Keys
from tacit.query.post_noise.expression import Expression, KeyReference, evaluate
from tacit.query.post_noise.post_processing import exact_values
from tacit.query.sql.values.storage import literal_sql
from tacit.schema.kind import Key, Kind
from tacit.workload.public_functions import PublicFunction, Shown

MOST_COMBINATIONS = 2**17
_RAW = 2**16  # combinations of raw values that are grouped by as they are
_HALF = Fraction(1, 2)


@frozen(eq=False)
class ClassedColumn:
    """A public column, the functions of it that questions read, and the class of each of its values."""

    key: KeyColumn
    values: tuple[Key | None, ...]
    functions: tuple[PublicFunction, ...]
    classes: tuple[int, ...]

    @cached_property
    def first(self) -> tuple[int, ...]:
        """The place of a value of each class."""
        return tuple(self.classes.index(each) for each in range(max(self.classes) + 1))

    def columns(self, places: Sequence[int]) -> dict[str, Keys]:
        """The column, and its functions, at the places of some of its values."""
        shown = [_shown(self.key, self.values[place]) for place in places]
        kind = Kind.FLOAT if self.key.kind is Kind.DECIMAL else self.key.kind
        found = {each.name: Keys(tuple(map(each.of, shown)), each.kind) for each in self.functions}
        return {self.key.name: Keys(tuple(shown), kind), **found}

    def by_class(self) -> KeyColumn:
        """The key whose values are the classes."""
        runs = "".join(f" WHEN {test} THEN {label}" for test, label in self._tests())
        sql = f"CASE{runs} END"
        return KeyColumn(self.key.name, sql, Kind.INTEGER, 0, tuple(range(len(self.first))))

    def _tests(self) -> Iterator[tuple[str, int]]:
        """Conditions on the column, each with its class: runs of numbers and dates as ranges."""
        sql, listed = self.key.sql, list(zip(self.values, self.classes, strict=True))
        yield from ((f"{sql} IS NULL", label) for value, label in listed if value is None)
        known = [(value, label) for value, label in listed if value is not None]
        if self.key.kind not in (Kind.INTEGER, Kind.DATE):
            yield from ((f"{sql} = {literal_sql(value)}", label) for value, label in known)
            return
        known.sort(key=lambda each: str(each[0]) if self.key.kind is Kind.DATE else each[0])
        begin = 0
        for place in range(1, len(known) + 1):
            if place == len(known) or known[place][1] != known[begin][1]:
                ends = " AND ".join(literal_sql(known[at][0]) for at in (begin, place - 1))
                yield f"{sql} BETWEEN {ends}", known[begin][1]
                begin = place


@frozen(eq=False)
class CellDomain:
    """All combinations of the classes of some columns."""

    columns: tuple[ClassedColumn, ...]

    @property
    def size(self) -> int:
        return prod(len(column.first) for column in self.columns)

    @cached_property
    def groups(self) -> Groups:
        """One value of each class, combined: what questions are evaluated over."""
        listed = list(product(*(column.first for column in self.columns)))
        keys: dict[str, Keys] = {}
        for axis, column in enumerate(self.columns):
            keys |= column.columns([cell[axis] for cell in listed])
        return Groups(keys, {}, len(listed))

    @cached_property
    def values(self) -> Mapping[str, Collection[Shown]]:
        """What each column, and each function of one, may be."""
        found: dict[str, Collection[Shown]] = {}
        for column in self.columns:
            listed = column.columns(range(len(column.values)))
            found |= {name: {*keys.values} for name, keys in listed.items()}
        return found

    @cached_property
    def is_raw(self) -> bool:
        """Whether rows are grouped by columns as they are: few enough combinations, and no CASE for each row."""
        return prod(len(column.values) for column in self.columns) <= _RAW

    @property
    def keys(self) -> tuple[KeyColumn, ...]:
        """What rows are grouped by."""
        return tuple(column.key if self.is_raw else column.by_class() for column in self.columns)

    def cells(self, groups: Sequence[Sequence[Key | None]]) -> NDArray[np.int64]:
        """The cell of each group of rows; −1 where a value is none of its column's."""
        many = len(groups[0]) if groups else 1
        flat, fits = np.zeros(many, np.int64), np.ones(many, np.bool_)
        for column, values in zip(self.columns, groups, strict=True):
            labels = range(len(column.first))
            place = dict(zip(column.values, column.classes, strict=True) if self.is_raw else enumerate(labels))
            found = np.array([place.get(value, -1) for value in values], np.int64)
            flat, fits = flat * len(column.first) + found, fits & (found >= 0)
        return np.where(fits, flat, -1)


def cell_domain(
    keys: Sequence[KeyColumn], functions: Sequence[PublicFunction], expressions: Sequence[Expression]
) -> CellDomain:
    """The domain over public columns in which every expression is the same throughout a cell."""
    owners = {key.name: key.name for key in keys} | {each.name: each.column for each in functions}
    single: dict[str, list[Expression]] = {key.name: [] for key in keys}
    for expression in expressions:
        _add_single(expression, owners, single)
    columns = []
    for key in keys:
        if key.domain is None:
            raise Refused(
                f"questions about {key.name}",
                "Nobody knows beforehand which values it has.",
                "columns with declared keys, or integers and dates with min and max.",
            )
        own = tuple({each.name: each for each in functions if each.column == key.name}.values())
        plain = ClassedColumn(key, key.domain, own, (0,) * len(key.domain))
        columns.append(ClassedColumn(key, key.domain, own, _classes(plain, single[key.name])))
    domain = CellDomain(tuple(columns))
    if not domain.size <= MOST_COMBINATIONS:
        raise Refused(
            f"questions over {domain.size:,} combinations of values",
            "Each combination that questions tell apart may become a cell.",
            f"at most {MOST_COMBINATIONS:,}: fewer columns, or coarser ranges.",
        )
    return domain


def _add_single(expression: Expression, owners: Mapping[str, str], single: Mapping[str, list[Expression]]) -> None:
    """Notes the largest parts that read one column alone."""
    read = {owners[name] for name in names_in(expression)}
    if len(read) == 1:
        single[read.pop()].append(expression)
    else:
        for part in expression.parts:
            _add_single(part, owners, single)


def names_in(expression: Expression) -> set[str]:
    """The keys that an expression reads."""
    own = {expression.name} if isinstance(expression, KeyReference) else set[str]()
    return own.union(*(names_in(part) for part in expression.parts))


def _classes(column: ClassedColumn, expressions: Sequence[Expression]) -> tuple[int, ...]:
    """The class of each value: the values that all these expressions have there."""
    groups = Groups(column.columns(range(len(column.values))), {}, len(column.values))
    read = [exact_values(evaluate(each, groups, _HALF)).values for each in dict.fromkeys(expressions)]
    labels: dict[tuple[Shown, ...], int] = {}
    return tuple(
        labels.setdefault(tuple(values[place] for values in read), len(labels)) for place in range(len(column.values))
    )


def _shown(key: KeyColumn, value: Key | None) -> Shown:
    return value / 10**key.scale if key.scale and isinstance(value, int) else value
