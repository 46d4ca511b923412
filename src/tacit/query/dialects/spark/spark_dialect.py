"""Spark's dialect."""

from __future__ import annotations

from collections.abc import Mapping

from tacit.frozen import frozen
from tacit.query.dialects.dialect import Operation
from tacit.query.dialects.piece import Constant, Piece
from tacit.query.dialects.spark import spelling
from tacit.query.dialects.spark.adding import AGGREGATES
from tacit.query.dialects.spark.casting import cast
from tacit.query.dialects.spark.letters import LETTERS
from tacit.query.dialects.spark.numbers import NUMBERS
from tacit.query.dialects.spark.times import TIMES
from tacit.query.dialects.sql_type import SqlType

_OPERATIONS = {**NUMBERS, **LETTERS, **TIMES, **AGGREGATES}


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
        return cast(value, target, is_try)

    def quoted(self, name: str) -> str:
        return spelling.quoted(name)

    def settled(self, select: str) -> str:
        return select

    def materialized(self, select: str) -> str:
        """Spark computes equal exchanges of one query once; it has no word for it."""
        return f"AS ({select})"


SPARK = SparkDialect()
