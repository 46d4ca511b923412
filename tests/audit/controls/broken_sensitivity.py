"""Broken sensitivity: wrong relations, missing clamps, and bounds and sizes taken from the data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from tests.audit.controls.broken_control import Control, broken

from tacit.audit.subject import AdditiveStructure, Data, Norm
from tacit.loss.families.loss import Relation
from tacit.noise.bits import Bits, Integers
from tacit.noise.discrete_laplace import DiscreteLaplace

_KEYS = ("a", "b", "c")


def _histogram(data: Data) -> list[int]:
    return [list(data).count(key) for key in _KEYS]


def _features(data: Data) -> list[int]:
    return [sum(row[place] for row in data) for place in range(4)]


def _own_bounds(data: Data) -> list[int]:
    bound = sorted(data)[-2] if len(data) > 1 else 0
    return [sum(min(row, bound) for row in data)]


def _unclamped(data: Data) -> list[int]:
    return [sum(data)]


def _small_accumulator(data: Data) -> list[int]:
    return [int(np.array(list(data), np.int64).sum().astype(np.int8))]


def _clamped_column(data: Data) -> list[int]:
    return [sum(min(price, 10) * number for price, number in data)]


def _median(data: Data) -> list[int]:
    rows = sorted(data)
    return [rows[len(rows) // 2] if rows else 0]


def _pairs_of_rows(data: Data) -> list[int]:
    return [sum(one == other for one in data for other in data)]


def _additive(
    name: str,
    note: str,
    statistic: Callable[[Data], list[int]],
    declared: int | Fraction,
    pairs: Sequence[tuple[Data, Data]],
    universe: Sequence[Any],
    *,
    relation: Relation = Relation.ADD_REMOVE,
    norm: Norm = "l1",
) -> Control:
    """ε = 1 by the declared sensitivity, with exact noise: only the declaration is false."""
    law = DiscreteLaplace(declared)

    def release(data: Data, bits: Bits) -> Integers:
        return law.add(np.array(statistic(data), np.int64), bits)

    inside = AdditiveStructure(statistic, Fraction(declared), norm, law, law.draw)
    return broken(name, note, "sensitivity", 1, release, pairs, relation=relation, additive=inside, universe=universe)


_BITS4 = tuple((a, b, c, d) for a in (0, 1) for b in (0, 1) for c in (0, 1) for d in (0, 1))

MEANING: tuple[Control, ...] = (
    _additive(
        "wrong relation",
        "A histogram moves by 2 when a person is replaced, not by 1 (R18).",
        _histogram,
        1,
        ((["a", "b"], ["a", "a"]),),
        _KEYS,
        relation=Relation.REPLACE,
    ),
    _additive(
        "ℓ₂ for ℓ₁",
        "Four features move by 4 in ℓ₁; their ℓ₂ norm 2 scales Laplace noise.",
        _features,
        2,
        (([(0, 0, 0, 0)], []),),
        _BITS4,
    ),
    _additive(
        "bounds from the data",
        "Rows are clamped to the data's own second largest (R15).",
        _own_bounds,
        10,
        (([0, 5, 10, 5], [0, 5, 10]),),
        (0, 5, 10),
    ),
    _additive(
        "clamp forgotten",
        "The sum is priced for rows up to 10, and takes any (R16).",
        _unclamped,
        10,
        (([3, 10], [3]),),
        (0, 3, 10, 100),
    ),
    _additive(
        "clamp on the column",
        "Price is clamped, price times number is summed (R16).",
        _clamped_column,
        10,
        (([(5, 1)], []),),
        ((5, 1), (20, 1), (10, 3)),
    ),
    _additive("overflow", "The sum wraps around at 8 bits (R05).", _small_accumulator, 100, (([100], []),), (1, 100)),
    _additive(
        "median with a count's noise",
        "A median moves as far as its neighbours lie apart.",
        _median,
        1,
        (([1, 2, 3], [1, 2]),),
        (0, 1, 9),
    ),
    _additive(
        "pairs counted once",
        "A person is in as many pairs as there are people: the count moves by n.",
        _pairs_of_rows,
        1,
        (([], [1]),),
        (1, 2),
    ),
)
