"""SQL types of lowered SQL, as DuckDB names them, and the range of the numbers of a type.

`unified` gives the common type of two types. A `Reach` says how large a number can be, and how small
besides zero: it decides whether arithmetic in doubles can leave their range.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from tacit.frozen import frozen
from tacit.schema.kind import TIMES, ZONED, Kind

_INTEGERS = {"TINYINT": 3, "SMALLINT": 5, "INTEGER": 10, "BIGINT": 19, "HUGEINT": 39}  # and the digits of each
_DECIMAL = re.compile(r"DECIMAL\s*\(\s*(\d+)\s*,\s*(\d+)\s*\)")
_TIMES = frozenset(kind.traits.sql for kind in TIMES)
_OTHERS = frozenset(["BOOLEAN", "VARCHAR", "NULL", "UUID", "BLOB", "TIME"])
_MOST_DIGITS = 38


@frozen
class SqlType:
    """A type by its DuckDB name; `width` and `scale` are the digits of a DECIMAL, in all and after the point.

    A name that DuckDB does not have means a type of another engine, which cannot be used.
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
    def is_time(self) -> bool:
        """Whether it is a date, or a timestamp without a time zone."""
        return self.name in _TIMES

    @property
    def is_zoned(self) -> bool:
        """Whether it is a timestamp with a time zone."""
        return self.name == ZONED

    @property
    def is_known(self) -> bool:
        """Whether lowered SQL can use it."""
        return self.is_number or self.is_time or self.is_zoned or self.name in _OTHERS

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
PARSED_TYPES = {
    "TINYINT": SqlType("TINYINT"),
    "SMALLINT": SqlType("SMALLINT"),
    "INT": INTEGER,
    "BIGINT": BIGINT,
    "INT128": HUGEINT,
    "DOUBLE": DOUBLE,
    "FLOAT": SqlType("FLOAT"),
    "BOOLEAN": BOOLEAN,
    "TIMESTAMPTZ": SqlType(ZONED),
    **dict.fromkeys(Kind.TEXT.traits.parsed, VARCHAR),
    **dict.fromkeys(Kind.DATE.traits.parsed, DATE),
    **dict.fromkeys(Kind.TIMESTAMP.traits.parsed, TIMESTAMP),
}
"""Types by the name that a parsed CAST has for each; a DECIMAL has its digits too."""


def type_named(text: str) -> SqlType:
    """The type for a name in a header."""
    name = text.strip().upper()
    match = _DECIMAL.fullmatch(name)
    return SqlType("DECIMAL", int(match[1]), int(match[2])) if match else SqlType(name)


def decimal(width: int, scale: int) -> SqlType:
    """A DECIMAL, at most of the largest width."""
    return SqlType("DECIMAL", min(width, _MOST_DIGITS), scale)


def as_decimal(kind: SqlType) -> SqlType:
    """The DECIMAL that holds every value of an exact type."""
    return kind if kind.name == "DECIMAL" else decimal(_INTEGERS[kind.name], 0)


def unified(first: SqlType, second: SqlType) -> SqlType | None:
    """The common type for comparing or substituting them; None if there is none."""
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
    if first.is_time and second.is_time:
        return TIMESTAMP
    return None


def _is_small(first: SqlType, second: SqlType) -> bool:
    return "FLOAT" in (first.name, second.name) and not any(kind.is_exact for kind in (first, second))


TINIEST = 5e-324
LARGEST = 1.7976931348623157e308
_SLACK = 1.0001  # more than the rounding error of one operation


@frozen
class Reach:
    """Every finite value x has |x| ≤ most, and |x| ≥ least unless it is 0; rounded outwards."""

    least: float = TINIEST
    most: float = LARGEST

    def __add__(self, other: Reach) -> Reach:
        """A sum or difference: numbers may almost cancel, so only its type bounds its size from below."""
        return Reach(TINIEST, min(LARGEST, (self.most + other.most) * _SLACK))

    def __mul__(self, other: Reach) -> Reach:
        least = 1.0 if self.least >= 1 and other.least >= 1 else max(TINIEST, self.least * other.least / _SLACK)
        return Reach(least, min(LARGEST, self.most * other.most * _SLACK))

    def __truediv__(self, other: Reach) -> Reach:
        """The quotient where the divisor is not zero."""
        most = LARGEST if other.least < 1e-300 else min(LARGEST, self.most / other.least * _SLACK)
        return Reach(max(TINIEST, self.least / max(other.most, TINIEST) / _SLACK), most)

    def __and__(self, other: Reach) -> Reach:
        """Intersection."""
        return Reach(max(self.least, other.least), min(self.most, other.most))

    @property
    def cannot_vanish(self) -> bool:
        """No result of this reach was rounded to zero on its way."""
        return self.least > 1e-320

    @property
    def cannot_overflow(self) -> bool:
        """No result of this reach became infinite on its way."""
        return self.most < 1e308


ANY = Reach()
NOTHING = Reach(LARGEST, 0.0)


def hull(parts: Iterable[Reach]) -> Reach:
    """The reach of a value that is one of these."""
    listed = [NOTHING, *parts]
    return Reach(min(part.least for part in listed), max(part.most for part in listed))


def of_number(value: float) -> Reach:
    """The reach of a constant."""
    if not math.isfinite(value):
        return NOTHING
    return Reach(abs(value) or LARGEST, abs(value))


def of_digits(width: int, scale: int) -> Reach:
    """The reach of numbers with so many digits, in all and after the point."""
    return Reach(10.0**-scale / _SLACK, 10.0 ** (width - scale) * _SLACK)
