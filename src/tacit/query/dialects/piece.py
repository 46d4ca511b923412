"""A translated expression: its text in the target dialect, its type, and what is known of its size."""

from __future__ import annotations

from decimal import Decimal
from typing import TypeAlias

from tacit.frozen import frozen
from tacit.query.dialects.reach import ANY, Reach, of_digits, of_number
from tacit.query.dialects.sql_type import SqlType, as_decimal

Constant: TypeAlias = int | Decimal | float | str | bool


@frozen
class Piece:
    """An expression in the target dialect.

    `constant` is its value where it is a literal; NULL has none. It is `fixed` if it names no column, so that a planner
    may calculate it, and what it is a part of, before any row is read. `raw` is a column as it lies, where `sql` makes
    a value of the type of it.
    """

    sql: str
    type: SqlType
    constant: Constant | None = None
    reach: Reach = ANY
    fixed: bool = False
    raw: str | None = None


def natural_reach(kind: SqlType, constant: Constant | None = None) -> Reach:
    """What the type alone, or the constant itself, says of the size."""
    if isinstance(constant, (int, float, Decimal)) and not isinstance(constant, bool):
        return of_number(float(constant))
    if not kind.is_exact:
        return ANY
    wide = as_decimal(kind)
    return of_digits(39 if kind.name == "HUGEINT" else wide.width, wide.scale)
