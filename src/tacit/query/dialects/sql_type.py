"""The types of lowered SQL, as DuckDB calls them, and which type two of them are brought to."""

from __future__ import annotations

import re

from tacit.frozen import frozen

_INTEGERS = {"TINYINT": 3, "SMALLINT": 5, "INTEGER": 10, "BIGINT": 19, "HUGEINT": 39}  # and the digits of each
_DECIMAL = re.compile(r"DECIMAL\s*\(\s*(\d+)\s*,\s*(\d+)\s*\)")
_OTHERS = frozenset(["BOOLEAN", "FLOAT", "DOUBLE", "VARCHAR", "DATE", "TIMESTAMP", "NULL", "UUID", "BLOB", "TIME"])
ZONED = "TIMESTAMP WITH TIME ZONE"
_MOST_DIGITS = 38


@frozen
class SqlType:
    """A type by its DuckDB name; `width` and `scale` are the digits of a DECIMAL, in all and after the point.

    A name that is none of DuckDB's stands for a type that only its own engine knows: nothing can be done with it.
    """

    name: str
    width: int = 0
    scale: int = 0

    @property
    def is_integer(self) -> bool:
        return self.name in _INTEGERS

    @property
    def is_exact(self) -> bool:
        return self.is_integer or self.name == "DECIMAL"

    @property
    def is_float(self) -> bool:
        return self.name in ("FLOAT", "DOUBLE")

    @property
    def is_number(self) -> bool:
        return self.is_exact or self.is_float

    @property
    def is_known(self) -> bool:
        """Whether lowered SQL may calculate with it."""
        return self.is_number or self.name in _OTHERS or self.name == ZONED

    def __str__(self) -> str:
        return f"DECIMAL({self.width}, {self.scale})" if self.name == "DECIMAL" else self.name


NULL = SqlType("NULL")
BOOLEAN = SqlType("BOOLEAN")
INTEGER = SqlType("INTEGER")
BIGINT = SqlType("BIGINT")
HUGEINT = SqlType("HUGEINT")
DOUBLE = SqlType("DOUBLE")
VARCHAR = SqlType("VARCHAR")
DATE = SqlType("DATE")
TIMESTAMP = SqlType("TIMESTAMP")


def type_named(text: str) -> SqlType:
    """The type that a header calls so."""
    name = text.strip().upper()
    match = _DECIMAL.fullmatch(name)
    return SqlType("DECIMAL", int(match[1]), int(match[2])) if match else SqlType(name)


def decimal(width: int, scale: int) -> SqlType:
    """A DECIMAL, as wide as there is at most."""
    return SqlType("DECIMAL", min(width, _MOST_DIGITS), scale)


def as_decimal(kind: SqlType) -> SqlType:
    """The DECIMAL that holds every value of an exact type."""
    return kind if kind.name == "DECIMAL" else decimal(_INTEGERS[kind.name], 0)


def unified(first: SqlType, second: SqlType) -> SqlType | None:
    """The type that both are brought to where they are compared or stand in for each other; None if there is none."""
    if first == second or second == NULL:
        return first
    if first == NULL:
        return second
    if first.is_integer and second.is_integer:
        return max(first, second, key=lambda kind: _INTEGERS[kind.name])
    if first.is_exact and second.is_exact:
        one, two = as_decimal(first), as_decimal(second)
        scale = max(one.scale, two.scale)
        return decimal(max(one.width - one.scale, two.width - two.scale) + scale, scale)
    if first.is_number and second.is_number:
        return SqlType("FLOAT") if DOUBLE not in (first, second) and _is_small(first, second) else DOUBLE
    if {first, second} == {DATE, TIMESTAMP}:
        return TIMESTAMP
    return None


def _is_small(first: SqlType, second: SqlType) -> bool:
    return "FLOAT" in (first.name, second.name) and not any(kind.is_exact for kind in (first, second))
