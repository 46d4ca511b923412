"""The dialect contract: names of types, literals, casts, and one entry for each operation that a dialect has.

The walk (`expression_walk.py`) knows lowered SQL: it resolves names, finds the type of every expression as DuckDB
would, and writes out every conversion that DuckDB would make by itself. So a dialect gets operations on operands of
known types, one at a time, and says each of them in its own words such that the value is the same on *every*
operand: NULL, NaN, infinities, −0.0, the ends of each type. What it has no entry for is refused before any data is
read.

Operations, by name (operands → result):

    + - * // %          two operands of the result's type (for * of decimals: of any); // and % cut towards zero,
                        and lowered SQL never divides integers by zero
    /                   DOUBLE, DOUBLE → DOUBLE; likewise never by zero
    negate abs          a number
    sign                a number → TINYINT; of NaN 0
    = <> < <= > >=  IS DISTINCT FROM  IS NOT DISTINCT FROM    two operands of one type; NaN equals NaN and is largest,
                        −0.0 equals 0.0, texts compare by code points
    < <= > >= "in a test"    if the dialect has it: the same, but FALSE will do for NULL
    BETWEEN             value, low, high, all of one type
    IN                  value, then literals of its type
    AND OR NOT          BOOLEANs, three-valued
    IS NULL             anything
    CASE                a test, its value, the next test, its value, and so on; perhaps a value for the rest
    coalesce least greatest    operands of the result's type; least and greatest leave NULLs out
    sqrt ln log10 log2 exp     DOUBLE → DOUBLE; lowered SQL guards sqrt and logarithms against what has none
    power               DOUBLE, a whole literal from 0 to 16
    round floor ceil trunc     DOUBLE → DOUBLE; halves go away from zero
    round_digits        DOUBLE, a whole literal: round(x·10^n)/10^n, for n < 0 round(x/10^−n)·10^−n
    isfinite            DOUBLE → BOOLEAN
    length lower upper md5     VARCHAR; lengths in code points, case by the simple mappings of Unicode
    strlen              VARCHAR → BIGINT; the octets of its UTF-8
    trim ltrim rtrim    VARCHAR, perhaps a literal of letters; without it every space separator (category Zs) goes
    substring           VARCHAR, start ≥ 1, perhaps length ≥ 0, literals below 2^32
    left right          VARCHAR, literal ≥ 0
    concat ||           VARCHARs; concat reads NULL as ''
    LIKE ILIKE          VARCHAR, literal pattern, perhaps a literal escape (without it there is none)
    starts_with ends_with contains    VARCHAR, VARCHAR
    date_trunc          literal unit, TIMESTAMP → TIMESTAMP
    date_part           literal unit, TIMESTAMP → BIGINT; seconds without their fraction, weeks of ISO 8601
    date_diff           literal unit, start, end (both TIMESTAMP) → BIGINT; weeks are whole weeks between two days
    date_minus          DATE, DATE → BIGINT
    epoch_us            TIMESTAMP → BIGINT
    shift               TIMESTAMP, months, seconds (literals) → TIMESTAMP; may leave the years 1 to 9999, and is
                        then compared with their ends: a time beyond what the engine has may be any that is as far out
    in_utc              TIMESTAMP WITH TIME ZONE → TIMESTAMP
    SUM COUNT COUNT DISTINCT MIN MAX    one operand; COUNT(*) none. SUM of integers → HUGEINT, exact
    SUM of small        if the dialect has it, of integers within ±2^20 → BIGINT
    row_number          no operand → BIGINT; the walk adds its OVER
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from tacit.query.sql.dialects.piece import Constant, Operation, Piece
from tacit.query.sql.dialects.sql_type import SqlType


class Dialect(Protocol):
    """One engine's SQL."""

    @property
    def engine(self) -> str:
        """What people call it."""
        ...

    @property
    def operations(self) -> Mapping[str, Operation]:
        """Every operation that it has, by the names above."""
        ...

    def type_name(self, kind: SqlType) -> str:
        """What the type is called; `Refused` if it has none of the kind."""
        ...

    def literal(self, value: Constant | None, kind: SqlType) -> str:
        """A constant of exactly this type. A DATE or TIMESTAMP comes as its ISO text, a DOUBLE as a float."""
        ...

    def cast(self, value: Piece, target: SqlType, is_try: bool) -> str:
        """The value as another type, rounded as DuckDB rounds.

        With `is_try`, NULL where it cannot be; without, lowered SQL sees to it that it can.
        """
        ...

    def quoted(self, name: str) -> str:
        """A name as an identifier."""
        ...

    def settled(self, select: str) -> str:
        """A sub-query that calculates with groups of rows, such that each of its columns is calculated once a row."""
        ...

    def materialized(self, select: str) -> str:
        """The body of a common table expression that is to be computed once, brackets included."""
        ...
