"""Kinds of value that a column or an expression can have: one table, with a row for each.

`_TRAITS` gives for each kind its names in SQL, Arrow and ibis, the file types that are read as it, the length of its
written values, and the unit of its times. Other modules take these from here; the type names of PostgreSQL, Spark and
DuckDB themselves are kept with each engine.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from enum import Enum
from typing import TypeAlias

from tacit.errors import Refused
from tacit.frozen import frozen

Key: TypeAlias = int | str | bool | date | datetime
"""A public value that rows can be grouped by."""


class Kind(Enum):
    """The kind of a value; each type of an engine is read as one of these, or as NULL."""

    INTEGER = "int"
    DECIMAL = "decimal"
    FLOAT = "float"
    TEXT = "text"
    BOOLEAN = "bool"
    DATE = "date"
    TIMESTAMP = "timestamp"

    @property
    def traits(self) -> KindTraits:
        """The row of the table for this kind."""
        return _TRAITS[self]

    @property
    def is_number(self) -> bool:
        return self in NUMBERS

    @property
    def is_time(self) -> bool:
        return self in TIMES

    @property
    def has_clock(self) -> bool:
        """Whether it is a time with a time of day."""
        return self is Kind.TIMESTAMP

    @property
    def with_clock(self) -> Kind:
        """The kind of the result when hours, minutes or seconds are added to a time of this kind."""
        assert self.is_time
        return Kind.TIMESTAMP

    @property
    def time_scale(self) -> TimeScale:
        """The scale of its values as numbers; only times have one."""
        scale = self.traits.scale
        assert scale is not None
        return scale

    def __str__(self) -> str:
        return self.value


NUMBERS = (Kind.INTEGER, Kind.DECIMAL, Kind.FLOAT)
TIMES = (Kind.DATE, Kind.TIMESTAMP)


@frozen
class TimeScale:
    """How a kind of time is counted: in steps since the start of 1970, within the years 1 to 9999."""

    start: date
    step: timedelta
    first: date
    last: date

    def number(self, time: date) -> int:
        """The number of steps from the start to a time, rounded down."""
        return (time - self.start) // self.step

    def time(self, number: int) -> date:
        """The inverse of `number`."""
        return self.start + number * self.step

    @property
    def limits(self) -> tuple[int, int]:
        """The numbers of the first and the last time."""
        return self.number(self.first), self.number(self.last)

    @property
    def steps_a_day(self) -> int:
        return timedelta(days=1) // self.step

    @property
    def steps_a_second(self) -> int:
        return timedelta(seconds=1) // self.step


@frozen
class KindTraits:
    """The properties of a kind.

    `sql` is the type that its values have in lowered SQL; None if it depends on their bounds. `cast` is the type to
    write in a CAST, and `parsed` are the names that a parsed CAST may have for it. `headers` are the types of a file
    that are naturally of this kind. `python` is the type of its keys, `arrow` and `ibis` name the types of its columns
    there; a decimal has no keys, and in ibis no name without its scale. `longest` is the length of the longest written
    value; None for a text. Two values of a kind that is not `is_keyed` can look alike without being equal.
    """

    sql: str | None
    cast: str
    parsed: tuple[str, ...]
    headers: frozenset[str]
    python: type | None
    arrow: str
    ibis: str | None
    longest: int | None
    is_keyed: bool = True
    scale: TimeScale | None = None


ZONED = "TIMESTAMP WITH TIME ZONE"
ZONED_NANOSECONDS = "TIMESTAMPTZ_NS"
_SIGNED = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
_TRAITS = {
    Kind.INTEGER: KindTraits(
        sql=None,
        cast="BIGINT",
        parsed=("TINYINT", "SMALLINT", "INT", "BIGINT", "INT128"),
        headers=frozenset([*_SIGNED, *(f"U{name}" for name in _SIGNED)]),
        python=int,
        arrow="int64",
        ibis="int64",
        longest=40,
    ),
    Kind.DECIMAL: KindTraits(
        sql=None,
        cast="DECIMAL(18, 2)",
        parsed=("DECIMAL",),
        headers=frozenset(["DECIMAL"]),
        python=None,
        arrow="float64",
        ibis=None,
        longest=40,
        is_keyed=False,
    ),
    Kind.FLOAT: KindTraits(
        sql="DOUBLE",
        cast="DOUBLE",
        parsed=("DOUBLE", "FLOAT"),
        headers=frozenset(["FLOAT", "DOUBLE"]),
        python=float,
        arrow="float64",
        ibis="float64",
        longest=32,
        is_keyed=False,
    ),
    Kind.TEXT: KindTraits(
        sql="VARCHAR",
        cast="VARCHAR",
        parsed=("TEXT", "VARCHAR"),
        headers=frozenset(["VARCHAR", "ENUM", "UUID"]),
        python=str,
        arrow="string",
        ibis="string",
        longest=None,
    ),
    Kind.BOOLEAN: KindTraits(
        sql="BOOLEAN",
        cast="BOOLEAN",
        parsed=("BOOLEAN",),
        headers=frozenset(["BOOLEAN"]),
        python=bool,
        arrow="bool",
        ibis="boolean",
        longest=5,
    ),
    Kind.DATE: KindTraits(
        sql="DATE",
        cast="DATE",
        parsed=("DATE",),
        headers=frozenset(["DATE"]),
        python=date,
        arrow="date32",
        ibis="date",
        longest=16,
        scale=TimeScale(date(1970, 1, 1), timedelta(days=1), date.min, date.max),
    ),
    Kind.TIMESTAMP: KindTraits(
        sql="TIMESTAMP",
        cast="TIMESTAMP",
        parsed=("TIMESTAMP", "TIMESTAMPNTZ"),
        headers=frozenset(["TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", ZONED, ZONED_NANOSECONDS]),
        python=datetime,
        arrow="timestamp[us]",
        ibis="timestamp(6)",
        longest=32,
        scale=TimeScale(datetime(1970, 1, 1), timedelta(microseconds=1), datetime.min, datetime.max),
    ),
}
PARSED = {name: kind for kind in Kind for name in kind.traits.parsed}
"""Kinds by the name that a parsed CAST has for the type."""
_OF_PYTHON = {kind.traits.python: kind for kind in Kind if kind.traits.python is not None}


def kind_of(value: Key | float) -> Kind:
    """The kind of a key, by its most specific type, since a boolean is also an integer and a timestamp also a date."""
    for python in type(value).__mro__:
        if python in _OF_PYTHON:
            return _OF_PYTHON[python]
    raise Refused("a key of another type", "Keys are public values of the kinds a column can have.", "int, text, …")
