"""Sums by cell of a few wide tables from the engine, in the order of the keys' values, and their margins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.query.engines.protocol import Fetched
from tacit.query.execution.noisy_table import integers, key_columns
from tacit.schema.kind import Key
from tacit.workload.key_structure import node_places
from tacit.workload.residual_basis import Attributes
from tacit.workload.scaled_rows import TableKey
from tacit.workload.tree import NO_TREE, LevelTree

Integers = NDArray[np.int64]

_FITS = 2**61  # a smaller number and a draw of noise add up within 64 bits


class CellSums:
    """For each of several measures, whole tables of integers; cells that the engine does not list are zero."""

    def __init__(self, keys: Sequence[TableKey], measures: int, tree: LevelTree = NO_TREE) -> None:
        self._keys, self._measures, self._tree = keys, measures, tree
        self._places = [{value: place for place, value in enumerate(key.domain)} for key in keys]
        self._tables: dict[Attributes, list[Integers]] = {}

    def add(self, table: Attributes, fetched: Fetched) -> None:
        """The sums of one table, as they were fetched: columns k0 …, y0 …."""
        columns = [integers(fetched, f"y{place}") for place in range(self._measures)]
        many, tree, depth = len(columns[0]), self._tree, self._tree.depth(table)
        codes = {place: self._codes(fetched, axis, place, many) for axis, place in enumerate(table)}
        axes = [node_places(tree, [codes[place] for place in tree.places[:depth]])] if depth else []
        axes += [codes[place] for place in tree.flat(table)]
        shape = [*([tree.size(depth)] if depth else []), *(len(self._keys[place].domain) for place in tree.flat(table))]
        flat, fits = np.zeros(many, np.int64), np.ones(many, np.bool_)
        for size, found in zip(shape, axes, strict=True):
            flat, fits = flat * size + found, fits & (found >= 0)
        tables = []
        for values in columns:
            whole = np.zeros(int(np.prod(shape, dtype=np.int64)), np.int64)
            np.add.at(whole, flat[fits], values[fits])
            tables.append(whole.reshape(shape))
        self._tables[table] = tables

    def margin(self, measure: int, residual: Attributes) -> Integers:
        """The margin of a measure by some attributes, from the smallest table that has them."""
        table = self._holding(measure, residual)
        return self._tree.margin(self._tables[table][measure], table, residual)

    def halves(self, measure: int, residual: Attributes, shift: int, most: int) -> tuple[Integers, NDArray[Any]]:
        """A margin as the sum of two tables, the first times 2^shift: one of cells' high bits, one of their low bits.

        The low ones are added up exactly, in Python's integers where they times `most` might not fit a word.
        """
        if not shift:
            whole = self.margin(measure, residual)
            return whole, np.zeros_like(whole)
        table = self._holding(measure, residual)
        cells = self._tables[table][measure]
        low: NDArray[Any] = cells & ((1 << shift) - 1)
        if cells.size * (most << shift) >= _FITS:
            low = low.astype(object)
        return self._tree.margin(cells >> shift, table, residual), self._tree.margin(low, table, residual)

    def _holding(self, measure: int, residual: Attributes) -> Attributes:
        """The smallest table that has some attributes."""
        holding = [table for table in self._tables if set(residual) <= set(table)]
        return min(holding, key=lambda each: (self._tables[each][measure].size, each))

    def _codes(self, fetched: Fetched, axis: int, place: int, many: int) -> Integers:
        """The place of each row's key among its values; −1 for a value that is none of them."""
        if not isinstance(fetched, Mapping):
            found = _arrow_codes(fetched.column(f"k{axis}"), self._keys[place].domain)
            if found is not None:
                return found
        values = _one(fetched, axis)
        return np.fromiter((self._places[place].get(value, -1) for value in values), np.int64, many)


def _one(fetched: Fetched, axis: int) -> list[Key | None]:
    return key_columns(fetched, axis + 1)[axis]


def _arrow_codes(column: Any, domain: Sequence[Key | None]) -> Integers | None:
    """The same by Arrow, which is many times faster; None where the types differ."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        known = pa.array(domain).cast(column.type)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
        return None
    found = pc.fill_null(pc.index_in(column, value_set=known, skip_nulls=False), -1)
    return np.asarray(found.combine_chunks().to_numpy(zero_copy_only=False)).astype(np.int64)
