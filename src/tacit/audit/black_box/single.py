"""Scores from one number a row: the number itself, and how much likelier its neighbourhood is in the first world."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.audit.black_box.features import Feature
from tacit.audit.black_box.matrix import Matrix
from tacit.audit.black_box.score import Labels, Score, Scores
from tacit.audit.black_box.special import Column
from tacit.frozen import frozen


@frozen(eq=False)
class Single(Score):
    """One feature as it is, or the other way round: then small values speak for the first world."""

    feature: Feature
    falls: bool = False

    @property
    def name(self) -> str:
        return f"{self.feature.name}, falling" if self.falls else self.feature.name

    def of(self, rows: Matrix) -> Scores:
        return self.told(self.feature.of(rows))

    def told(self, column: Column) -> Scores:
        """The score of known values of the feature."""
        return -column if self.falls else column


@frozen(eq=False)
class Histogram(Score):
    """One feature in bins, each with its log-likelihood ratio."""

    feature: Feature
    edges: NDArray[np.float64]
    ratios: NDArray[np.float64]

    @property
    def name(self) -> str:
        return f"histogram of {self.feature.name}"

    @classmethod
    def learn(cls, feature: Feature, column: Column, labels: Labels, bins: int = 64) -> Histogram:
        edges = edges_of(column, bins)
        return cls(feature, edges, log_ratios(np.searchsorted(edges, column), labels, len(edges) + 1))

    def of(self, rows: Matrix) -> Scores:
        return self.told(self.feature.of(rows))

    def told(self, column: Column) -> Scores:
        """The score of known values of the feature."""
        return self.ratios[np.searchsorted(self.edges, column)]


def edges_of(column: Column, bins: int) -> NDArray[np.float64]:
    """Cuts between values: all of them where they are few, otherwise such that bins hold about equally many.

    Half of the bins are for answers, half for different values: where most answers repeat one, the others show too.
    """
    answers, values = column[:50_000], np.unique(column[:50_000])
    if len(values) > bins:
        shares = np.linspace(0, 1, bins // 2 + 1)
        halves = [np.quantile(each, shares, method="nearest") for each in (answers, values)]
        values = np.unique(np.concatenate(halves))
    return values[:-1]


def log_ratios(codes: NDArray[np.integer], labels: Labels, size: int) -> NDArray[np.float64]:
    """ln of how much likelier each code is in the first world, drawn towards 0 where it was rarely seen."""
    first = np.bincount(codes, labels, size)
    every = np.bincount(codes, minlength=size)
    return np.asarray(np.log(first + 1.0) - np.log(every - first + 1.0))
