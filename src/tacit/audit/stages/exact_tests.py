"""Tests of integer noise with exact false-alarm rates: binomial counts, and sums of whole scores by Fourier transform.

The integers are cut into cells whose exact probabilities under a distribution are known, down to its deep tails. A
chi-square statistic has its rate only in the limit, and an audit needs rates far out in its tail; so the cells are
tested one by one, and common deviations by scores. The power of a test is the smallest error of scale that it would
detect.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import ceil, floor, log, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import bdtr, bdtrc
from scipy.stats import norm

from tacit.frozen import frozen
from tacit.noise.bits import Integers
from tacit.noise.law import Law

_EVEN = 48
_DEEPEST = 20
_TOP = 64

Chances = NDArray[np.float64]


@frozen(eq=False)
class LawCells:
    """Cell c holds the integers from edges[c−1] up to, not including, edges[c]; the outer two are the tails."""

    law: Law
    edges: Integers

    @classmethod
    def of(cls, law: Law) -> LawCells:
        """About 48 cells of equal probability, and beyond them tails from 2^-6 down to 2^-20 on either side."""
        shares = {Fraction(part, _EVEN) for part in range(1, _EVEN)}
        for depth in range(6, _DEEPEST + 1):
            shares |= {Fraction(1, 1 << depth), 1 - Fraction(1, 1 << depth)}
        edges = sorted({law.quantile(share) + 1 for share in shares})
        return cls(law, np.array(edges, np.int64))

    @cached_property
    def chances(self) -> Chances:
        """The probability of each cell."""
        return self.stretched(1.0)

    def stretched(self, factor: float) -> Chances:
        """The approximate probabilities for noise this many times as wide; tails are interpolated between integers."""
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
        """Integer scores of the cells; their sums detect noise that is shifted, too narrow or too wide."""
        inner = np.concatenate([[self.edges[0] - 1], self.edges])  # one integer of each cell
        away = np.abs(inner - self.middle).astype(np.float64)
        reach = max(1, self.law.quantile(1 - Fraction(1, 1 << 10)) - self.middle)
        share = np.minimum(1.0, away / reach)
        ranks = np.round(_TOP * (np.cumsum(self.chances) - self.chances / 2))
        scored = {"place": ranks, "width": _TOP * share, "square": _TOP * share**2}
        return {name: np.rint(values).astype(np.int64) for name, values in scored.items()}


_ROUND_OFF = 1e-11  # more than the error of the transform in any sum of its masses, and the mass that wraps around


def binomial_p(hits: int | Integers, runs: int, chance: float | Chances) -> float:
    """The two-sided p-value of a count; for several counts, that of the most extreme, times their number."""
    counts = np.atleast_1d(np.asarray(hits, np.float64))
    below = bdtr(counts, runs, chance)
    above = np.where(counts > 0, bdtrc(np.maximum(counts - 1, 0), runs, chance), 1.0)
    return min(1.0, 2 * counts.size * float(np.minimum(below, above).min()))


def sum_p(scores: Integers, chances: Chances, total: int, runs: int) -> float:
    """The two-sided p-value of a sum of scores over so many independent draws of a cell.

    The law of the sum is computed on a circle that is wide enough: by Hoeffding's bound less than 10^-12 of it wraps
    around, which is added to the answer with the round-off.
    """
    masses = np.bincount(scores, weights=chances).astype(np.float64) / chances.sum()
    top = masses.size - 1
    mean = float(np.arange(masses.size) @ masses) * runs
    reach = ceil(min(runs * top, top * sqrt(runs * log(2e12) / 2))) + 1
    if not abs(total - mean) <= reach:
        return _ROUND_OFF
    length = next_fast_len(2 * reach + 2, real=True)
    law = np.maximum(irfft(rfft(_folded(masses, length), length) ** runs, length), 0)
    start = floor(mean) - reach
    line = np.roll(law, -(start % length))  # line[i] is the probability of start + i
    low, high = float(line[: total - start + 1].sum()), float(line[total - start :].sum())
    return min(1.0, 2 * (min(low, high) + _ROUND_OFF))


def _folded(masses: Chances, length: int) -> Chances:
    """The masses on a circle of this length: the scores of few runs may span more than it."""
    return np.bincount(np.arange(masses.size) % length, weights=masses, minlength=length).astype(np.float64)


def fits(draws: Integers, cells: LawCells) -> dict[str, float]:
    """The p-value of the draws for each test; each test has the same weight.

    Half of the alarms go to the three sums, half to the cells.
    """
    places = cells.place(draws)
    counts = np.bincount(places, minlength=cells.chances.size)
    sums = {
        name: sum_p(scores, cells.chances, int(scores[places].sum()), draws.size)
        for name, scores in cells.scores.items()
    }
    return sums | {"cells": binomial_p(counts, draws.size, cells.chances)}


def agreements(first: Integers, second: Integers, cells: LawCells) -> dict[str, float]:
    """The p-values for pairs that should be independent: both in one cell, on one side, or both in the tails."""
    one, other = cells.place(first), cells.place(second)
    chances = cells.chances
    upper = np.cumsum(chances) > 0.5
    wide = cells.scores["width"] >= np.average(cells.scores["width"], weights=chances)
    kinds = {"cell": np.arange(chances.size), "side": upper.astype(np.int64), "width": wide.astype(np.int64)}
    found = {}
    for name, kind in kinds.items():
        same = float((np.bincount(kind, weights=chances) ** 2).sum())
        found[name] = binomial_p(int((kind[one] == kind[other]).sum()), one.size, same)
    return found


_POWER = 0.9


def least_scale_error(cells: LawCells, runs: int, alarm_rate: float) -> float:
    """The least e for which noise 1 − e times as wide fails one of the sums with probability 9/10, about."""
    low, high = 0.0, 1.0
    while high - low > 1e-3:
        middle = (low + high) / 2
        low, high = (low, middle) if _is_seen(cells, runs, alarm_rate, 1 - middle) else (middle, high)
    return high


def _is_seen(cells: LawCells, runs: int, alarm_rate: float, factor: float) -> bool:
    narrow = cells.stretched(max(factor, 1e-3))
    for name in ("width", "square"):
        scores = cells.scores[name]
        (mean, deviation), (moved, spread) = _moments(scores, cells.chances), _moments(scores, narrow)
        line = norm.isf(alarm_rate / 2) * deviation / sqrt(runs)
        if abs(moved - mean) - line >= norm.isf(1 - _POWER) * spread / sqrt(runs) and abs(moved - mean) > 0:
            return True
    return False


def _moments(scores: Integers, chances: Chances) -> tuple[float, float]:
    mean = float(np.average(scores, weights=chances))
    return mean, sqrt(max(0.0, float(np.average((scores - mean) ** 2, weights=chances))))
