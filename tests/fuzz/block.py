"""A block of rows: for each column a declaration, and dense values that queries cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import TypeAlias

from tests.fuzz import awkward, awkward_texts

from tacit.query.sql.expressions import NamedScope, read_column
from tacit.query.sql.values.storage import number_of
from tacit.schema.description import Column
from tacit.schema.kind import Kind

Value: TypeAlias = "int | float | Decimal | str | date | datetime"
COLUMNS: dict[str, tuple[str, Kind, int]] = {
    **dict.fromkeys(("i", "j", "l"), ("BIGINT", Kind.INTEGER, 0)),
    "c": ("DECIMAL(18,2)", Kind.DECIMAL, 2),
    "e": ("DECIMAL(28,9)", Kind.DECIMAL, 9),
    "f": ("DECIMAL(4,1)", Kind.DECIMAL, 1),
    **dict.fromkeys(("x", "y", "z"), ("DOUBLE", Kind.FLOAT, 0)),
    **dict.fromkeys(("t", "u", "v"), ("VARCHAR", Kind.TEXT, 0)),
    **dict.fromkeys(("p", "q"), ("BOOLEAN", Kind.BOOLEAN, 0)),
    **dict.fromkeys(("a", "b"), ("DATE", Kind.DATE, 0)),
    **dict.fromkeys(("s", "r"), ("TIMESTAMP", Kind.TIMESTAMP, 0)),
    "written_i": ("VARCHAR", Kind.INTEGER, 0),
    "written_c": ("VARCHAR", Kind.DECIMAL, 3),
    "written_x": ("VARCHAR", Kind.FLOAT, 0),
    "written_a": ("VARCHAR", Kind.DATE, 0),
    "written_s": ("VARCHAR", Kind.TIMESTAMP, 0),
    "whole_x": ("DOUBLE", Kind.INTEGER, 0),
    "cents_x": ("DOUBLE", Kind.DECIMAL, 2),
    "cents_e": ("DECIMAL(28,9)", Kind.DECIMAL, 2),
    "day_s": ("TIMESTAMP", Kind.DATE, 0),
}
"""The physical type, kind and scale of each column, the same in every block: types that all engines have."""

PHYSICAL = {name: physical for name, (physical, _, _) in COLUMNS.items()}
_HOLES = {
    "i": {Kind.INTEGER},
    "f": {Kind.FLOAT},
    "n": {Kind.INTEGER, Kind.DECIMAL, Kind.FLOAT},
    "t": {Kind.TEXT},
    "p": {Kind.BOOLEAN},
    "a": {Kind.DATE},
    "s": {Kind.TIMESTAMP},
}


@dataclass(frozen=True)
class Block:
    """A table: how its columns are declared, their physical types where a plan knows them, and their values.

    Each block is a table of its own, so that an engine's statistics of it are as narrow as its values.
    """

    table: str
    columns: Mapping[str, Column]
    physical: Mapping[str, str]
    values: Mapping[str, list[Value | None]] = field(default_factory=dict)

    @cached_property
    def scope(self) -> NamedScope:
        """The enforced reads, as a plan has them."""
        return NamedScope(
            {
                name: read_column(column, f'"{self.table}"."{name}"', self.physical.get(name))
                for name, column in self.columns.items()
            }
        )

    def names(self, hole: str) -> list[str]:
        """The columns that may stand in a hole of a template; often those that are kept as what they are."""
        return self._names[hole]

    @cached_property
    def _names(self) -> dict[str, list[str]]:
        found = {}
        for hole, kinds in _HOLES.items():
            names = [name for name, column in self.columns.items() if column.kind in kinds]
            found[hole] = [name for name in names for _ in range(1 if "_" in name else 5)]
        return found


def make_block(table: str, random: Random) -> Block:
    """Windows for all columns, drawn anew."""
    columns: dict[str, Column] = {}
    values: dict[str, list[Value | None]] = {}
    for name, physical in PHYSICAL.items():
        window = _window(physical, random)
        columns[name] = _declared(name, window, random)
        held: list[Value | None] = [*window]
        for _ in range(random.choice((0, 0, 0, 1, 3))):
            held[random.randrange(len(held))] = None
        if physical == "DOUBLE" and random.random() < 0.3:
            held[random.randrange(len(held))] = awkward.wild(random)
        random.shuffle(held)
        values[name] = held
    return Block(table, columns, PHYSICAL, values)


def _window(physical: str, random: Random) -> list[Value]:
    if physical == "BIGINT":
        return [*awkward.integers(random)]
    if physical.startswith("DECIMAL"):
        return [*awkward.decimals(random, *shape(physical))]
    if physical == "DOUBLE":
        return [*awkward.floats(random)]
    if physical == "VARCHAR":
        return [*awkward_texts.texts(random)]
    if physical == "BOOLEAN":
        return [random.random() < 0.5 for _ in range(awkward.ROWS)]
    return [*(awkward.days(random) if physical == "DATE" else awkward.moments(random))]


def shape(physical: str) -> tuple[int, int]:
    """The width and the scale in the name of a decimal type."""
    width, scale = physical.removeprefix("DECIMAL(").removesuffix(")").split(",")
    return int(width), int(scale)


def _declared(name: str, window: Sequence[Value], random: Random) -> Column:
    """Half of the columns have bounds: two of their own values; some have keys, and some no NULL."""
    _, kind, scale = COLUMNS[name]
    own = window if _is_of(window[0], kind) else _window(_PLAIN.get(kind, "BIGINT"), random)
    nullable, chance = random.random() < 0.6, random.random()
    if kind in (Kind.TEXT, Kind.INTEGER, Kind.DATE) and chance < 0.15:
        known = [value for value in own if not isinstance(value, str) or len(value) < 60]
        keys = tuple(dict.fromkeys(key for key in random.choices(known, k=4) if isinstance(key, (int, str, date))))
        return Column(name, kind, nullable=nullable, keys=keys)
    if kind in (Kind.TEXT, Kind.BOOLEAN) or chance > 0.6:
        return Column(name, kind, nullable=nullable, scale=scale)
    low, high = sorted(_number(random.choice(own)) for _ in range(2))
    return Column(name, kind, low, high, nullable, scale)


_PLAIN = {Kind.DATE: "DATE", Kind.TIMESTAMP: "TIMESTAMP", Kind.FLOAT: "DOUBLE"}


def _is_of(value: Value, kind: Kind) -> bool:
    """A value that may be a bound or a key of such a column."""
    if kind is Kind.INTEGER:
        return isinstance(value, int)
    if kind.is_time:
        return isinstance(value, datetime if kind is Kind.TIMESTAMP else date) and (
            kind is Kind.TIMESTAMP or not isinstance(value, datetime)
        )
    return isinstance(value, str) == (kind is Kind.TEXT)


def _number(value: Value) -> Fraction:
    if isinstance(value, date):
        return number_of(value)
    assert not isinstance(value, str)
    return Fraction(value)
