"""A part of a statement in a target dialect: its text, its type, and the known range of its values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import TypeAlias

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.sql.dialects.sql_type import ANY, Reach, SqlType, as_decimal, of_digits, of_number

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
