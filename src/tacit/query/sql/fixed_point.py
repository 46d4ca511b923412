"""Numbers in fixed point: whole steps that engines add up, so that a sum does not depend on the order of rows."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.noise.grid import Grid
from tacit.query.sql.clamp import Cut, cut, cut_float
from tacit.query.sql.values.typed import Typed
from tacit.schema.kind import Kind

_FINE = 2**24  # steps over the whole range of a floating-point value
_LARGEST = 2**60  # steps away from zero at most
_LARGEST_FLOAT = 2**50  # the same for doubles, so that each step is an exact double


@frozen
class Steps:
    """A number in SQL, and its whole steps: from `low` to `high`, which `cut` enforces.

    `sql` is the number as it is stored, an integer in steps or a double. Its bounds are not enforced by `sql` itself.
    """

    sql: str
    step: Fraction
    low: int
    high: int
    nullable: bool
    is_float: bool = False

    def cut(self, neutral: int = 0) -> Cut:
        """The number in steps, within its bounds; NULL counts as `neutral`."""
        return cut_steps(self.sql, self.step, self.low, self.high, neutral, is_float=self.is_float)


def cut_steps(sql: str, step: Fraction, low: int, high: int, neutral: int, *, is_float: bool) -> Cut:
    """A stored number in steps, within these bounds."""
    return cut_float(sql, step, low, high, neutral) if is_float else cut(sql, low, high, neutral)


def in_steps(value: Typed, asked: str) -> Steps:
    """The value in steps: integers and decimals as they are stored, floats on a public grid.

    Refused where the value has no bounds, because one person could then move a sum without limit.
    """
    if not value.kind.is_number:
        raise Refused(asked, f"It is a {value.kind}, not a number.", "a number; or COUNT of it.")
    if value.low is None or value.high is None:
        why = "Its values have no bounds, so one person could move the answer without limit."
        raise Refused(asked, why, "min and max declared for its columns, or GREATEST(LEAST(x, most), least).")
    if value.kind is Kind.FLOAT:
        return _on_grid(value.sql, value.low, value.high, value.nullable)
    step = Fraction(1, 10**value.scale)
    low, high = floor(value.low / step), ceil(value.high / step)
    if max(-low, high) > _LARGEST:
        raise Refused(asked, "Its values may be as large as 2^60 steps or more.", "closer bounds for its columns.")
    return Steps(value.sql, step, low, high, value.nullable)


def _on_grid(sql: str, low: Fraction, high: Fraction, nullable: bool) -> Steps:
    reach = max(-low, high, Fraction(1, 2**100))
    step = Grid.below(max((high - low) / _FINE, reach / _LARGEST_FLOAT, Fraction(1, 2**100))).step
    return Steps(sql, step, floor(low / step), ceil(high / step) + 1, nullable, is_float=True)
