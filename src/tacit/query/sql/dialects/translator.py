"""The translation of a call of lowered SQL: its operands are converted to their types, and the dialect writes the call.

`Translator` is the part of the walk over a statement that a function uses (`query/engines/expression_walk.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from sqlglot import exp

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.sql.dialects.lowered_call import Call
from tacit.query.sql.dialects.piece import Constant, Piece
from tacit.query.sql.dialects.sql_type import DOUBLE, VARCHAR, Reach, SqlType


class Translator(Protocol):
    """Translates the parts of a node."""

    def __call__(self, node: exp.Expression) -> Piece: ...

    def refusal(self, what: str, accepted: str = ...) -> Refused:
        """The refusal of an operation that the dialect lacks."""
        ...

    def say(self, operation: str, operands: Sequence[Piece], result: SqlType, reach: Reach | None = None) -> Piece:
        """An operation, by its name, on operands that already have the right types."""
        ...

    def literal(self, value: Constant | None, kind: SqlType) -> Piece:
        """A constant of this type."""
        ...

    def convert(self, piece: Piece, target: SqlType) -> Piece:
        """The value converted to the type that DuckDB would convert it to implicitly."""
        ...

    def together(self, pieces: Sequence[Piece]) -> tuple[Sequence[Piece], SqlType]:
        """The pieces converted to the common type of a comparison."""
        ...


Translation: TypeAlias = Callable[[exp.Expression, Translator], Piece]


@frozen
class Lowered:
    """A function in lowered SQL: the types of its operands and of its result, and the calls that implement it."""

    translation: Translation
    calls: tuple[Call, ...] = ()


def of_text(call: Call, result: SqlType, *others: str) -> Lowered:
    """A call on a text, and perhaps on further arguments: `others` are their names in the tree."""

    def translation(node: exp.Expression, walk: Translator) -> Piece:
        more = [walk(node.args[other]) for other in others if node.args.get(other) is not None]
        return walk.say(call.name, [walk.convert(walk(node.this), VARCHAR), *more], result)

    return Lowered(translation, (call,))


def of_double(call: Call, reach: Callable[[Reach], Reach]) -> Lowered:
    """A call on a double that gives one; `reach` is the reach of the result, from the operand's."""

    def translation(node: exp.Expression, walk: Translator) -> Piece:
        value = walk.convert(walk(node.this), DOUBLE)
        return walk.say(call.name, [value], DOUBLE, reach(value.reach))

    return Lowered(translation, (call,))


def whole_literal(node: exp.Expression, walk: Translator, name: str) -> int:
    """An argument of `name` that must be a whole literal."""
    number = walk(node).constant
    if not isinstance(number, int):
        raise walk.refusal(f"{name} with a number that is no literal")
    return number
