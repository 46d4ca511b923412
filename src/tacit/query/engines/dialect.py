"""The dialect contract: names of types, literals, casts, and one entry for each operation that a dialect has.

The walk (`expression_walk.py`) knows lowered SQL: it resolves names, finds the type of every expression as DuckDB
would, and writes out every conversion that DuckDB would make by itself. So a dialect gets one operation at a time, with
operands of known types, and writes it in its own SQL such that the value is the same on *every* operand: NULL, NaN,
infinities, −0.0, the ends of each type. An operation without an entry is refused before any data is read.

Functions are entries of `query/sql/expressions`, each with its words: they say which operands a call has. The other
operations, by name (operands → result):

    + - * // %          two operands of the result's type (for * of decimals: of any); // and % cut towards zero,
                        and lowered SQL never divides integers by zero
    /                   DOUBLE, DOUBLE → DOUBLE; likewise never by zero
    negate              a number
    = <> < <= > >=  IS DISTINCT FROM  IS NOT DISTINCT FROM    two operands of one type; NaN equals NaN and is largest,
                        −0.0 equals 0.0, texts compare by code points
    < <= > >= "in a test"    if the dialect has it: the same, but FALSE will do for NULL
    BETWEEN             value, low, high, all of one type
    IN                  value, then literals of its type
    AND OR NOT          BOOLEANs, three-valued
    IS NULL             anything
    CASE                a test, its value, the next test, its value, and so on; perhaps a value for the rest
    SUM COUNT COUNT DISTINCT MIN MAX    one operand; COUNT(*) none. SUM of integers → HUGEINT, exact
    SUM of small        if the dialect has it, of integers within ±2^20 → BIGINT
    row_number rank dense_rank    no operand → BIGINT; the walk adds its OVER
    lag lead first_value    a value, and for the first two a number of rows → the value's type; likewise
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from tacit.query.sql.dialects.sql_type import SqlType
from tacit.query.sql.dialects.translator import Constant, Operation, Piece


class Dialect(Protocol):
    """One engine's SQL."""

    @property
    def engine(self) -> str:
        """The engine's name for messages."""
        ...

    @property
    def operations(self) -> Mapping[str, Operation]:
        """Every operation that it has, by the names above."""
        ...

    def type_name(self, kind: SqlType) -> str:
        """The name of the type; `Refused` if the engine has no such type."""
        ...

    def literal(self, value: Constant | None, kind: SqlType) -> str:
        """A constant of exactly this type. A DATE or TIMESTAMP comes as its ISO text, a DOUBLE as a float."""
        ...

    def cast(self, value: Piece, target: SqlType, is_try: bool) -> str:
        """The value as another type, rounded as DuckDB rounds.

        With `is_try` it is NULL where the cast fails; otherwise lowered SQL ensures that it succeeds.
        """
        ...

    def quoted(self, name: str) -> str:
        """A name as an identifier."""
        ...

    def settled(self, select: str) -> str:
        """A sub-query that calculates with groups of rows, such that each of its columns is calculated once per row."""
        ...

    def materialized(self, select: str) -> str:
        """The body of a common table expression that is to be computed once, brackets included."""
        ...
