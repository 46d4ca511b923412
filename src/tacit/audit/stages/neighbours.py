"""All small data sets over a few rows, and all their neighbours, under either relation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from tacit.audit.subject import Data, Subject
from tacit.loss.families.loss import Relation

_MOST_SETS = 400
_MOST_ROWS = 4


def small_pairs(subject: Subject, relation: Relation) -> Iterator[tuple[Data, Data]]:
    """Every data set of a few rows with every neighbour of it; none where data are no lists of rows.

    Rows come from the subject's universe, else from its own pairs. Under replace the number of rows is public, so only
    the numbers that its pairs have are tried. The order of rows counts: data come as they are stored.
    """
    rows, sizes = _rows(subject), _sizes(subject, relation)
    if not rows:
        return
    wrap = np.array if isinstance(subject.pairs[0][0], np.ndarray) else type(subject.pairs[0][0])
    for size in sizes:
        while len(rows) ** size > _MOST_SETS and len(rows) > 2:
            rows = rows[:-1]
        if len(rows) ** size > _MOST_SETS:
            continue
        for chosen in product(rows, repeat=size):
            for other in _neighbours(chosen, rows, relation):
                yield wrap(chosen), wrap(other)


def _neighbours(chosen: tuple[Any, ...], rows: Sequence[Any], relation: Relation) -> Iterator[tuple[Any, ...]]:
    if relation is Relation.ADD_REMOVE:
        for place in range(len(chosen)):
            yield chosen[:place] + chosen[place + 1 :]
        return
    for place, row in product(range(len(chosen)), rows):
        yield (*chosen[:place], row, *chosen[place + 1 :])


def _rows(subject: Subject) -> list[Any]:
    if not all(isinstance(data, (list, tuple, np.ndarray)) for pair in subject.pairs for data in pair):
        return []
    if subject.universe:
        return list(subject.universe)
    found: list[Any] = []
    for row in (row for pair in subject.pairs for data in pair for row in data):
        if not any(row is known or np.array_equal(row, known) for known in found):
            found.append(row)
    return found


def _sizes(subject: Subject, relation: Relation) -> list[int]:
    if relation is Relation.ADD_REMOVE and subject.relation is Relation.ADD_REMOVE:
        return list(range(1, _MOST_ROWS + 1))
    sizes = {len(data) for pair in subject.pairs for data in pair if hasattr(data, "__len__")}
    return sorted(size for size in sizes if size > 0)
