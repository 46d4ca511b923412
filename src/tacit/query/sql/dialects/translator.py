"""The translation of a call of lowered SQL: its operands are converted to their types, and the dialect writes the call.

`Piece` is an expression in the target dialect, and `Translator` the part of the walk over a statement that a function
uses (`query/engines/expression_walk.py`). Lowered SQL is DuckDB's, so DuckDB's words are the call itself. Words of
another dialect are one of these:

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
from decimal import Decimal
from enum import Enum
from typing import Final, Literal, Protocol, TypeAlias

from sqlglot import exp

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.sql.dialects.sql_type import ANY, DOUBLE, VARCHAR, Reach, SqlType, as_decimal, of_digits, of_number

Constant: TypeAlias = int | Decimal | float | str | bool


@frozen
class Piece:
    """An expression in the target dialect.

    `constant` is its value where it is a literal; NULL has none. It is `fixed` if it names no column, so that a planner
    may compute it, and expressions with it, before any row is read. `raw` is the stored column, where `sql` converts it
    to the type.
    """

    sql: str
    type: SqlType
    constant: Constant | None = None
    reach: Reach = ANY
    fixed: bool = False
    raw: str | None = None

    @property
    def quoted(self) -> str:
        """A constant text in plain quotes, without its type or collation; any other expression unchanged."""
        return "'" + self.constant.replace("'", "''") + "'" if isinstance(self.constant, str) else self.sql

    def __str__(self) -> str:
        return self.sql


Operation: TypeAlias = Callable[[Sequence[Piece], SqlType], str]
"""The text of an operation: from its operands and the type of its result."""


def natural_reach(kind: SqlType, constant: Constant | None = None) -> Reach:
    """The range that follows from the type, or from the constant itself."""
    if isinstance(constant, (int, float, Decimal)) and not isinstance(constant, bool):
        return of_number(float(constant))
    if not kind.is_exact:
        return ANY
    wide = as_decimal(kind)
    return of_digits(39 if kind.name == "HUGEINT" else wide.width, wide.scale)


def cannot(dialect: str, what: str, accepted: str, why: str | None = None) -> Refused:
    """The refusal of a construct that the engine cannot express."""
    return Refused(
        f"{what} on {dialect}", why or "It has no form there that gives the same value on every row.", accepted
    )


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
