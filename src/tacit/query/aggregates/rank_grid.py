"""The public grid for quantiles: its cells, their values, and its resolution.

Cells are all of one width, as fine as the value's steps or the tree's levels permit; or, on an even grid, they lie in
stretches that hold about as many rows each.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import floor
from typing import TypeAlias

from tacit.mechanisms.statistics.rank_tree import FAN
from tacit.query.aggregates.aggregate import Ranks
from tacit.query.sql.fixed_point import Steps

_MOST_LEVELS = 4
_WIDEST = 2**40  # steps: an even grid over more has cells of more than 2^24 steps, which answer nothing


def nodes_of(levels: int) -> int:
    """The number of counts of a tree with so many levels."""
    return sum(FAN**level for level in range(1, levels + 1))


def ranks_of(sql: str, steps: Steps, column: str | None) -> Ranks:
    """The ranks of a value, `sql` being the value as it is stored, NULL for rows that do not count."""
    span = steps.high - steps.low + 1
    levels = next(n for n in range(1, _MOST_LEVELS + 1) if FAN**n >= span or n == _MOST_LEVELS)
    width = max(1, -(-span // FAN**levels))
    return Ranks(sql, steps.step, steps.low, width, levels, steps.high, column, is_float=steps.is_float)


def has_scale(ranks: Ranks) -> bool:
    """Whether the cells are fine enough to tell values apart: by a profile, or because bounds are close."""
    return bool(ranks.edges) or ranks.high - ranks.low < _WIDEST


STRETCHES = 4 * FAN
"""On an even grid: each has as many cells, of one width, and holds about as many rows."""

Edges: TypeAlias = Mapping[tuple[str, str], tuple[int, ...]]
"""For a table's column: its lower bound, the edges between stretches, and one more than its upper bound, in steps."""


def cells_of(ranks: Ranks) -> int:
    """The number of cells, from the first, that can have rows."""
    return FAN**ranks.levels if ranks.edges else (ranks.high - ranks.low) // ranks.width + 1


def cell_sql(ranks: Ranks, value: str) -> str:
    """The cell of a `Ranks.value`: comparisons with constants and one division, so it cannot fail.

    Claim: it rises with the value, from 0 to at most FAN^levels − 1. The value is written several times, so hand it
    the name of a column.
    """
    if not ranks.edges:
        return f"({value} - ({ranks.low})) // {ranks.width}"
    return _search(ranks, value, 0, STRETCHES - 1)


def fits(edges: tuple[int, ...], low: int, high: int) -> bool:
    """Whether these are edges of a grid between these bounds; a released profile may speak of older ones."""
    return bool(edges) and (edges[0], edges[-1]) == (low, high + 1)


def first_value(ranks: Ranks, cell: int) -> int:
    """The least value that lies in this cell or a later one; beyond the bounds if there is none."""
    if not ranks.edges:
        return ranks.low + cell * ranks.width
    stretch, inside = divmod(cell, _cells_in_a_stretch(ranks))
    if stretch >= STRETCHES:
        return ranks.edges[-1]
    return min(ranks.edges[stretch] + inside * _width(ranks, stretch), ranks.edges[stretch + 1])


def value_at(ranks: Ranks, place: float, last: int) -> float:
    """The value at a place in cells, by proportion within its cell, which is none later than `last`."""
    cell = min(floor(place), last)
    begin, end = first_value(ranks, cell), first_value(ranks, cell + 1)
    return begin + (min(place, last + 1) - cell) * (end - begin) if end - begin > 1 else begin


def _search(ranks: Ranks, value: str, low: int, high: int) -> str:
    if low == high:
        return f"{low * _cells_in_a_stretch(ranks)} + ({value} - ({ranks.edges[low]})) // {_width(ranks, low)}"
    middle = (low + high + 1) // 2
    above, below = _search(ranks, value, middle, high), _search(ranks, value, low, middle - 1)
    return f"CASE WHEN {value} >= {ranks.edges[middle]} THEN {above} ELSE {below} END"


def _cells_in_a_stretch(ranks: Ranks) -> int:
    cells: int = FAN**ranks.levels // STRETCHES
    return cells


def _width(ranks: Ranks, stretch: int) -> int:
    """The steps of each cell of a stretch, so that its cells suffice."""
    return max(1, -(-(ranks.edges[stretch + 1] - ranks.edges[stretch]) // _cells_in_a_stretch(ranks)))
