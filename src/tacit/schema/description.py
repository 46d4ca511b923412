"""What a steward says about a data set: the types that a description file is read into."""

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
    """A column: its kind, and what is declared of its values. Whatever is declared, the emitted SQL enforces.

    `low` and `high` are numbers; for a date they count days since 1970-01-01, for a timestamp microseconds since then.
    `scale` is the number of digits after the point of a decimal (2 for money). `keys`, if given, are all the values
    that count, known to everyone; any other value is read as NULL.
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

    Of a frame, `path` is the data set's name and `table` its own: the steward vouches that they mean the same rows.
    """

    format: str  # "parquet", "csv", "duckdb" or "frame"
    path: Path
    table: str | None = None
    delimiter: str = ","
    host: str | None = None  # who reads it: a database's name, address or folder of its socket; a Spark master

    @property
    def identity(self) -> str:
        """The same for every description that names these rows."""
        return f"{self.format}:{self.path}" + (f"#{self.table}" if self.table else "")


@frozen
class OwnColumn:
    """Each row belongs to the person that this column names; NULL belongs to nobody and is left out."""

    column: str


@frozen
class EachRow:
    """Each row is a person of its own."""


@frozen
class Through:
    """Each row belongs to whoever owns the row of another table that it points to by a foreign key."""

    column: str
    table: str
    key: str


Owner: TypeAlias = OwnColumn | EachRow | Through


@frozen
class Limits:
    """How much of one person counts, where the steward declares it; None is chosen privately."""

    rows: int | None = None
    keys: int | None = None
    totals: Mapping[str, Fraction] = field(default_factory=dict)


@frozen
class AtMost:
    """The most that one person can have, known to everyone before a row is read; None where nobody says so.

    `rows` are those of the table; a total is the sum of the absolute values of a column, as they count, over them. Both
    are of the table itself: before a filter or a join. It chooses a limit and is enforced as one, so that privacy does
    not rest on its being true.
    """

    rows: int | None = None
    totals: Mapping[str, Fraction] = field(default_factory=dict)


@frozen
class KeyHierarchy:
    """Columns that are levels, the coarsest first: each finest member with the members that it lies in.

    Rows that do not fit it are cut by the emitted SQL, so that nothing rests on its being true.
    """

    name: str
    levels: tuple[str, ...]
    paths: tuple[tuple[Key, ...], ...]


@frozen
class Impossible:
    """A combination of keys that nobody has; each column has any of these values. Rows that have it do not count."""

    values: Mapping[str, tuple[Key, ...]]


@frozen
class PublicTotal:
    """How many rows have these keys: a number that everybody knows. Estimates are moved to it; no row is cut."""

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
    """A public table, known to everyone, that private rows may be joined to by its key; read once, when opened."""

    name: str
    source: Source
    columns: Mapping[str, Column]
    key: str


@frozen
class Unit:
    """What change is hidden: whose rows, under which relation, and in the steward's words."""

    relation: Relation
    hides: str
    identifier: str | None  # the column's name in the tables that own their rows; None where each row is a person


@frozen
class FailureLimits:
    """After how many failures, of one analyst or of all, new questions wait until the steward has seen them."""

    analyst: int = 3
    dataset: int = 10


FLOOR: Final = Fraction(1, 10_000)
"""The part of the budget that every new question costs at least, where the steward says nothing else."""


@frozen
class Description:
    """A data set, described once."""

    name: str
    path: Path
    unit: Unit
    budget: Loss  # Pure, Approx or Zcdp: the currency of the account
    promise: Loss  # what the steward wrote: for an (ε, δ) kept as ρ, the (ε, δ)
    tables: Mapping[str, Table]
    lookups: Mapping[str, Lookup] = field(default_factory=dict)
    analysts: Mapping[str, Fraction] = field(default_factory=dict)  # the share of the budget each may use
    steward: str = "steward"
    ledger: Path | str | None = None  # a file, or the address of a database
    floor: Fraction = FLOOR
    breaker: FailureLimits | None = FailureLimits()

    @property
    def sources(self) -> tuple[Table | Lookup, ...]:
        """Every table that lies somewhere, private ones first."""
        return (*self.tables.values(), *self.lookups.values())
