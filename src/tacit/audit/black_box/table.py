"""A score for whole patterns: which coordinates hold which common value, each with its likelihood ratio."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.audit.black_box.matrix import Matrix
from tacit.audit.black_box.score import Labels, Score, Scores
from tacit.audit.black_box.single import log_ratios
from tacit.audit.black_box.special import Special
from tacit.frozen import frozen

_MOST = 20_000


@frozen(eq=False)
class Table(Score):
    """Every pattern that was seen, with its log-likelihood ratio; any other says nothing."""

    atoms: NDArray[np.float64]
    patterns: NDArray[np.uint64]
    ratios: NDArray[np.float64]

    @property
    def name(self) -> str:
        return "pattern"

    @classmethod
    def learn(cls, rows: Matrix, labels: Labels) -> Table | None:
        """The table, where the patterns are few enough to be learned."""
        atoms = np.sort(Special.of(rows).values)
        if not len(atoms):
            return None
        patterns, codes = np.unique(_codes(rows, atoms), return_inverse=True)
        if not 1 < len(patterns) <= _MOST:
            return None
        return cls(atoms, patterns, log_ratios(codes, labels, len(patterns)))

    def of(self, rows: Matrix) -> Scores:
        codes = _codes(rows, self.atoms)
        at = np.minimum(np.searchsorted(self.patterns, codes), len(self.patterns) - 1)
        return np.where(self.patterns[at] == codes, self.ratios[at], 0.0)


def _codes(rows: Matrix, atoms: NDArray[np.float64]) -> NDArray[np.uint64]:
    """A number a pattern: which atom stands in each coordinate, or that none does, or that it is missing."""
    at = np.minimum(np.searchsorted(atoms, rows), len(atoms) - 1)
    places = np.where(atoms[at] == rows, at + 2, np.isnan(rows)).astype(np.uint64)
    mix = np.random.Generator(np.random.PCG64(rows.shape[1])).integers(0, 2**64, rows.shape[1], np.uint64)
    with np.errstate(over="ignore"):
        mixed: NDArray[np.uint64] = (places * (mix | np.uint64(1))).sum(axis=1, dtype=np.uint64)
    return mixed
