"""How Spark spells names, types and constants."""

from __future__ import annotations

import math
from decimal import Decimal

from tacit.query.dialects.dialect import cannot
from tacit.query.dialects.piece import Constant
from tacit.query.dialects.sql_type import SqlType

ENGINE = "Spark"
HUGE = "DECIMAL(38, 0)"
_MOST = 10**38
_TYPES = {
    "BOOLEAN": "BOOLEAN",
    "TINYINT": "TINYINT",
    "SMALLINT": "SMALLINT",
    "INTEGER": "INT",
    "BIGINT": "BIGINT",
    "HUGEINT": HUGE,
    "FLOAT": "FLOAT",
    "DOUBLE": "DOUBLE",
    "VARCHAR": "STRING",
    "DATE": "DATE",
    "TIMESTAMP": "TIMESTAMP_NTZ",
    "TIMESTAMP WITH TIME ZONE": "TIMESTAMP",
    "BLOB": "BINARY",
}


def type_name(kind: SqlType) -> str:
    """A type; HUGEINT is 38 digits wide, which holds all that lowered SQL makes of it (2^126 at most).

    A HUGEINT that is small by its reach may be kept as a BIGINT: Spark brings the two together where they meet, and
    nothing is calculated before it was widened.
    """
    if kind.name == "DECIMAL":
        return f"DECIMAL({max(kind.width, kind.scale)}, {kind.scale})"
    if kind.name not in _TYPES:
        raise cannot(ENGINE, f"the type {kind}", "a column of another type, or leave it out.")
    return _TYPES[kind.name]


def quoted(name: str) -> str:
    """A name as an identifier."""
    return "`" + name.replace("`", "``") + "`"


def text(value: str) -> str:
    """A text as a literal."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def double(value: float) -> str:
    """A double as a literal."""
    if math.isnan(value):
        return "'NaN'::DOUBLE"
    if math.isinf(value):
        return f"'{'-' if value < 0 else ''}Infinity'::DOUBLE"
    return f"{value!r}D" if math.copysign(1, value) > 0 else f"(- {-value!r}D)"


def whole(value: int, kind: SqlType) -> str:
    """An integer as a literal of its type."""
    if kind.name in ("BIGINT", "HUGEINT") and abs(value) < 2**63:
        return f"{value}L" if value >= 0 else f"({value}L)"
    if kind.name == "HUGEINT":
        if not abs(value) < _MOST:
            raise cannot(ENGINE, f"the number {value}", "numbers of at most 38 digits.")
        return f"'{value}'::{HUGE}"
    if kind.name == "INTEGER" and abs(value) < 2**31:
        return str(value) if value >= 0 else f"({value})"
    return f"'{value}'::{type_name(kind)}"


def literal(value: Constant | None, kind: SqlType) -> str:
    """A constant of exactly this type."""
    if value is None:
        return "NULL" if kind.name == "NULL" else f"NULL::{type_name(kind)}"
    if kind.name == "BOOLEAN":
        return "TRUE" if value else "FALSE"
    if kind.name == "VARCHAR":
        return text(str(value))
    if kind.name == "DATE":
        return f"DATE'{value}'"
    if kind.name == "TIMESTAMP":
        return f"TIMESTAMP_NTZ'{value}'"
    if kind.name == "DOUBLE":
        return double(float(value))
    if kind.is_integer and isinstance(value, int):
        return whole(value, kind)
    if kind.name == "DECIMAL" and isinstance(value, (int, Decimal)):
        return f"'{Decimal(value):f}'::{type_name(kind)}"
    raise cannot(ENGINE, f"a constant of the type {kind}", "a constant of another type.")
