"""The layout of a figure: the key along the axis, and the keys that distinguish lines or bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.query.post_noise.estimates import Keys, OutputColumn, Rendered
from tacit.release.cells import key_texts
from tacit.schema.kind import NUMBERS, TIMES

_MOST_BARS: Final = 60
_MOST_LINES: Final = 8
_LONG_LABEL: Final = 12
_MANY_BARS: Final = 12
_LONGEST: Final = 32

Rows: TypeAlias = NDArray[np.int64]


@frozen(eq=False)
class Bars:
    """A bar for each row, in the order of the answer."""

    labels: tuple[str, ...]
    horizontal: bool
    remarks: tuple[str, ...]


@frozen(eq=False)
class Lines:
    """Lines along a key that has an order; `series` are the rows of each line in that order, by its label."""

    title: str
    places: NDArray[Any]
    is_time: bool
    series: tuple[tuple[str, Rows], ...]
    remarks: tuple[str, ...]


def arrange(rendered: Rendered) -> Bars | Lines:
    """Lines if a key is a date or a number, and the other keys make few of them; bars otherwise."""
    keys = [column for column in rendered.columns if isinstance(column.values, Keys)]
    for kinds in (TIMES, NUMBERS):
        for along in keys:
            if isinstance(along.values, Keys) and along.values.type in kinds:
                lines = _lines(along, along.values, [key for key in keys if key is not along])
                if lines is not None:
                    return lines
    return _bars(keys, rendered.size)


def _lines(along: OutputColumn, places: Keys, others: Sequence[OutputColumn]) -> Lines | None:
    values: list[Any] = list(places.values)
    placed = [row for row, value in enumerate(values) if value is not None]
    labels = _labels(others, len(places))
    found: dict[str, list[int]] = {}
    for row in sorted(placed, key=values.__getitem__):
        found.setdefault(labels[row], []).append(row)
    crowded = len(found) > _MOST_LINES or len({values[row] for row in placed}) < 2
    repeated = any(len({values[row] for row in rows}) < len(rows) for rows in found.values())
    if crowded or repeated:
        return None
    is_time = places.type.is_time
    array = np.array(values, "datetime64[us]" if is_time else np.float64)
    remarks = ("the group without a value is not drawn",) if len(placed) < len(places) else ()
    series = tuple((label, np.array(found[label], np.int64)) for label in sorted(found))
    return Lines(along.name, array, is_time, series, remarks)


def _bars(keys: Sequence[OutputColumn], size: int) -> Bars:
    labels = _labels(keys, size)[:_MOST_BARS]
    horizontal = not 1 < len(labels) <= _MANY_BARS or max(map(len, labels)) > _LONG_LABEL
    remarks = (f"the first {_MOST_BARS} of {size:,} groups",) if size > _MOST_BARS else ()
    return Bars(tuple(labels), horizontal, remarks)


def _labels(keys: Sequence[OutputColumn], size: int) -> list[str]:
    """The label of each row: its keys, shortened."""
    texts = [key_texts(key.values) for key in keys if isinstance(key.values, Keys)]
    joined = [" · ".join(parts) for parts in zip(*texts, strict=True)] if texts else [""] * size
    return [text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…" for text in joined]
