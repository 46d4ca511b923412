"""Tables that share a pass over the rows: every one is held, and what is wider stays small."""

from __future__ import annotations

from itertools import combinations
from math import prod
from random import Random

import pytest

from tacit.workload.residual_basis import Attributes
from tacit.workload.shared_scans import MOST_CELLS, shared_scans

ADULT = (32, 9, 32, 16, 16, 7, 15, 6, 5, 2, 32, 32, 32, 42, 2)
THREE_WAY = tuple(combinations(range(15), 3))


def cells(table: Attributes, sizes: tuple[int, ...]) -> int:
    return prod(sizes[place] for place in table)


def check(tables: tuple[Attributes, ...], sizes: tuple[int, ...]) -> tuple[Attributes, ...]:
    found = shared_scans(tables, sizes)
    assert all(any(set(table) <= set(wide) for wide in found) for table in tables)
    assert all(cells(wide, sizes) <= MOST_CELLS or wide in tables for wide in found)
    assert len(found) <= len(tables)
    return found


def test_a_third_of_the_passes_hold_all_tables_of_adult() -> None:
    found = check(THREE_WAY, ADULT)
    assert len(found) == 150
    assert sum(cells(wide, ADULT) for wide in found) < 3 * sum(cells(table, ADULT) for table in THREE_WAY)


@pytest.mark.parametrize("seed", range(20))
def test_any_tables_are_held(seed: int) -> None:
    draw = Random(seed)
    sizes = tuple(draw.choice((1, 2, 5, 30, 700)) for _ in range(7))
    tables = {tuple(sorted(draw.sample(range(7), draw.randint(0, 4)))) for _ in range(12)}
    check(tuple(sorted(tables)), sizes)


def test_a_table_that_is_large_already_stays_as_it_is() -> None:
    assert shared_scans([(0, 1), (1, 2)], (1000, 1000, 2)) == ((0, 1), (1, 2))
    assert shared_scans([()], ()) == ((),)


def test_small_tables_are_one_pass() -> None:
    assert shared_scans([(0,), (1,), (2,)], (10, 10, 10)) == ((0, 1, 2),)
