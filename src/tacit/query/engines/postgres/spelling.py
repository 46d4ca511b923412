"""Types, literals and error classes of PostgreSQL.

`once` writes an expression that needs its operands several times. `ROW_ERRORS` are the errors of PostgreSQL that a
value of one row can cause.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from tacit.query.sql.dialects.sql_type import BOOLEAN, DOUBLE, VARCHAR, SqlType
from tacit.query.sql.dialects.translator import Constant, Piece, cannot
from tacit.schema.kind import ZONED

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
CATALOGUE: Final[Mapping[str, str]] = {
    "int2": "SMALLINT",
    "int4": "INTEGER",
    "int8": "BIGINT",
    "float4": "FLOAT",
    "float8": "DOUBLE",
    "bool": "BOOLEAN",
    "text": "VARCHAR",
    "varchar": "VARCHAR",
    "bpchar": "VARCHAR",
    "name": "VARCHAR",
    **{_TYPES[name]: name for name in ("DATE", "TIMESTAMP", ZONED, "UUID", "TIME", "BLOB")},
}
"""Types by the name that pg_type has for each; a numeric has its digits too."""


def type_name(kind: SqlType) -> str:
    """The type's name; an integer beyond 64 bits is a numeric without digits after the point."""
    if kind.name not in _TYPES:
        raise cannot(ENGINE, f"the type {kind}", "numbers, texts, truth values, dates and timestamps.")
    return _TYPES[kind.name]


def literal(value: Constant | None, kind: SqlType) -> str:
    """A constant of this type. Texts have an explicit collation, so that no locale orders them."""
    if value is None:
        return f"NULL::{type_name(kind)}"
    if kind == VARCHAR:
        return f'{quote(str(value))}::text COLLATE "C"'
    if kind == BOOLEAN:
        return "TRUE" if value else "FALSE"
    if kind == DOUBLE:
        return double(float(value))
    if kind.is_time:
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
    """A text as an SQL literal, in which backslashes are literal."""
    return "'" + text.replace("'", "''") + "'"


_SHORT = 80  # the length of texts that may be repeated


def once(operands: Sequence[Piece], text: Callable[..., str]) -> str:
    """The text over names of the operands, each evaluated once; over the operands themselves where they are short.

    A planner computes fixed expressions in advance, including branches of a CASE that no row reaches: so a fixed
    operand gets a name too, unless all are fixed. OFFSET 0 keeps the planner from substituting operands for their
    names. COUNT(*) would count the row of the sub-query.
    """
    is_mixed = any(piece.fixed for piece in operands) and not all(piece.fixed for piece in operands)
    is_short = all(len(piece.sql) <= _SHORT for piece in operands) and not is_mixed
    if is_short or any("COUNT(*)" in piece.sql for piece in operands):
        return text(*(piece.sql for piece in operands))
    names = [f"a{place}" for place in range(len(operands))]
    listed = ", ".join(f"{piece.sql} AS {name}" for piece, name in zip(operands, names, strict=True))
    inner = text(*(f'"__once".{name}' for name in names))
    return f'(SELECT {inner} FROM (SELECT {listed} OFFSET 0) AS "__once")'


ROW_ERRORS: Final[Mapping[str, str]] = {
    "22": "data_exception",
    "54": "program_limit_exceeded",
    "0A": "feature_not_supported",  # as for an infinite numeric that is cast to an integer
    "XX": "internal_error",  # as for a text beyond what the server holds
}
"""Classes of SQLSTATE that a value can cause, with the condition that stands for each whole class.

Memory, disk, connections and interrupts are no row's.
"""
