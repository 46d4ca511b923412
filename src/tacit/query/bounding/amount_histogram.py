"""Noisy histograms of an amount that people have (rows, a total, a norm), and the people they may stand for.

`Bins` cut the amounts. `seen` finds the bins whose counts exceed what noise could cause. `possible_tails` gives the
people that may lie beyond those, hidden in the noise.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

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
    width (8–9, 10–11, 12–13, 14–15, 16–19, …), so a bin's last amount is at most a quarter above its first. Where
    `per_doubling` is two, into two: 1, 2, 3, 4–5, 6–7, 8–11, ….
    """

    most: int
    per_doubling: int = PER_DOUBLING

    def __post_init__(self) -> None:
        object.__setattr__(self, "most", whole(self.most, "most", 1))
        if not self.most <= _LARGEST:
            raise Refused("bins beyond 2^62", "Amounts are counted in 64-bit integers.", "most ≤ 2^62.")

    def __len__(self) -> int:
        return len(self.edges())

    def edges(self) -> NDArray[np.int64]:
        """The least amount of each bin."""
        return _edges(self.most, self.per_doubling)

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
def _edges(most: int, per_doubling: int) -> NDArray[np.int64]:
    doublings = range(most.bit_length())
    cut = [(per_doubling + part) << doubling for doubling in doublings for part in range(per_doubling)]
    edges = np.array([edge for edge in (*range(per_doubling), *cut) if edge <= most], dtype=np.int64)
    edges.setflags(write=False)
    return edges


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
    """The span of bins that hold people; None if no count exceeds the noise.

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


REACH = 32
"""No tail is thought to reach this many times the least amount above the last bin seen."""

_EXPONENTS = np.array([-1, 0, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4.5])  # people per bin fall like amount^-exponent
_FITTED = 3  # doublings of seen bins that a tail is fitted to
_ROUGHNESS = 0.1  # how far, relatively, seen bins may be off a power law
_LAST_BIN = 0.25  # people: a tail with fewer in its last bin is the same tail, ended earlier
_NEGLIGIBLE = 1e-3


@frozen
class Tails:
    """The seen people, and several cases of what follows, each with its weight; the weights add up to 1.

    Every bin is halved: its people stand at a quarter and at three quarters of it, `body_amounts` and `amounts`.
    `body` has one number of people an amount; `people` has a row a case.
    """

    body_amounts: NDArray[np.float64]
    body: NDArray[np.float64]
    amounts: NDArray[np.float64]
    people: NDArray[np.float64]
    weights: NDArray[np.float64]


def possible_tails(bins: Bins, counts: NDArray[np.float64], noise_sd: float, span: Span) -> Tails:
    """The seen people as counted, and beyond the last seen bin a power law that ends somewhere.

    The last people of a heavy tail are too few a bin to be seen, and noise of some tens of people at a large amount
    would outweigh them. So a case is an exponent and an end; its height is fitted to the last seen bins (at most three
    doublings, without a gap) and to what is counted beyond. Its weight is the likelihood of those counts
    under Gaussian noise, times a prior: every exponent alike, and the end, d bins beyond the last seen, as d+1,
    because what can be seen ends well before the people do.
    """
    last, end = span.last, end_of_reach(bins, span)
    low, high = bins.edges()[:end].astype(np.float64), bins.tops()[:end].astype(np.float64)
    fitted = np.arange(_start_of_run(counts, noise_sd, span, _FITTED * bins.per_doubling), end)
    beyond = fitted > last

    widths = np.log((high[fitted] + 1) / low[fitted])
    laws = ((low + high)[fitted] / (low + high)[last]) ** -_EXPONENTS[:, None] * widths
    ends = np.arange(last, end)
    cases = (laws[:, None, :] * (fitted <= ends[:, None])).reshape(-1, len(fitted))

    observed = counts[fitted]
    expected = np.where(beyond, 0.0, np.maximum(observed, 0.0))
    precision = 1 / (noise_sd**2 + 1 + expected + (_ROUGHNESS * expected) ** 2)
    heights = np.maximum(cases @ (observed * precision) / (cases**2 @ precision), 0.0)
    people = heights[:, None] * cases
    misfit = (observed - people) ** 2 @ precision

    farther = np.tile(ends - last, len(_EXPONENTS))
    at_end = people[np.arange(len(people)), np.tile(ends, len(_EXPONENTS)) - fitted[0]]
    prior = np.where((farther == 0) | (at_end >= _LAST_BIN), farther + 1.0, 0.0).reshape(len(_EXPONENTS), -1)
    weights = np.exp((misfit.min() - misfit) / 2) * (prior / prior.sum(axis=1, keepdims=True)).ravel()
    kept = weights > _NEGLIGIBLE * weights.max()

    halves = np.stack([low + (high - low) / 4, high - (high - low) / 4], axis=1)
    first = span.first
    return Tails(
        body_amounts=halves[first : last + 1].ravel(),
        body=np.repeat(counts[first : last + 1] / 2, 2),
        amounts=halves[last + 1 :].ravel(),
        people=np.repeat(people[np.ix_(kept, beyond)] / 2, 2, axis=1),
        weights=weights[kept] / weights[kept].sum(),
    )


def end_of_reach(bins: Bins, span: Span) -> int:
    """The bin after the last one that a tail may reach."""
    tops = bins.tops()
    most = min(REACH * (int(tops[span.last]) + 1) - 1, bins.most)
    return int(np.searchsorted(tops, most, side="right"))


def _start_of_run(counts: NDArray[np.float64], noise_sd: float, span: Span, most: int) -> int:
    """The first bin that a tail is fitted to: down from the last seen, until two neighbours are lost in the noise."""
    start = span.last
    while start > max(span.first, span.last - most) and counts[start - 2 : start].sum() > 2 * noise_sd:
        start -= 1
    return start
