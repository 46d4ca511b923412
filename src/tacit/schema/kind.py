"""Kinds of value that a column or an expression can have, and DuckDB's types that can be read as each."""

from __future__ import annotations

import re
from datetime import date, datetime
from enum import Enum
from typing import TypeAlias


class Kind(Enum):
    """What a value is; engines' own types are read into one of these, or into NULL."""

    INTEGER = "int"
    DECIMAL = "decimal"
    FLOAT = "float"
    TEXT = "text"
    BOOLEAN = "bool"
    DATE = "date"
    TIMESTAMP = "timestamp"

    @property
    def is_number(self) -> bool:
        return self in (Kind.INTEGER, Kind.DECIMAL, Kind.FLOAT)

    @property
    def is_time(self) -> bool:
        return self in (Kind.DATE, Kind.TIMESTAMP)

    def __str__(self) -> str:
        return self.value


Key: TypeAlias = int | str | bool | date | datetime
"""A public value that rows can be grouped by."""


_SIGNED = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
_WHOLE = frozenset([*_SIGNED, *(f"U{name}" for name in _SIGNED)])
_REAL = frozenset(["FLOAT", "DOUBLE"])
_TEXT = frozenset(["VARCHAR", "ENUM", "UUID"])
_MOMENT = frozenset(
    ["TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS"]
)
_DECIMAL = re.compile(r"DECIMAL\(\s*\d+\s*,\s*(\d+)\s*\)")
_NOTHING = frozenset(["NULL", '"NULL"'])  # a column without values
_WHATEVER_IT_HOLDS = _WHOLE | _REAL | _TEXT | _MOMENT | _NOTHING | {"DECIMAL", "BOOLEAN", "DATE", "BLOB", "JSON"}
_MOST_DIGITS = 9


def base_type(engine_type: str) -> str:
    """The type without what stands in brackets: of an enumeration the values, which are not ours to show."""
    name = engine_type.strip().upper()
    if name.endswith("]"):
        return "LIST"
    return name.split("(", 1)[0].strip()


def natural_kind(engine_type: str) -> tuple[Kind, int] | None:
    """The kind, and the digits after the point, that a column of this type is; None if Tacit has no kind for it."""
    base = base_type(engine_type)
    if base in _WHOLE:
        return Kind.INTEGER, 0
    if base in _REAL:
        return Kind.FLOAT, 0
    if base in _TEXT:
        return Kind.TEXT, 0
    if base in _MOMENT:
        return Kind.TIMESTAMP, 0
    if base == "DECIMAL":
        return _decimal(engine_type)
    return {"BOOLEAN": (Kind.BOOLEAN, 0), "DATE": (Kind.DATE, 0)}.get(base)


def is_whole(engine_type: str) -> bool:
    """Whether a column of this type holds whole numbers alone, each written in one way."""
    return base_type(engine_type) in _WHOLE


def can_identify(engine_type: str) -> bool:
    """Whether values of this type tell people apart: whole numbers and texts, which are equal if their texts are."""
    base = base_type(engine_type)
    if base == "DECIMAL":
        return _decimal(engine_type) == (Kind.INTEGER, 0)
    return base in _WHOLE or base in _TEXT or base in _NOTHING


def _decimal(engine_type: str) -> tuple[Kind, int]:
    found = _DECIMAL.fullmatch(engine_type.strip().upper())
    digits = int(found[1]) if found else 3  # DuckDB's own DECIMAL is (18, 3)
    if digits == 0:
        return Kind.INTEGER, 0
    return (Kind.DECIMAL, digits) if digits <= _MOST_DIGITS else (Kind.FLOAT, 0)


def can_be_read(engine_type: str, kind: Kind) -> bool:
    """Whether a value of this type, other than NULL, can be read as the kind; text may spell a value of any."""
    base = base_type(engine_type)
    if kind is Kind.TEXT or base in ("VARCHAR", "ENUM") or base in _NOTHING:
        return True
    if kind.is_time:
        return base == "DATE" or base in _MOMENT
    return base in _WHOLE or base in _REAL or base in ("DECIMAL", "BOOLEAN")


def is_read_without_fail(engine_type: str) -> bool:
    """Whether a Parquet column of this type can be read whatever octets it holds.

    A time beyond a day, also one inside a list or a structure, makes DuckDB's reader fail, and with it the query.
    """
    return base_type(engine_type) in _WHATEVER_IT_HOLDS
