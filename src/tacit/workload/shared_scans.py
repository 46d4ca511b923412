"""The tables that are added up in one pass over the rows: margins of one somewhat wider table.

A pass costs as much as the rows are many, and a wide table as much as its cells: tables share a pass while the table
that holds them all stays small. The release does not depend on it, because sums are whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from tacit.workload.residual_basis import Attributes

MOST_CELLS = 2**16  # cells of a table that is wider than any requested one


def shared_scans(tables: Iterable[Attributes], sizes: Sequence[int]) -> tuple[Attributes, ...]:
    """Tables of which each of these is a margin, or one: greedily few."""
    left = sorted(map(frozenset, tables), key=lambda each: (-_cells(each, sizes), sorted(each)))
    found = []
    while left:
        wide = _widened(left[0], left, sizes)
        left = [each for each in left if not each <= wide]
        found.append(tuple(sorted(wide)))
    return tuple(found)


def _widened(first: frozenset[int], left: Sequence[frozenset[int]], sizes: Sequence[int]) -> frozenset[int]:
    """A table with further attributes: the next is the one that brings most tables, for the cells it adds."""
    wide = first
    while True:
        room = MOST_CELLS // _cells(wide, sizes)
        nearly = [each for each in left if len(each - wide) == 1]
        brought = {place: 0 for each in nearly for place in each - wide if sizes[place] <= room}
        for each in nearly:
            (place,) = each - wide
            if place in brought:
                brought[place] += 1
        if not brought:
            return wide
        wide |= {max(brought, key=lambda place: (brought[place] / sizes[place], -place))}


def _cells(table: Iterable[int], sizes: Sequence[int]) -> int:
    return prod(sizes[place] for place in table)
