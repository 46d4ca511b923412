"""Spark's operators as calls of functions, which is how its parser reads them fastest.

Each word of Spark's grammar may be a name as well, and what a bracket, a CASE or a CAST is shows only at its end. So
the parser looks ahead to the end of each, again for each one inside: seconds for an expression of some kilobytes,
minutes for one of 200. A quoted name before a bracket is a call and nothing else. The plan is the same, and so are the
values: Spark has each operator under a name too.

Every text of an expression here is one term: a call, a column, a literal, or something in brackets.
"""

from __future__ import annotations

from collections.abc import Sequence

from tacit.query.dialects.dialect import Operation
from tacit.query.dialects.piece import Piece
from tacit.query.dialects.sql_type import SqlType


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
