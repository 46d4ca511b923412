"""Sums by cell: margins over trees, their high and low bits, and contrasts of sums that are larger than a word."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest

from tacit.query.plans.group_keys import KeyColumn
from tacit.schema.kind import Key, Kind
from tacit.workload.cell_sums import CellSums
from tacit.workload.key_structure import node_places
from tacit.workload.residual_basis import Weighting, best_strategy
from tacit.workload.scaled_rows import TableKey
from tacit.workload.tables_run import coarse_bits
from tacit.workload.tree import NO_TREE, LevelTree

TREE = LevelTree((0, 1), ((0, 1), (0, 1, 2, 3)), ((0, 0), (0, 1, 1, 1)))


def key(domain: Sequence[Key | None]) -> TableKey:
    return TableKey(KeyColumn("k", "k", Kind.INTEGER, 0, tuple(domain)), tuple(domain))


def sums_of(values: np.ndarray[tuple[int, ...], np.dtype[np.int64]], tree: LevelTree = NO_TREE) -> CellSums:
    """A table of two keys, as an engine lists it."""
    found = CellSums([key(range(size)) for size in values.shape], 1, tree)
    places = np.indices(values.shape).reshape(2, -1)
    found.add((0, 1), pa.table({"k0": places[0], "k1": places[1], "y0": values.ravel()}))
    return found


def test_rows_that_are_no_cell_of_a_tree_are_left_out() -> None:
    """The engine cuts them; if one comes all the same it counts nowhere, in no margin."""
    values = np.arange(1, 9).reshape(2, 4)
    found = sums_of(values, TREE)
    assert found.margin(0, (0, 1)).tolist() == [1, 6, 7, 8]
    assert found.margin(0, (0,)).tolist() == [1, 21]
    assert int(found.margin(0, ())) == 22


def test_a_node_is_found_from_the_values_of_its_levels() -> None:
    columns = [np.array([0, 1, 1, 0, -1, 1]), np.array([0, 1, 3, 3, 0, -1])]
    assert node_places(TREE, columns).tolist() == [0, 1, 3, -1, -1, -1]
    assert node_places(TREE, columns[:1]).tolist() == [0, 1, 1, 0, -1, 1]


@pytest.mark.parametrize("size", [1, 5, 2**20, 10**15, 2**61])
def test_rounding_is_that_of_whole_contrasts(size: int) -> None:
    """R18: against Python's integers, for sums of both signs up to the end of a word, whatever wraps."""
    rng = np.random.default_rng(1)
    values = rng.integers(-(2**62), 2**62, (3, 4)) if size > 5 else rng.integers(-9, 9, (3, 4))
    strategy, shift = best_strategy(((0, 1), (0,)), (3, 4), Weighting.TABLES), coarse_bits(size)
    sums = sums_of(values)
    for residual, scale in strategy.scales.items():
        high, low = sums.halves(0, residual, shift, scale)
        axes = tuple(axis for axis in (0, 1) if axis not in residual)
        margin = np.asarray(values.astype(object).sum(axis=axes), dtype=object)
        whole = np.asarray(strategy.measured(margin, residual), dtype=object).ravel()
        noise = np.array([int(each) << 40 for each in rng.integers(-(2**40), 2**40, whole.size)], dtype=object)
        exact = strategy.measured(high, residual).ravel()
        rounded = (strategy.measured(low, residual).ravel() + noise) >> shift
        for place in range(whole.size):
            stored = (int(exact[place]) + int(rounded[place])) % 2**64
            assert stored == ((int(whole[place]) + int(noise[place])) >> shift) % 2**64
