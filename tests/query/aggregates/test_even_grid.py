"""Grids that share rows out evenly: cells and values are inverse, and edges follow the people (R16, R22)."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from random import Random

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from tacit.mechanisms.statistics.rank_tree import FAN
from tacit.query.aggregates.aggregate import Ranks
from tacit.query.aggregates.rank_grid import STRETCHES, cell_sql, cells_of, first_value, ranks_of, value_at
from tacit.query.bounding.histogram_sql import BINS
from tacit.query.bounding.profile import even_edges
from tacit.query.sql.fixed_point import Steps

SPANS = [(-300, 299), (0, 5_000), (0, 50_000), (-7, 10**6)]


def steps_of(low: int, high: int) -> Steps:
    return Steps("x", Fraction(1), low, high, False)


def even(low: int, high: int, seed: int) -> Ranks:
    near = min(high, low + Random(seed).choice([90, 10**9]))
    inner = sorted(Random(seed).sample(range(low + 1, near), STRETCHES - 1))
    return replace(ranks_of("x", steps_of(low, high), "x"), edges=(low, *inner, high + 1))


def cells(ranks: Ranks, values: list[int]) -> list[int]:
    with duckdb.connect() as connection:
        connection.register("held", pa.table({"value": values}))
        return [cell for (cell,) in connection.execute(f"SELECT {cell_sql(ranks, 'value')} FROM held").fetchall()]


@pytest.mark.parametrize(("low", "high"), SPANS)
@pytest.mark.parametrize("seed", [None, 0, 1, 2])
def test_cells_and_values_are_inverse(low: int, high: int, seed: int | None) -> None:
    """R16: cells rise with values and stay in the grid; a value lies from its cell's first value to the next one's."""
    ranks = ranks_of("x", steps_of(low, high), "x") if seed is None else even(low, high, seed)
    random = Random(0)
    values = sorted({low, high, *ranks.edges[:-1], *(random.randint(low, high) for _ in range(500))})
    found = cells(ranks, values)
    assert found == sorted(found)
    assert 0 <= found[0] <= found[-1] < cells_of(ranks) <= FAN**ranks.levels
    for value, cell in zip(values, found, strict=True):
        assert first_value(ranks, cell) <= value < first_value(ranks, cell + 1)
        assert first_value(ranks, cell) <= value_at(ranks, cell + 0.5, cell) < first_value(ranks, cell + 1)
    assert first_value(ranks, 0) == low
    assert first_value(ranks, FAN**ranks.levels) > high


@pytest.mark.parametrize(("low", "high"), SPANS)
@pytest.mark.parametrize("deviation", [0.0, 30.0])
def test_edges_share_out_the_people(low: int, high: int, deviation: float) -> None:
    """R23: strictly rising, from bound to bound; where people are many no stretch holds several times its share."""
    generator = np.random.default_rng(1)
    values = np.clip(low + generator.lognormal(4, 1, 100_000), low, high).astype(np.int64)
    people = np.bincount(BINS.index(values - low + 1), minlength=len(BINS)) + generator.normal(0, deviation, len(BINS))
    edges = even_edges(steps_of(low, high), people, deviation)
    assert len(edges) == STRETCHES + 1
    assert (edges[0], edges[-1]) == (low, high + 1)
    assert all(one < two for one, two in pairwise(edges))
    nodes = np.histogram(values, edges[:: STRETCHES // FAN])[0]
    assert nodes.max() <= 1.5 * len(values) / FAN
    assert np.histogram(values, FAN, (low, high + 1))[0].max() > 2 * nodes.max()


def test_no_edges_where_nothing_can_be_told() -> None:
    """R23: nobody above the noise, or so few values that each has a cell of its own."""
    noise = np.random.default_rng(2).normal(0, 30, len(BINS))
    assert even_edges(steps_of(0, 50_000), noise, 30.0) == ()
    many = np.where(np.arange(len(BINS)) < 20, 10_000.0, 0.0)
    assert even_edges(steps_of(0, 110), many, 30.0) == ()
