"""Columns of an engine's result: whole numbers, and keys as Python values in an order that depends only on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tacit.query.engines.protocol import Fetched
from tacit.schema.kind import Key

_WORDS: Final = {"int32": np.int32, "int64": np.int64}  # types that need no cast

Group: TypeAlias = tuple[Key | None, ...]


def key_columns(table: Fetched, keys: int) -> list[list[Key | None]]:
    """The key columns k0 … of an engine's table."""
    return [[_key(value) for value in _values(table, f"k{place}")] for place in range(keys)]


def _values(table: Fetched, name: str) -> Sequence[Any]:
    return table[name] if isinstance(table, Mapping) else table.column(name).to_pylist()


def _key(value: Key | Decimal | None) -> Key | None:
    """An integer of more than 64 bits comes as a decimal without digits after the point."""
    return int(value) if isinstance(value, Decimal) else value


def integers(table: Fetched, name: str) -> NDArray[np.int64]:
    """A column of whole numbers without NULLs, read from its buffer: Arrow's conversions are slow to load."""
    if isinstance(table, Mapping):
        return np.array(table[name], np.int64)
    column = table.column(name)
    words = np.dtype(_WORDS.get(str(column.type), np.int64))
    chunks = (column if str(column.type) in _WORDS else column.cast("int64")).chunks
    parts = [np.frombuffer(c.buffers()[1], words, len(c), words.itemsize * c.offset) for c in chunks if len(c)]
    return np.concatenate([np.empty(0, np.int64), *parts]).astype(np.int64, copy=False)


def in_group_order(columns: Sequence[Sequence[Key | None]]) -> list[Group]:
    """The groups, sorted by their keys, NULL last."""
    return sorted(zip(*columns, strict=True), key=lambda group: [(key is None, key) for key in group])
