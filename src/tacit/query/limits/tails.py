"""The people as they may be: those that were seen, and what may lie beyond them hidden in the noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.query.limits.bins import PER_DOUBLING, Bins
from tacit.query.limits.evidence import Span

REACH = 32
"""No tail is thought to reach this many times the least amount above the last bin seen."""

_EXPONENTS = np.array([-1, 0, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4.5])  # people per bin fall like amount^-exponent
_FITTED = 3 * PER_DOUBLING  # seen bins that a tail is fitted to
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
    fitted = np.arange(_start_of_run(counts, noise_sd, span), end)
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


def _start_of_run(counts: NDArray[np.float64], noise_sd: float, span: Span) -> int:
    """The first bin that a tail is fitted to: down from the last seen, until two neighbours are lost in the noise."""
    start = span.last
    while start > max(span.first, span.last - _FITTED) and counts[start - 2 : start].sum() > 2 * noise_sd:
        start -= 1
    return start
