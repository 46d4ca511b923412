"""The types of a data set's description, which a description file is read into."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from fractions import Fraction
from pathlib import Path
from typing import Final, TypeAlias

from tacit.frozen import frozen
from tacit.loss.families.loss import Loss, Relation
from tacit.schema.kind import Key, Kind


@frozen
class Column:
    """A column: its kind, and the declared facts about its values. The lowered SQL enforces all of them.

    `low` and `high` are numbers; for a date they count days since 1970-01-01, for a timestamp microseconds since then.
    `scale` is the number of digits after the point of a decimal (2 for money). `keys`, if given, are all the values
    that count, and public; any other value is read as NULL.
    """

    name: str
    kind: Kind
    low: Fraction | None = None
    high: Fraction | None = None
    nullable: bool = True
    scale: int = 0
    keys: tuple[Key, ...] | None = None


@frozen
class Source:
    """Where a table's rows are: Parquet files, a CSV file, a table in a DuckDB file, a database or Spark, a data frame.

    For a frame, `path` is the data set's name and `table` its own: the steward guarantees that they mean the same rows.
    """

    format: str  # "parquet", "csv", "duckdb" or "frame"
    path: Path
    table: str | None = None
    delimiter: str = ","
    host: str | None = None  # the reader: a database's name, address or folder of its socket; a Spark master

    @property
    def identity(self) -> str:
        """The same for every description that names these rows."""
        return f"{self.format}:{self.path}" + (f"#{self.table}" if self.table else "")


@frozen
class OwnColumn:
    """Each row belongs to the unit that this column names; rows with NULL are left out."""

    column: str


@frozen
class EachRow:
    """Each row is a unit of its own."""


@frozen
class Through:
    """Each row belongs to the owner of the row of another table that its foreign key points to."""

    column: str
    table: str
    key: str


Owner: TypeAlias = OwnColumn | EachRow | Through


@frozen
class Limits:
    """How much of one unit counts, where the steward declares it; None is chosen privately."""

    rows: int | None = None
    keys: int | None = None
    totals: Mapping[str, Fraction] = field(default_factory=dict)


@frozen
class AtMost:
    """The most that one unit can have, from public knowledge; None where it is not declared.

    `rows` are those of the table; a total is the sum over them of the absolute values of a column, as they count. Both
    are of the table itself: before a filter or a join. The limit is chosen by it and enforced, so privacy holds even if
    the declaration is false.
    """

    rows: int | None = None
    totals: Mapping[str, Fraction] = field(default_factory=dict)


@frozen
class KeyHierarchy:
    """Columns that are levels, the coarsest first: each finest member with the members that it lies in.

    The lowered SQL removes rows that do not fit it, so privacy holds even if the declaration is false.
    """

    name: str
    levels: tuple[str, ...]
    paths: tuple[tuple[Key, ...], ...]


@frozen
class Impossible:
    """A combination of keys that no row has; each column has any of these values. Rows that have it do not count."""

    values: Mapping[str, tuple[Key, ...]]


@frozen
class PublicTotal:
    """The public number of rows with these keys. Estimates are adjusted to it; no row is removed."""

    keys: Mapping[str, Key]
    count: int


@frozen
class Table:
    """A table of private rows."""

    name: str
    source: Source
    columns: Mapping[str, Column]
    owner: Owner
    limits: Limits = Limits()
    at_most: AtMost = AtMost()
    hierarchies: tuple[KeyHierarchy, ...] = ()
    impossible: tuple[Impossible, ...] = ()
    totals: tuple[PublicTotal, ...] = ()


@frozen
class Lookup:
    """A public table that private rows may be joined to by its key; it is read once, when the data set is opened."""

    name: str
    source: Source
    columns: Mapping[str, Column]
    key: str


@frozen
class Unit:
    """The unit of privacy: whose rows are hidden, under which relation, and the steward's name for it."""

    relation: Relation
    hides: str
    identifier: str | None  # the column's name in the tables that own their rows; None where each row is a unit


@frozen
class FailureLimits:
    """The numbers of failures, of one analyst and of all, after which new questions are refused until a clearing."""

    analyst: int = 3
    dataset: int = 10


FLOOR: Final = Fraction(1, 10_000)
"""The default floor: the least part of the budget that a new question costs."""


@frozen
class Description:
    """The description of a data set."""

    name: str
    path: Path
    unit: Unit
    budget: Loss  # Pure, Approx or Zcdp: the currency of the account
    promise: Loss  # the promise as written: for an (ε, δ) kept as ρ, the (ε, δ)
    tables: Mapping[str, Table]
    lookups: Mapping[str, Lookup] = field(default_factory=dict)
    analysts: Mapping[str, Fraction] = field(default_factory=dict)  # the share of the budget each may use
    steward: str = "steward"
    ledger: Path | str | None = None  # a file, or the address of a database
    floor: Fraction = FLOOR
    breaker: FailureLimits | None = FailureLimits()

    @property
    def sources(self) -> tuple[Table | Lookup, ...]:
        """The source of every table, private tables first."""
        return (*self.tables.values(), *self.lookups.values())
