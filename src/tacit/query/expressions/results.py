"""Building the SQL of a calculated number, in a type that its bounds fit, so that it cannot overflow."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp

from tacit.query.expressions.intervals import Interval
from tacit.query.expressions.literals import exact_constant, float_constant
from tacit.query.expressions.shown import refuse
from tacit.query.expressions.storage import as_type, integer_type, is_null, null_of, sql_type, stored
from tacit.query.typed import Typed
from tacit.schema.kind import Key, Kind

_TOO_LARGE = "Its values may need more than 126 bits, because of the bounds of what it is made of."
_CURE = "narrower bounds (min and max) in the description, or LEAST and GREATEST around its parts."


def exact_result(
    node: exp.Expression,
    operands: Sequence[Typed],
    bounds: Interval,
    formula: Callable[..., str],
    scale: int = 0,
    nullable: bool = False,
    keys: tuple[Key, ...] | None = None,
    through: Interval | None = None,
) -> Typed:
    """An INTEGER or DECIMAL: the operands are cast to a type that also holds the result, before the operation.

    `through`, if given, holds the stored integers that the formula goes through on its way.
    """
    kind = Kind.DECIMAL if scale else Kind.INTEGER
    if any(is_null(item) for item in operands):
        return null_of(kind, scale)
    result = Typed(kind, "", bounds.low, bounds.high, nullable or any(item.nullable for item in operands), scale, keys)
    own = integer_type(stored(result))
    if own is None:
        raise refuse(node, _TOO_LARGE, _CURE)
    is_constant = all(item.is_constant for item in operands)
    if is_constant and not result.nullable and bounds.low is not None and bounds.low == bounds.high:
        return exact_constant(bounds.low, scale)
    middle = own if through is None else integer_type(through)
    if middle is None:
        raise refuse(node, _TOO_LARGE, _CURE)
    wide = "HUGEINT" if "HUGEINT" in (own, middle, *map(sql_type, operands)) else "BIGINT"
    sql = formula(*(as_type(item, wide) for item in operands))
    if wide != own:
        sql = f"CAST({sql} AS {own})"
    return Typed(kind, sql, bounds.low, bounds.high, result.nullable, scale, keys, is_constant)


def float_result(sql: str, bounds: Interval, operands: Sequence[Typed], nullable: bool = False) -> Typed:
    """A FLOAT: within `bounds` by arithmetic, or NULL where it is not finite."""
    if any(is_null(item) for item in operands):
        return null_of(Kind.FLOAT)
    may_be_null = nullable or any(item.nullable for item in operands)
    is_constant = all(item.is_constant for item in operands)
    if is_constant and not may_be_null and bounds.low is not None and bounds.low == bounds.high:
        return float_constant(bounds.low)
    if bounds.is_bounded:
        return Typed(Kind.FLOAT, sql, bounds.low, bounds.high, may_be_null, is_constant=is_constant)
    guarded = f"(CASE WHEN isfinite({sql}) THEN {sql} END)"
    return Typed(Kind.FLOAT, guarded, bounds.low, bounds.high, True, is_constant=is_constant)
