"""The kinds of value a column or an expression can have."""

from __future__ import annotations

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
