"""Goodness of fit with the false-alarm rate written down: seeded draws, so a verdict never flickers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import chi2

from tacit.noise.bits import Integers
from tacit.noise.law import Law

FALSE_ALARM = 1e-6  # for each call, if the draws were fresh; with seeded draws a pass stays a pass


def fit(draws: Integers, law: Law, low: int, high: int, cells: int = 64) -> float:
    """The chi-square p-value of the draws against the law: equal cells over low … high, and the two tails."""
    edges = np.unique(np.linspace(low, high + 1, min(cells, high + 1 - low) + 1).astype(np.int64))
    tails = np.array([1.0, *(float(law.tail(int(edge))) for edge in edges), 0.0])
    expected = -np.diff(tails) * draws.size
    observed = np.diff([0, *np.searchsorted(np.sort(draws), edges), draws.size])
    usable = expected >= 10
    expected = np.append(expected[usable], expected[~usable].sum())
    observed = np.append(observed[usable], observed[~usable].sum())
    if expected[-1] < 10:
        expected = np.append(expected[:-2], expected[-2:].sum())
        observed = np.append(observed[:-2], observed[-2:].sum())
    statistic = ((observed - expected) ** 2 / expected).sum()
    return float(chi2.sf(statistic, expected.size - 1))


def p_value(observed: Sequence[int], masses: Sequence[float]) -> float:
    """Pearson's chi-square: the chance of a histogram at least this far from the law (every expected count ≥ 5)."""
    counts, shares = np.asarray(observed, float), np.asarray(masses, float)
    expected = shares * counts.sum()
    assert expected.min() >= 5
    assert abs(shares.sum() - 1) < 1e-9
    return float(chi2.sf(((counts - expected) ** 2 / expected).sum(), counts.size - 1))
