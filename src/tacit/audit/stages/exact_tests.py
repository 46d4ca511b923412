"""Tests whose false-alarm rates are exact: binomial counts, and sums of whole scores by Fourier transform.

A chi-square statistic has its rate only in the limit, and the rates that an audit needs are far out in its tail; so the
cells are tested one by one, and what they have in common by scores.
"""

from __future__ import annotations

from math import ceil, floor, log, sqrt

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import bdtr, bdtrc

from tacit.audit.stages.cells import Cells, Chances
from tacit.noise.bits import Integers

_ROUND_OFF = 1e-11  # more than the transform errs by, in any sum of its masses, and what wraps around


def binomial_p(hits: int | Integers, runs: int, chance: float | Chances) -> float:
    """The two-sided chance of a count at least this far out; of several counts, of the farthest, times their number."""
    counts = np.atleast_1d(np.asarray(hits, np.float64))
    below = bdtr(counts, runs, chance)
    above = np.where(counts > 0, bdtrc(np.maximum(counts - 1, 0), runs, chance), 1.0)
    return min(1.0, 2 * counts.size * float(np.minimum(below, above).min()))


def sum_p(scores: Integers, chances: Chances, total: int, runs: int) -> float:
    """The two-sided chance of a sum of scores at least this far out, over so many independent draws of a cell.

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
    line = np.roll(law, -(start % length))  # line[i] is the chance of start + i
    low, high = float(line[: total - start + 1].sum()), float(line[total - start :].sum())
    return min(1.0, 2 * (min(low, high) + _ROUND_OFF))


def _folded(masses: Chances, length: int) -> Chances:
    """The masses on a circle of this length: few runs of wide scores may be wider than it."""
    return np.bincount(np.arange(masses.size) % length, weights=masses, minlength=length).astype(np.float64)


def fits(draws: Integers, cells: Cells) -> dict[str, float]:
    """The chance, for each test, of draws at least as far from the law as these; each test has the same weight.

    Half of the alarms go to the three sums, half to the cells.
    """
    places = cells.place(draws)
    counts = np.bincount(places, minlength=cells.chances.size)
    sums = {
        name: sum_p(scores, cells.chances, int(scores[places].sum()), draws.size)
        for name, scores in cells.scores.items()
    }
    return sums | {"cells": binomial_p(counts, draws.size, cells.chances)}


def agreements(first: Integers, second: Integers, cells: Cells) -> dict[str, float]:
    """The same for pairs that should be independent: how often both are in one cell, on one side, or both far out."""
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
