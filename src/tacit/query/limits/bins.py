"""Bins for an amount that a person has: rows, a total, a norm."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.exact import whole
from tacit.frozen import frozen

PER_DOUBLING = 4  # bins between 2^k and 2^(k+1), all of one width, for k ≥ 2
_LARGEST = 2**62


@frozen
class Bins:
    """Bins of a whole amount from 0 to `most`, a public number; more than `most` is counted in the last bin.

    Bin 0 is the amount 0. Amounts 1 to 7 have a bin each; from there on each doubling is cut into four bins of one
    width (8–9, 10–11, 12–13, 14–15, 16–19, …), so a bin's last amount is at most a quarter above its first.
    """

    most: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "most", whole(self.most, "most", 1))
        if not self.most <= _LARGEST:
            raise Refused("bins beyond 2^62", "Amounts are counted in 64-bit integers.", "most ≤ 2^62.")

    def __len__(self) -> int:
        return len(self.edges())

    def edges(self) -> NDArray[np.int64]:
        """The least amount of each bin."""
        return _edges(self.most)

    def tops(self) -> NDArray[np.int64]:
        """The greatest amount of each bin."""
        return np.append(self.edges()[1:] - 1, np.int64(self.most))

    def index(self, amounts: NDArray[np.int64]) -> NDArray[np.int64]:
        """The bin of each amount; below 0 counts as 0."""
        return np.maximum(np.searchsorted(self.edges(), amounts, side="right") - 1, 0)

    def index_sql(self, amount_sql: str) -> str:
        """The bin of an integer expression in SQL; below 0 and NULL count as 0.

        Claim: it cannot fail and is exact, whatever the integer type, since it is nothing but comparisons with
        constants and constant leaves: a balanced tree of CASE, as deep as the logarithm of the number of bins. The
        expression is written once a bin, so hand it the name of a column.
        """
        return _tree(amount_sql, self.edges().tolist(), 0, len(self) - 1)


def _tree(amount: str, edges: list[int], low: int, high: int) -> str:
    if low == high:
        return str(low)
    middle = (low + high + 1) // 2
    above, below = _tree(amount, edges, middle, high), _tree(amount, edges, low, middle - 1)
    return f"CASE WHEN {amount} >= {edges[middle]} THEN {above} ELSE {below} END"


@lru_cache(maxsize=64)
def _edges(most: int) -> NDArray[np.int64]:
    doublings = range(most.bit_length())
    cut = [(PER_DOUBLING + part) << doubling for doubling in doublings for part in range(PER_DOUBLING)]
    edges = np.array([edge for edge in (0, 1, 2, 3, *cut) if edge <= most], dtype=np.int64)
    edges.setflags(write=False)
    return edges
