"""PostgreSQL: the table of everything it can say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from tacit.frozen import frozen
from tacit.query.dialects.aggregates import SMALL_SUM
from tacit.query.dialects.dialect import Operation, cannot
from tacit.query.dialects.piece import Constant, Piece
from tacit.query.dialects.postgres import doubles
from tacit.query.dialects.postgres.casts import cast
from tacit.query.dialects.postgres.literals import ENGINE, bare, literal, type_name
from tacit.query.dialects.postgres.texts import TEXTS
from tacit.query.dialects.postgres.times import TIMES
from tacit.query.dialects.sql_type import HUGEINT, VARCHAR, SqlType


def _infix(sign: str, floats: Operation | None = None) -> Operation:
    """An operator between two operands; doubles have a form of their own."""

    def operation(operands: Sequence[Piece], result: SqlType) -> str:
        if result.is_float and floats is not None:
            return floats(operands, result)
        return f"({operands[0].sql} {sign} {operands[1].sql})"

    return operation


def _tested(sign: str) -> Operation:
    """A comparison where NULL is as good as FALSE. A column may hold NaN, which is above all numbers."""

    def operation(operands: Sequence[Piece], _result: SqlType) -> str:
        left, right = operands
        if left.raw is None or right.constant is None:
            return f"({left.sql} {sign} {right.sql})"
        return (
            f"({left.raw} {sign} {right.sql})"
            if "<" in sign
            else f"({left.raw} {sign} {right.sql} AND {left.raw} < 'NaN')"
        )

    return operation


def _call(name: str, after: str = "") -> Operation:
    return lambda operands, _: f"{name}({', '.join(piece.sql for piece in operands)}){after}"


def _quotient(operands: Sequence[Piece], result: SqlType) -> str:
    left, right = operands
    return f"div({left.sql}, {right.sql})" if result == HUGEINT else f"({left.sql} / {right.sql})"


def _sign(operands: Sequence[Piece], _result: SqlType) -> str:
    value = operands[0]
    return f"sign({value.sql}{'' if value.type.is_float else '::numeric'})::smallint"


def _in(operands: Sequence[Piece], _result: SqlType) -> str:
    """A list of literals; the server hashes a long one."""
    value, *listed = operands
    texts = value.type == VARCHAR
    return f"({value.sql} IN ({', '.join(bare(piece) if texts else piece.sql for piece in listed)}))"


def _case(operands: Sequence[Piece], _result: SqlType) -> str:
    texts = [piece.sql for piece in operands]
    pairs = " ".join(f"WHEN {test} THEN {value}" for test, value in zip(texts[::2], texts[1::2], strict=False))
    return f"(CASE {pairs}{f' ELSE {texts[-1]}' if len(texts) % 2 else ''} END)"


def _sum(operands: Sequence[Piece], _result: SqlType) -> str:
    """Exact, and a numeric whatever it adds up."""
    value = operands[0]
    return f"SUM({value.sql})" if value.type.name in ("BIGINT", "HUGEINT") else f"SUM({value.sql})::numeric"


def _logarithm(operands: Sequence[Piece], _result: SqlType) -> str:
    raise cannot(ENGINE, "LOG2", "LN(x) / LN(2).", "PostgreSQL has no binary logarithm of floats.")


OPERATIONS: Mapping[str, Operation] = {
    "+": _infix("+", doubles.added("+")),
    "-": _infix("-", doubles.added("-")),
    "*": _infix("*", doubles.multiplied),
    "/": doubles.divided,
    "//": _quotient,
    "%": _infix("%"),
    "negate": lambda operands, _: f"(-({operands[0].sql}))",
    "abs": _call("abs"),
    "sign": _sign,
    **{sign: _infix(sign) for sign in ("=", "<>", "<", "<=", ">", ">=", "AND", "OR")},
    **{word: _infix(word) for word in ("IS DISTINCT FROM", "IS NOT DISTINCT FROM")},
    **{f"{sign} in a test": _tested(sign) for sign in ("<", "<=", ">", ">=")},
    "BETWEEN": lambda operands, _: "({} BETWEEN {} AND {})".format(*(piece.sql for piece in operands)),
    "IN": _in,
    "NOT": lambda operands, _: f"(NOT {operands[0].sql})",
    "IS NULL": lambda operands, _: f"({operands[0].sql} IS NULL)",
    "CASE": _case,
    "coalesce": _call("COALESCE"),
    "least": _call("LEAST"),
    "greatest": _call("GREATEST"),
    "sqrt": _call("sqrt"),
    "ln": _call("ln"),
    "log10": _call("log"),
    "log2": _logarithm,
    "exp": doubles.exponential,
    "power": doubles.power,
    "round": doubles.rounded,
    "round_digits": doubles.rounded_digits,
    "floor": _call("floor"),
    "ceil": _call("ceil"),
    "trunc": _call("trunc"),
    "isfinite": lambda operands, _: f"(abs({operands[0].sql}) < 'Infinity'::float8)",
    "SUM": _sum,
    SMALL_SUM: lambda operands, _: f"SUM({operands[0].sql}::integer)",
    "COUNT": _call("COUNT"),
    "COUNT(*)": lambda _operands, _result: "COUNT(*)",
    "COUNT DISTINCT": lambda operands, _: f"COUNT(DISTINCT {operands[0].sql})",
    "MIN": _call("MIN"),
    "MAX": _call("MAX"),
    "row_number": lambda _operands, _result: "row_number()",
    **TEXTS,
    **TIMES,
}


@frozen
class Postgres:
    """PostgreSQL 14 and later, with `search_path = pg_catalog`, in UTC and UTF-8."""

    engine: str = ENGINE
    operations: Mapping[str, Operation] = field(default_factory=lambda: OPERATIONS)

    def type_name(self, kind: SqlType) -> str:
        return type_name(kind)

    def literal(self, value: Constant | None, kind: SqlType) -> str:
        return literal(value, kind)

    def cast(self, value: Piece, target: SqlType, is_try: bool) -> str:
        return cast(value, target, is_try)

    def quoted(self, name: str) -> str:
        return '"' + name.replace('"', '""') + '"'

    def settled(self, select: str) -> str:
        return f"{select} OFFSET 0"  # else the planner puts what a column is in each of its places

    def materialized(self, select: str) -> str:
        return f"AS MATERIALIZED ({select})"
