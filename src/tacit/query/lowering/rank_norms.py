"""The SQL of a person's norm over the levels of a tree of counts: what a limit of ranks cuts."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.mechanisms.statistics.rank_tree import FAN
from tacit.query.aggregates.even_grid import STRETCHES, cell_sql
from tacit.query.aggregates.parts import Ranks
from tacit.query.lowering.clamp import count_named, total
from tacit.query.plans.key_column import KeyColumn
from tacit.query.relations.rows import UNIT, Ownership, Rows


def cells_sql(rows: Rows, keys: Sequence[KeyColumn], ranks: Ranks) -> str:
    """The rows that count, each with its group and its cell: columns "__unit" (if rows have one), k0 …, cell."""
    people = [] if rows.ownership is Ownership.EACH else [UNIT]
    groups = [f"k{place}" for place in range(len(keys))]
    named = [f"{key.sql} AS {group}" for key, group in zip(keys, groups, strict=True)]
    read = ", ".join([*people, *named, f"{ranks.sql} AS stored"])
    valued = ", ".join([*people, *groups, f"{ranks.value('stored')} AS value"])
    listed = ", ".join([*people, *groups, f"{cell_sql(ranks, 'value')} AS cell"])
    stored = f'(SELECT {read} FROM ({rows.under(read)}) AS "__rows") AS "__stored"'
    return f'SELECT {listed} FROM (SELECT {valued} FROM {stored} WHERE stored IS NOT NULL) AS "__valued"'


def squares_sql(rows: Rows, keys: Sequence[KeyColumn], ranks: Ranks) -> str:
    """Everybody's norm over the tree of these rows, squared: columns "__unit", squares."""
    counted = f'({cells_sql(rows, keys, ranks)}) AS "__counted"'
    return rank_squares_sql(counted, [f"k{place}" for place in range(len(keys))], ranks.levels, bool(ranks.edges))


def rank_squares_sql(counted: str, groups: Sequence[str], levels: int, is_even: bool = False) -> str:
    """People with at least the square of their norm: columns "__unit", squares. `counted` has their rows and cells.

    Claim: with c rows of a person in a node (of a group), Σc² over all nodes of all levels is at most `squares`, a
    whole number that no order of rows can change. Proof: where the grid is not even it is levels·n², since on each
    level Σc² ≤ (Σc)² = n². Where it is, the coarsest level is added up as it is. The nodes of a finer level cut the
    stretches of the grid, and Σc² of the parts of a stretch is at most the square of their sum, so that every finer
    level adds at most what the stretches do. Whatever is larger does as well.

    Why not always as close as that: if weights told where a person's rows lie, rows in crowded nodes would weigh less,
    which shifts every quantile. So on an even grid, in one group, `squares` is not below what `usual_squares` says of
    n rows: then most people's weights follow from n alone, and yet are several times larger than n alone permits.
    Why stretches: finer nodes mostly hold one row of a person, and to group by them takes longest.
    """
    if not is_even:
        square = f"{levels} * CAST(COUNT(*) AS HUGEINT) * COUNT(*)"
        return f"SELECT {UNIT}, {square} AS squares FROM {counted} GROUP BY {UNIT}"
    within, stretch = ", ".join([UNIT, *groups]), f"cell // {FAN**levels // STRETCHES}"
    held = f"SELECT {within}, {stretch} AS stretch, COUNT(*) AS held FROM {counted} GROUP BY {within}, {stretch}"
    rows, node = count_named("held"), f"stretch // {STRETCHES // FAN}"
    squared = rows.squared()
    nodes = (
        f"SELECT {UNIT}, {total(rows)} AS held, {total(squared)} AS finer "
        f'FROM ({held}) AS "__stretches" GROUP BY {within}, {node}'
    )
    squares = total(squared, squared.named("finer").scaled(levels - 1, 1))
    if not groups:
        squares = f"greatest({squares}, {usual_squares(f'CAST({total(rows)} AS HUGEINT)', levels)})"
    return f'SELECT {UNIT}, {squares} AS squares FROM ({nodes}) AS "__nodes" GROUP BY {UNIT}'


def usual_squares(rows: str, levels: int) -> str:
    """The square of the norm of n rows, a third more than if they fell evenly; of few rows, the largest it can be.

    If two rows share a node of the coarsest level once in 16, and a stretch, which stands for every finer level, once
    in 64, the square is levels·n + (4 + levels − 1)/64·n², give or take.
    """
    even = f"{levels * STRETCHES} * {rows} + {STRETCHES // FAN + levels - 1} * {rows} * {rows}"
    return f"least(4 * ({even}) // {3 * STRETCHES}, {levels} * {rows} * {rows})"
