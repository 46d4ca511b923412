"""The Spark dialect: the table of every operation that it has.

Sums of integers cannot overflow for any number of rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Final

from tacit.frozen import frozen
from tacit.query.engines.spark import spelling
from tacit.query.engines.spark.casts import cast_value
from tacit.query.engines.spark.functions import LETTERS, TIMES
from tacit.query.engines.spark.numbers import NUMBERS, OPERATORS, wide
from tacit.query.engines.spark.spelling import HUGE, call, calling, cast
from tacit.query.sql.dialects.sql_type import HUGEINT, SqlType
from tacit.query.sql.dialects.translator import Call, Constant, Operation, Piece, words_of
from tacit.query.sql.expressions.rule_registry import CALLS

_BITS = 22  # bits of each part of a word: the parts of 2^41 rows add up in 64 bits


def _sum(operands: Sequence[Piece], result: SqlType) -> str:
    """The exact sum of integers.

    Spark adds BIGINTs in 64 bits, which wrap; its decimals are slow. So a word is cut into parts of 22 bits, the last
    with the sign; each part is added in 64 bits, and the parts are put together once a group, in 38 digits. A HUGEINT
    is added directly: lowered SQL has no such sum beyond 2^126.
    """
    value = operands[0]
    if value.type == HUGEINT and not value.reach.most < 2.0**62:
        return f"sum({wide(value)})"
    x = cast(value.sql, "BIGINT") if value.type.name != "BIGINT" else value.sql
    parts = _parts(value)
    if parts == 1:
        return f"sum({x})"
    low = 2**_BITS - 1
    sums = []
    for place in range(parts):
        moved = call("shiftright", x, str(place * _BITS)) if place else x
        part = moved if place == parts - 1 else call("&", moved, f"{low}L")
        total = cast(f"sum({part})", HUGE)
        sums.append(call("*", total, cast(f"{2 ** (place * _BITS)}L", HUGE)) if place else total)
    return reduce(lambda left, right: call("+", left, right), sums)


def _parts(value: Piece) -> int:
    """The number of parts that the greatest value needs."""
    most = min(value.reach.most, 2.0**63)
    return max(1, -(-int(most).bit_length() // _BITS))


AGGREGATES: dict[str, Operation] = {
    "SUM": _sum,
    "COUNT": calling("count"),
    "COUNT(*)": lambda operands, result: "count(*)",
    "COUNT DISTINCT": lambda operands, result: f"count(DISTINCT {operands[0].sql})",
    "MIN": calling("min"),
    "MAX": calling("max"),
    **{name: calling(name) for name in ("row_number", "rank", "dense_rank", "lag", "lead", "first_value")},
}


OWN_WORDS: Final = {**NUMBERS, **LETTERS, **TIMES}


def spoken(calls: Iterable[Call]) -> dict[str, Operation]:
    """The operations for calls of functions."""
    return {call.name: words_of(call.name, call.spark, calling, OWN_WORDS) for call in calls}


_OPERATIONS = {**OPERATORS, **AGGREGATES, **spoken(CALLS)}


@frozen
class SparkDialect:
    """Spark SQL 4, without ANSI errors and without loss of digits after the point; the session's zone is UTC."""

    engine: str = spelling.ENGINE

    @property
    def operations(self) -> Mapping[str, Operation]:
        return _OPERATIONS

    def type_name(self, kind: SqlType) -> str:
        return spelling.type_name(kind)

    def literal(self, value: Constant | None, kind: SqlType) -> str:
        return spelling.literal(value, kind)

    def cast(self, value: Piece, target: SqlType, is_try: bool) -> str:
        return cast_value(value, target, is_try)

    def quoted(self, name: str) -> str:
        return spelling.quoted(name)

    def settled(self, select: str) -> str:
        return select

    def materialized(self, select: str) -> str:
        """Spark computes equal exchanges of one query once; it has no syntax for it."""
        return f"AS ({select})"


SPARK = SparkDialect()
