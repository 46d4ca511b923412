"""No route distinguishes neighbours: random data sets, random questions, both relations, the real door.

R16–R18, R20, R22, R23, R26, R33: the integers before the noise move by at most the priced radius, and everything else
that is visible (status, shape, ledger) is equal. TACIT_NEIGHBOURS says how many data sets a long test makes for each
route.
"""

from __future__ import annotations

import os
from itertools import product

import pytest
from tests.neighbours.comparing import Found, compared
from tests.neighbours.routes import MADE, SOURCES, Route

_ROUTES = list(product(SOURCES, MADE))
_MANY = int(os.environ.get("TACIT_NEIGHBOURS", "1"))


@pytest.mark.parametrize(
    ("source", "made"),
    [("parquet", "as it is"), ("csv", "profiled"), ("duckdb", "as it is"), ("frame", "prepared"), ("parquet", "parts")],
)
def test_neighbours_are_not_told_apart(source: str, made: str) -> None:
    """A few questions by some of the routes."""
    found = compared(SOURCES.index(source) + 10 * MADE.index(made), Route(source, made), queries=3, others=2)
    assert not found.wrong, found.wrong[0]
    assert found.comparisons >= 9


@pytest.mark.long
@pytest.mark.parametrize(("source", "made"), _ROUTES)
def test_neighbours_are_not_told_apart_by_any_route(source: str, made: str) -> None:
    """More of them by every route."""
    first, found = 1000 * (1 + _ROUTES.index((source, made))), Found()
    for seed in range(first, first + _MANY):
        found += compared(seed, Route(source, made))
        assert not found.wrong, found.wrong[0]
    assert found.comparisons >= 20 * _MANY
