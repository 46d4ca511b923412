"""Scores: a number for every answer, high where it indicates the first data set, low where the second.

A score is one feature, a feature in bins, a pattern of common values (each with its log-likelihood ratio), or a
weighted sum by logistic regression on standardised features.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tacit.audit.black_box.features import Column, Feature, Matrix, Special
from tacit.frozen import frozen

Scores: TypeAlias = NDArray[np.float64]
Labels: TypeAlias = NDArray[np.float64]
"""1 for an answer about the first data, 0 for one about the second."""


class Score(ABC):
    """A score learned from labelled rows; no claim depends on its quality."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Its description in words."""

    @abstractmethod
    def of(self, rows: Matrix) -> Scores:
        """One number per row."""


@frozen(eq=False)
class Single(Score):
    """One feature, or its negative where small values indicate the first world."""

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
class BinnedScore(Score):
    """One feature in bins, each with its log-likelihood ratio."""

    feature: Feature
    edges: NDArray[np.float64]
    ratios: NDArray[np.float64]

    @property
    def name(self) -> str:
        return f"histogram of {self.feature.name}"

    @classmethod
    def learn(cls, feature: Feature, column: Column, labels: Labels, bins: int = 64) -> BinnedScore:
        edges = edges_of(column, bins)
        return cls(feature, edges, log_ratios(np.searchsorted(edges, column), labels, len(edges) + 1))

    def of(self, rows: Matrix) -> Scores:
        return self.told(self.feature.of(rows))

    def told(self, column: Column) -> Scores:
        """The score of known values of the feature."""
        return self.ratios[np.searchsorted(self.edges, column)]


def edges_of(column: Column, bins: int) -> NDArray[np.float64]:
    """Cuts between values: all of them where they are few, otherwise such that bins hold about equally many.

    Half of the bins are quantiles of answers, half of different values, so that rare values get bins even where most
    answers are equal.
    """
    answers, values = column[:50_000], np.unique(column[:50_000])
    if len(values) > bins:
        shares = np.linspace(0, 1, bins // 2 + 1)
        halves = [np.quantile(each, shares, method="nearest") for each in (answers, values)]
        values = np.unique(np.concatenate(halves))
    return values[:-1]


def log_ratios(codes: NDArray[np.integer], labels: Labels, size: int) -> NDArray[np.float64]:
    """The log-likelihood ratio of each code, shrunk towards 0 where it is rare."""
    first = np.bincount(codes, labels, size)
    every = np.bincount(codes, minlength=size)
    return np.asarray(np.log(first + 1.0) - np.log(every - first + 1.0))


_MOST = 20_000


@frozen(eq=False)
class PatternScore(Score):
    """Every pattern seen, with its log-likelihood ratio; other patterns have 0."""

    atoms: NDArray[np.float64]
    patterns: NDArray[np.uint64]
    ratios: NDArray[np.float64]

    @property
    def name(self) -> str:
        return "pattern"

    @classmethod
    def learn(cls, rows: Matrix, labels: Labels) -> PatternScore | None:
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
    """A code per pattern: the atom in each coordinate, or none, or missing."""
    at = np.minimum(np.searchsorted(atoms, rows), len(atoms) - 1)
    places = np.where(atoms[at] == rows, at + 2, np.isnan(rows)).astype(np.uint64)
    mix = np.random.Generator(np.random.PCG64(rows.shape[1])).integers(0, 2**64, rows.shape[1], np.uint64)
    with np.errstate(over="ignore"):
        mixed: NDArray[np.uint64] = (places * (mix | np.uint64(1))).sum(axis=1, dtype=np.uint64)
    return mixed


_STEPS = 8
_SPREAD = 8.0  # standard deviations at which a value is clipped


@frozen(eq=False)
class Logistic(Score):
    """A weighted sum of features, each centred, scaled and clipped."""

    features: Sequence[Feature]
    centre: NDArray[np.float64]
    scale: NDArray[np.float64]
    weights: NDArray[np.float64]

    @property
    def name(self) -> str:
        return "logistic regression"

    @classmethod
    def learn(cls, features: Sequence[Feature], columns: Matrix, labels: Labels) -> Logistic:
        """Newton's method with a small ridge penalty."""
        low, centre, high = np.quantile(columns[:50_000], [0.1, 0.5, 0.9], axis=0)
        scale = np.where(high > low, (high - low) / 2.56, 1.0)
        design = _design(columns, centre, scale)
        weights = np.zeros(design.shape[1])
        for _ in range(_STEPS):
            chance = 1 / (1 + np.exp(-np.clip(design @ weights, -30, 30)))
            slope = design.T @ (labels - chance) - weights
            bend = (design.T * (chance * (1 - chance) + 1e-9)) @ design + np.eye(len(weights))
            step = np.linalg.solve(bend, slope)
            weights = weights + step
            if np.abs(step).max() < 1e-6:
                break
        return cls(features, centre, scale, weights)

    def of(self, rows: Matrix) -> Scores:
        columns = np.column_stack([feature.of(rows) for feature in self.features])
        return _design(columns, self.centre, self.scale) @ self.weights


def _design(columns: Matrix, centre: NDArray[np.float64], scale: NDArray[np.float64]) -> Matrix:
    with np.errstate(over="ignore"):
        scaled = np.clip((columns - centre) / scale, -_SPREAD, _SPREAD)
    return np.column_stack([scaled, np.ones(len(columns))])
