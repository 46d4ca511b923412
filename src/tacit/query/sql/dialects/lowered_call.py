"""A function as lowered SQL calls it, and its words in each dialect.

Lowered SQL is DuckDB's, so DuckDB's words are the call itself. Words of another dialect are one of these:

- none: a function of the same name and operands has the same values there;
- a name: the function of that name, of the same operands;
- a form with the operands in braces: `{0}` is the first as it is said, `{0.constant}` its value where it is a literal,
  `{0.quoted}` a literal text in plain quotes;
- a function of the operands and the type of the result, which returns the text;
- `OWN`: the dialect's own table has a function under the name of the call.

Words give the same value as DuckDB on *every* operand, or refuse (`refusing`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Final, Literal, TypeAlias

from tacit.frozen import frozen
from tacit.query.sql.dialects.piece import Operation, Piece, cannot
from tacit.query.sql.dialects.sql_type import SqlType


class _Place(Enum):
    OWN = "the dialect's own table"


OWN: Final = _Place.OWN
Words: TypeAlias = str | Operation | Literal[_Place.OWN] | None


@frozen
class Call:
    """A function of lowered SQL by its name in DuckDB, with its words in the other dialects."""

    name: str
    postgres: Words = None
    spark: Words = None


def refusing(engine: str, what: str, accepted: str, why: str) -> Operation:
    """Words for a call that an engine cannot express."""

    def operation(_operands: Sequence[Piece], _result: SqlType) -> str:
        raise cannot(engine, what, accepted, why)

    return operation


def words_of(name: str, words: Words, named: Callable[[str], Operation], own: Mapping[str, Operation]) -> Operation:
    """The operation that a dialect's words for a call are: `named` is its function of a name, `own` its own table."""
    if isinstance(words, _Place):
        return own[name]
    if callable(words):
        return words
    if words is not None and "{" in words:
        return _filled(words)
    return named(name if words is None else words)


def _filled(form: str) -> Operation:
    def operation(operands: Sequence[Piece], _result: SqlType) -> str:
        return form.format(*operands)

    return operation
