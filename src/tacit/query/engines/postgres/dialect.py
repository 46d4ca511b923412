"""The PostgreSQL dialect: the table of every operation that it has.

It is total by construction, since PostgreSQL has no TRY, and an error would reveal something about a row.
`AttemptingPostgres` implements TRY by a function for each part, with an EXCEPTION block that returns NULL.

Claim: on a row where the part has a value, the call has the same one; where it raises one of `ROW_ERRORS`, the call is
NULL; the call itself raises none of these. Proof: arguments are passed in their own types; the body is the part's own
text over them; and whatever is raised while that is planned or run is raised inside the block. A plan for the values of
one row could calculate what that row does not reach, so that plans must be generic (`SETTINGS`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Final

from sqlglot import exp

from tacit.frozen import frozen
from tacit.query.engines.expression_walk import Walk
from tacit.query.engines.postgres import doubles
from tacit.query.engines.postgres.casts import cast
from tacit.query.engines.postgres.functions import TEXTS, TIMES
from tacit.query.engines.postgres.spelling import ENGINE, ROW_ERRORS, literal, quote, type_name
from tacit.query.engines.value_handlers import SMALL_SUM
from tacit.query.sql.dialects.sql_type import HUGEINT, NULL, VARCHAR, SqlType
from tacit.query.sql.dialects.translator import Call, Constant, Operation, Piece, natural_reach, words_of
from tacit.query.sql.expressions.rule_registry import CALLS


def _infix(sign: str, floats: Operation | None = None) -> Operation:
    """An operator between two operands; doubles have a form of their own."""

    def operation(operands: Sequence[Piece], result: SqlType) -> str:
        if result.is_float and floats is not None:
            return floats(operands, result)
        return f"({operands[0].sql} {sign} {operands[1].sql})"

    return operation


def _tested(sign: str) -> Operation:
    """A comparison where NULL is equivalent to FALSE. A column may have NaN, which is above all numbers."""

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


def _call(name: str) -> Operation:
    return lambda operands, _: f"{name}({', '.join(piece.sql for piece in operands)})"


def _quotient(operands: Sequence[Piece], result: SqlType) -> str:
    left, right = operands
    return f"div({left.sql}, {right.sql})" if result == HUGEINT else f"({left.sql} / {right.sql})"


def _in(operands: Sequence[Piece], _result: SqlType) -> str:
    """A list of literals; the server hashes a long one."""
    value, *listed = operands
    texts = value.type == VARCHAR
    return f"({value.sql} IN ({', '.join(piece.quoted if texts else piece.sql for piece in listed)}))"


def _case(operands: Sequence[Piece], _result: SqlType) -> str:
    texts = [piece.sql for piece in operands]
    pairs = " ".join(f"WHEN {test} THEN {value}" for test, value in zip(texts[::2], texts[1::2], strict=False))
    return f"(CASE {pairs}{f' ELSE {texts[-1]}' if len(texts) % 2 else ''} END)"


def _sum(operands: Sequence[Piece], _result: SqlType) -> str:
    """An exact sum, as a numeric."""
    value = operands[0]
    return f"SUM({value.sql})" if value.type.name in ("BIGINT", "HUGEINT") else f"SUM({value.sql})::numeric"


OWN_WORDS: Final = {**TEXTS, **TIMES, **doubles.DOUBLES}


def spoken(calls: Iterable[Call]) -> dict[str, Operation]:
    """The operations for calls of functions."""
    return {call.name: words_of(call.name, call.postgres, _call, OWN_WORDS) for call in calls}


OPERATIONS: Mapping[str, Operation] = {
    "+": _infix("+", doubles.added("+")),
    "-": _infix("-", doubles.added("-")),
    "*": _infix("*", doubles.multiplied),
    "/": doubles.divided,
    "//": _quotient,
    "%": _infix("%"),
    "negate": lambda operands, _: f"(-({operands[0].sql}))",
    **{sign: _infix(sign) for sign in ("=", "<>", "<", "<=", ">", ">=", "AND", "OR")},
    **{word: _infix(word) for word in ("IS DISTINCT FROM", "IS NOT DISTINCT FROM")},
    **{f"{sign} in a test": _tested(sign) for sign in ("<", "<=", ">", ">=")},
    "BETWEEN": lambda operands, _: "({} BETWEEN {} AND {})".format(*(piece.sql for piece in operands)),
    "IN": _in,
    "NOT": lambda operands, _: f"(NOT {operands[0].sql})",
    "IS NULL": lambda operands, _: f"({operands[0].sql} IS NULL)",
    "CASE": _case,
    "SUM": _sum,
    SMALL_SUM: lambda operands, _: f"SUM({operands[0].sql}::integer)",
    "COUNT": _call("COUNT"),
    "COUNT(*)": lambda _operands, _result: "COUNT(*)",
    "COUNT DISTINCT": lambda operands, _: f"COUNT(DISTINCT {operands[0].sql})",
    "MIN": _call("MIN"),
    "MAX": _call("MAX"),
    **{name: _call(name) for name in ("row_number", "rank", "dense_rank", "lag", "lead", "first_value")},
    **spoken(CALLS),
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
        return f"{select} OFFSET 0"  # otherwise the planner substitutes a column's expression for each use

    def materialized(self, select: str) -> str:
        return f"AS MATERIALIZED ({select})"


SETTINGS: Final = "SET SESSION plan_cache_mode = 'force_generic_plan'"
_MORE = (exp.AggFunc, exp.Window, exp.Query)


@frozen
class AttemptingPostgres(Postgres):
    """PostgreSQL where `functions`, by their definitions, can be created. It relies on no bound derived by a part."""

    functions: dict[str, str] = field(default_factory=dict)

    def attempt(self, node: exp.Expression, walk: Walk) -> Piece:
        """A call of the part's function; equal parts over the same columns have equal text."""
        if any(node.find_all(*_MORE)):
            raise walk.refusal("TRY of more than one row's values")
        given: dict[str, Piece] = {}

        def parameter(column: exp.Expression, _inner: Walk) -> Piece:
            outer = walk(column)
            if outer.type == NULL:
                return Piece("NULL", NULL, fixed=True)
            given.setdefault(outer.sql, outer)
            name = f"${list(given).index(outer.sql) + 1}"
            return Piece(_collated(name, outer), outer.type, reach=outer.reach)

        part = replace(walk, handlers={**walk.handlers, exp.Column: parameter}, facts={})(node.this)
        if part.type == NULL or part.constant is not None:
            return part
        call = f"{self._function(part, list(given.values()))}({', '.join(given)})"
        return Piece(_collated(call, part), part.type, reach=natural_reach(part.type), fixed=part.fixed)

    def _function(self, part: Piece, given: list[Piece]) -> str:
        """The name of the function that evaluates a part; it is temporary, and in a schema outside the search path."""
        handled = " OR ".join(ROW_ERRORS.values())
        body = f"BEGIN RETURN {part.sql}; EXCEPTION WHEN {handled} THEN RETURN NULL; END"
        types = ", ".join(type_name(piece.type) for piece in given)
        own = f"({types}) RETURNS {type_name(part.type)} LANGUAGE plpgsql STABLE AS {quote(body)}"
        return self.functions.setdefault(own, f"pg_temp.tacit_try_{len(self.functions)}")

    def definitions(self) -> list[str]:
        """The statements that create the functions."""
        return [f"CREATE FUNCTION {name}{own}" for own, name in self.functions.items()]


def _collated(sql: str, piece: Piece) -> str:
    """Texts compare by code points, regardless of the collation of a function's arguments."""
    return f'({sql} COLLATE "C")' if piece.type == VARCHAR else sql
