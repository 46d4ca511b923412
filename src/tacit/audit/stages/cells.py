"""The integers cut into cells whose exact chances under a law are known, down to its deep tails."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.noise.bits import Integers
from tacit.noise.law import Law

_EVEN = 48
_DEEPEST = 20
_TOP = 64

Chances = NDArray[np.float64]


@frozen(eq=False)
class Cells:
    """Cell c holds the integers from edges[c−1] up to, not including, edges[c]; the outer two are the tails."""

    law: Law
    edges: Integers

    @classmethod
    def of(cls, law: Law) -> Cells:
        """About 48 cells of even chance, and beyond them tails from 2^-6 down to 2^-20 on either side."""
        shares = {Fraction(part, _EVEN) for part in range(1, _EVEN)}
        for depth in range(6, _DEEPEST + 1):
            shares |= {Fraction(1, 1 << depth), 1 - Fraction(1, 1 << depth)}
        edges = sorted({law.quantile(share) + 1 for share in shares})
        return cls(law, np.array(edges, np.int64))

    @cached_property
    def chances(self) -> Chances:
        """The chance of each cell."""
        return self.stretched(1.0)

    def stretched(self, factor: float) -> Chances:
        """The chances if the noise were this many times as wide, about: between integers tails are interpolated."""
        at = [self._tail((int(edge) - self.middle - 0.5) / factor + self.middle + 0.5) for edge in self.edges]
        chances: Chances = np.maximum(-np.diff([1.0, *at, 0.0]), 0.0)
        return chances

    def _tail(self, edge: float) -> float:
        below, share = int(edge // 1), edge % 1
        inner = float(self.law.tail(below))
        return inner if share == 0 else inner * (1 - share) + share * float(self.law.tail(below + 1))

    @cached_property
    def middle(self) -> int:
        return self.law.quantile(Fraction(1, 2))

    def place(self, draws: Integers) -> Integers:
        """The cell of each draw."""
        return np.searchsorted(self.edges, draws, side="right").astype(np.int64)

    @cached_property
    def scores(self) -> dict[str, Integers]:
        """Whole numbers for each cell whose sums show noise that is moved, or is too narrow or too wide."""
        inner = np.concatenate([[self.edges[0] - 1], self.edges])  # one integer of each cell
        away = np.abs(inner - self.middle).astype(np.float64)
        reach = max(1, self.law.quantile(1 - Fraction(1, 1 << 10)) - self.middle)
        share = np.minimum(1.0, away / reach)
        ranks = np.round(_TOP * (np.cumsum(self.chances) - self.chances / 2))
        scored = {"place": ranks, "width": _TOP * share, "square": _TOP * share**2}
        return {name: np.rint(values).astype(np.int64) for name, values in scored.items()}
