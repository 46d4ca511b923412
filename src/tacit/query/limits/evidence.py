"""Which bins of a noisy histogram hold people, beyond what its noise could look like."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.query.limits.bins import PER_DOUBLING

FALSE_ALARM = 0.0002
"""The probability, at most, that noise alone makes the people seem to reach further than they do."""

_WIDTHS = (1, 2, 4, 8, 16)
_STEP = 2.0 ** (-1 / PER_DOUBLING)


@frozen
class Span:
    """The first and the last bin that people were seen in."""

    first: int
    last: int


def seen(counts: NDArray[np.float64], noise_sd: float, laplace: bool = False) -> Span | None:
    """The span of bins that hold people; None if nothing stands out of the noise.

    Runs of 1, 2, 4, 8 and 16 bins are tested from below. A run that passes shows that somebody has at least the amount
    of its lowest bin: the highest such bin is the last. The first is the lowest bin of the narrowest run that ends
    where the first run ends. A false alarm d bins above the last bin seen makes a limit about 2^(d/4) times too large,
    so the part of `FALSE_ALARM` that is spent there shrinks by that factor: near bins need 4.4 standard deviations,
    a lone bin twenty doublings away 6.8. Claim: if all bins above some bin are empty, one of them passes with
    probability at most FALSE_ALARM, by a union bound, for Gaussian noise of this standard deviation; for Laplace
    noise with `laplace`.
    """
    by_lowest, by_highest = _runs(counts)
    needed = noise_sd * _thresholds(len(counts), laplace)
    reached = _passed(by_lowest.max(axis=0), needed)
    begun = _passed(by_highest.max(axis=0), needed)
    if not (reached and begun):
        return None
    narrowest = _WIDTHS[int(np.argmax(by_highest[:, begun[0]] > needed[begun[0]]))]
    return Span(min(begun[0] - narrowest + 1, reached[-1]), reached[-1])


def _runs(counts: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The people of each run over √width, so that the noise has one variance in all; a row a width.

    The runs are placed first at their lowest bin, then at their highest; −∞ where none fits.
    """
    size = len(counts)
    sums = np.concatenate([[0.0], np.cumsum(counts)])
    by_lowest, by_highest = np.full((2, len(_WIDTHS), size), -np.inf)
    for row, width in enumerate(width for width in _WIDTHS if width <= size):
        run = (sums[width:] - sums[:-width]) / math.sqrt(width)
        by_lowest[row, : size - width + 1] = run
        by_highest[row, width - 1 :] = run
    return by_lowest, by_highest


def _passed(strengths: NDArray[np.float64], needed: NDArray[np.float64]) -> list[int]:
    """The places that pass, each by what is needed at its distance from the one before."""
    passed: list[int] = []
    last = 0
    bars = needed.tolist()
    for place, strength in enumerate(strengths.tolist()):
        if strength > bars[place - last]:
            passed.append(place)
            last = place
    return passed


@lru_cache(maxsize=64)
def _thresholds(size: int, laplace: bool) -> NDArray[np.float64]:
    """By distance from the last bin seen: how many standard deviations a run must have."""
    parts = FALSE_ALARM * (1 - _STEP) / len(_WIDTHS) * _STEP ** np.arange(size)
    if laplace:  # a sum of several, of one variance, has the lighter tail from 3 standard deviations on
        return np.asarray(np.log(1 / (2 * parts)) / math.sqrt(2), dtype=np.float64)
    return np.array([-NormalDist().inv_cdf(part) for part in parts.tolist()])
