"""Values as whole steps: what engines add up, so that no order of rows can change a sum."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.noise.grid import Grid
from tacit.query.expressions.storage import double_sql
from tacit.query.typed import Typed
from tacit.schema.kind import Kind

_FINE = 2**24  # steps over the whole range of a floating-point value
_LARGEST = 2**60  # steps away from zero at most
_DAY = "CAST(date_diff('day', DATE '1970-01-01', {}) AS BIGINT)"


@frozen
class Steps:
    """An integer SQL expression: the value in steps, NULL where the value is; within [low, high] by its bounds."""

    sql: str
    step: Fraction
    low: int
    high: int
    nullable: bool


def in_steps(value: Typed, asked: str) -> Steps:
    """The value in steps: integers and decimals as they are stored, floats on a public grid, times since 1970.

    Refused where the value has no bounds, for then one person could move a sum without limit.
    """
    if not (value.kind.is_number or value.kind.is_time):
        raise Refused(asked, f"It is a {value.kind}, not a number.", "a number; or COUNT of it.")
    if value.low is None or value.high is None:
        why = "Its values have no bounds, so one person could move the answer without limit."
        raise Refused(asked, why, "min and max declared for its columns, or GREATEST(LEAST(x, most), least).")
    if value.kind is Kind.FLOAT:
        return _on_grid(value)
    if value.kind is Kind.DATE:
        return Steps(_DAY.format(value.sql), Fraction(1), floor(value.low), ceil(value.high), value.nullable)
    if value.kind is Kind.TIMESTAMP:
        return Steps(f"epoch_us({value.sql})", Fraction(1), floor(value.low), ceil(value.high), value.nullable)
    step = Fraction(1, 10**value.scale)
    low, high = floor(value.low / step), ceil(value.high / step)
    if max(-low, high) > _LARGEST:
        raise Refused(asked, "Its values may be as large as 2^60 steps or more.", "closer bounds for its columns.")
    return Steps(value.sql, step, low, high, value.nullable)


def _on_grid(value: Typed) -> Steps:
    low, high = value.low or Fraction(0), value.high or Fraction(0)
    reach = max(-low, high, Fraction(1, 2**100))
    step = Grid.below(max((high - low) / _FINE, reach / _LARGEST, Fraction(1, 2**100))).step
    sql = f"CAST(floor({value.sql} * {double_sql(1 / step)} + 0.5e0) AS BIGINT)"
    return Steps(sql, step, floor(low / step), ceil(high / step) + 1, value.nullable)
