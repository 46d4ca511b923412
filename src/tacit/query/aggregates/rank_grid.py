"""The public grid that quantiles are read from: as fine as the value's steps, or as the tree's levels permit."""

from __future__ import annotations

from tacit.mechanisms.statistics.rank_tree import FAN
from tacit.query.aggregates.parts import Ranks
from tacit.query.steps import Steps

_MOST_LEVELS = 4


def nodes_of(levels: int) -> int:
    """How many counts a tree of so many levels has."""
    return sum(FAN**level for level in range(1, levels + 1))


def ranks_of(sql: str, steps: Steps, column: str | None) -> Ranks:
    """The ranks of a value, `sql` being the value as it is stored, NULL for rows that do not count."""
    span = steps.high - steps.low + 1
    levels = next(n for n in range(1, _MOST_LEVELS + 1) if FAN**n >= span or n == _MOST_LEVELS)
    width = max(1, -(-span // FAN**levels))
    return Ranks(sql, steps.step, steps.low, width, levels, steps.high, column, is_float=steps.is_float)
