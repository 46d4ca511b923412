"""Names, types, constants and operators in Spark's SQL.

Operators are written as calls of functions, which is how Spark's parser reads them fastest. Keywords of Spark's grammar
may also be names, and the meaning of a bracket, a CASE or a CAST is known only at its end. So the parser looks ahead to
the end of each, again for each one inside: seconds for an expression of some kilobytes, minutes for one of 200. A
quoted name before a bracket can only be a call. The plan and the values are the same, because Spark has a function for
each operator. Every text of an expression here is one term: a call, a column, a literal, or something in brackets.
`once` writes an expression that is needed several times.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Final

from tacit.query.sql.dialects.sql_type import SqlType
from tacit.query.sql.dialects.translator import Constant, Operation, Piece, cannot
from tacit.schema.kind import ZONED

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
    ZONED: "TIMESTAMP",
    "BLOB": "BINARY",
}
MOMENT, ZONED_MOMENT = _TYPES["TIMESTAMP"], _TYPES[ZONED]
CATALOGUE: Final = {own.lower(): name for name, own in _TYPES.items() if own != HUGE}
"""Types by the name that Spark's catalogue has for each; a decimal has its digits too."""


def type_name(kind: SqlType) -> str:
    """A type; HUGEINT is 38 digits wide, which holds all that lowered SQL makes of it (2^126 at most).

    A HUGEINT with a small reach may be kept as a BIGINT: Spark converts between them where needed, and values are
    widened before arithmetic.
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
    if kind.is_time:
        return f"{type_name(kind)}'{value}'"
    if kind.name == "DOUBLE":
        return double(float(value))
    if kind.is_integer and isinstance(value, int):
        return whole(value, kind)
    if kind.name == "DECIMAL" and isinstance(value, (int, Decimal)):
        return f"'{Decimal(value):f}'::{type_name(kind)}"
    raise cannot(ENGINE, f"a constant of the type {kind}", "a constant of another type.")


def call(name: str, *operands: str) -> str:
    """A function, or an operator, of its operands."""
    return f"`{name}`({', '.join(operands)})"


def case(*parts: str) -> str:
    """A test, its value, the next test, its value, and so on; perhaps a value for the rest."""
    return call("when", *parts)


def cast(x: str, kind: str) -> str:
    """The value as another type, by the rules of a session without ANSI errors.

    A number that is too large for a decimal becomes NULL, one that is too large for an integer wraps.
    """
    return f"{x}::{kind}"


def attempt(x: str, kind: str) -> str:
    """The value as another type; NULL where it does not fit."""
    return f"try_cast({x} AS {kind})"


def calling(name: str) -> Operation:
    """The operation that calls a function of its operands."""

    def operation(operands: Sequence[Piece], result: SqlType) -> str:
        return call(name, *(piece.sql for piece in operands))

    return operation


_SHORT = 1_000


def once(x: str, use: Callable[[str], str]) -> str:
    """`use` of a text; a long one gets a name, because nested uses would double it repeatedly.

    A name is slow, since Spark does not compile it; for a repeated short text Spark evaluates equal parts once.
    """
    return use(x) if len(x) <= _SHORT else _named(x, use("x"))


def both_once(x: str, y: str, use: Callable[[str, str], str]) -> str:
    """The same for two texts."""
    return use(x, y) if len(x) + len(y) <= _SHORT else _named(call("struct", x, y), use("x.col1", "x.col2"))


def _named(x: str, used: str) -> str:
    return call("element_at", call("transform", call("array", x), f"x -> {used}"), "1")
