"""Types and literals in PostgreSQL's words."""

from __future__ import annotations

import math

from tacit.query.dialects.dialect import cannot
from tacit.query.dialects.piece import Constant, Piece
from tacit.query.dialects.sql_type import BOOLEAN, DATE, DOUBLE, TIMESTAMP, VARCHAR, ZONED, SqlType

ENGINE = "PostgreSQL"
_TYPES = {
    "BOOLEAN": "boolean",
    "TINYINT": "smallint",
    "SMALLINT": "smallint",
    "INTEGER": "integer",
    "BIGINT": "bigint",
    "HUGEINT": "numeric",
    "DECIMAL": "numeric",
    "FLOAT": "real",
    "DOUBLE": "float8",
    "VARCHAR": "text",
    "DATE": "date",
    "TIMESTAMP": "timestamp",
    ZONED: "timestamptz",
    "UUID": "uuid",
    "BLOB": "bytea",
    "TIME": "time",
}


def type_name(kind: SqlType) -> str:
    """The type's name; an integer beyond 64 bits is a numeric without digits after the point."""
    if kind.name not in _TYPES:
        raise cannot(ENGINE, f"the type {kind}", "numbers, texts, truth values, dates and timestamps.")
    return _TYPES[kind.name]


def literal(value: Constant | None, kind: SqlType) -> str:
    """A constant of this type. Texts carry their collation, so that no locale orders them."""
    if value is None:
        return f"NULL::{type_name(kind)}"
    if kind == VARCHAR:
        return f'{quote(str(value))}::text COLLATE "C"'
    if kind == BOOLEAN:
        return "TRUE" if value else "FALSE"
    if kind == DOUBLE:
        return double(float(value))
    if kind in (DATE, TIMESTAMP):
        return f"{quote(str(value))}::{type_name(kind)}"
    if not kind.is_exact:
        raise cannot(ENGINE, f"a literal of the type {kind}", "numbers, texts, truth values, dates and timestamps.")
    text = format(value, "f") if not isinstance(value, int) else str(value)
    signed = text if not text.startswith("-") else f"({text})"
    return signed if kind.name == "INTEGER" else f"{signed}::{type_name(kind)}"


def double(value: float) -> str:
    """A double, to the last bit."""
    if math.isnan(value):
        return "'NaN'::float8"
    if math.isinf(value):
        return f"'{'-' if value < 0 else ''}Infinity'::float8"
    return f"'{value!r}'::float8"


def quote(text: str) -> str:
    """A text as it stands in SQL, where backslashes mean themselves."""
    return "'" + text.replace("'", "''") + "'"


def bare(piece: Piece) -> str:
    """A text literal without its collation, which another operand carries."""
    return quote(str(piece.constant)) if isinstance(piece.constant, str) else piece.sql
