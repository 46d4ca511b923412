"""The posterior of the people beyond a limit, from the same noisy histogram that chose the limit.

People who have much are few, and their bins are lost in the noise. `TailPosterior` weighs a fixed family of tails by
how well each explains the noisy counts: a power law from the last amount that many people exceed, whose exponent may
grow with the amount, and may change once; where far more people are counted than it explains, another begins. Nothing
but the histogram and public numbers is used, so it is post-processing; it is a grid, not a sample: the same histogram
gives the same posterior.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from math import log, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.query.aggregates.clipping_bias import LEVELS
from tacit.query.aggregates.normal_law import log_normal_below
from tacit.query.bounding.profile_evidence import TailCap

Floats = NDArray[np.float64]

START = 30.0  # noise deviations: a tail starts at the last amount that so many people exceed
STEPS = 20  # half-doublings that a tail may reach
FLOOR = 0.9  # the least exponent beyond the last bin that people were seen in
BUMP = 4.0  # deviations: a bin with so many more people than a tail explains is the start of another
ROUGH = 0.1  # how far, relatively, a bin may be off its law
PLACE = 0.75  # the same of what lies just beyond a limit: it is not known where in a bin people lie
LOWEST = 0.35  # of a bin's width: people of a bin are not taken to lie below this on average
CHOICE = 0.8  # the confidence at which the width of an interval is made least
CHOICE_OF_MOST = 0.95  # the same where at_most is declared: no tail goes on without end

_EXPONENTS = np.exp(np.linspace(log(0.1), log(8.0), 13))
_DRIFTS = ((0.03, 0.3), (0.1, 0.4), (0.25, 0.3))  # growth of the exponent a half-doubling, and its weight
_KINKS = (0, 1, 2, 3, 4, 5, 7, 9, 12)  # half-doublings after the start at which the exponent may change
_TIMES = ((2.2, 0.027), (7.4, 0.027), (30.0, 0.027))  # it grows so many times, with what chance a half-doubling
_ANEW = ((0.3, 0.003), (0.7, 0.003), (1.3, 0.003), (2.5, 0.006), (5.0, 0.006))  # or begins anew
_STEEPEST = 200.0
_WIDE = 4  # amounts: narrower bins are not cut in two
_KEPT = 400  # tails, the likeliest, that are looked at further
_ENDS = np.array([0.03, 0.14, 0.4, 0.9, 1.7, 3.2])  # people expected beyond the one who has most
_END_WEIGHTS = np.array([0.06, 0.14, 0.25, 0.25, 0.2, 0.1])
_HEIGHTS = ((-1.22, 0.3), (0.0, 0.4), (1.22, 0.3))  # of a tail, in deviations, and their weights


@frozen(eq=False)
class TailPosterior:
    """Cases of what lies beyond each node, with weights: `masses` has a row a case and a column a node.

    `spreads` is the deviation of each mass within its case: how high the tail is, how rough, and where in a bin
    people lie. Beyond the last node there is nothing.
    """

    nodes: Floats
    masses: Floats
    spreads: Floats
    weights: Floats

    def widths(self, noise: Floats, weight: float, choice: float, *, is_shifted: bool = True) -> Floats:
        """The width of an interval that joins noise and `weight` times what is cut off, for a limit at each node.

        `noise` is its deviation there, `choice` the confidence. Where the answer is not shifted by what is cut off, all
        of that counts, on both sides.
        """
        first, last = weighted_quantiles(self.masses, self.weights, np.array([(1 - choice) / 2, (1 + choice) / 2]))
        first = first if is_shifted else -last
        across = 2 * NormalDist().inv_cdf((1 + choice) / 2)
        within = np.sqrt(self.weights @ self.spreads**2)
        return np.asarray(np.sqrt((weight * (last - first)) ** 2 + across**2 * (noise**2 + (weight * within) ** 2)))

    def beyond(self, limit: float) -> Floats:
        """The total beyond a limit, at each of `LEVELS`."""
        masses, spreads = self._at(limit, self.masses), self._at(limit, self.spreads)
        points = np.concatenate([np.maximum(masses + level * spreads, 0.05 * masses) for level, _ in _HEIGHTS])
        weights = np.concatenate([share * self.weights for _, share in _HEIGHTS])
        return weighted_quantiles(points[:, None], weights, LEVELS)[:, 0]

    def _at(self, limit: float, columns: Floats) -> Floats:
        """A column between two nodes, by proportion."""
        place = int(np.clip(np.searchsorted(self.nodes, limit) - 1, 0, len(self.nodes) - 2))
        first, last = self.nodes[place : place + 2]
        part = min(max((limit - first) / (last - first), 0.0), 1.0)
        return np.asarray((1 - part) * columns[:, place] + part * columns[:, place + 1])


def weighted_quantiles(points: Floats, weights: Floats, levels: Floats) -> Floats:
    """The quantiles of each column of points, all with these weights: a row a level."""
    columns = np.ascontiguousarray(points.T)
    order = np.argsort(columns, axis=1)
    found = np.empty((len(levels), len(columns)))
    for place, (column, rising) in enumerate(zip(columns, order, strict=True)):
        sums = np.cumsum(weights[rising])
        reached = np.minimum(np.searchsorted(sums, levels * sums[-1]), len(rising) - 1)
        found[:, place] = column[rising[reached]]
    return found


def tail_posterior(
    edges: Floats,
    counts: Floats,
    deviation: float,
    first: int,
    last: int,
    most: float = np.inf,
    cap: TailCap | None = None,
) -> TailPosterior:
    """The tails that explain noisy numbers of people by bin; counts exceed the noise in bins `first` to `last`.

    `edges` are the least amounts of the bins, from 1 on. Nobody has more than `most`, and people are within `cap`.
    """
    start: int | None = _start(counts, deviation, first, last)
    while start is not None:
        begun, low = start, edges[start : start + STEPS + 1]
        left, people = _left(low, last - begun, most), counts[begun : begun + len(low) - 1]
        height, unsure, weights, kept = _fitted(left, people, deviation)
        bump = _unexplained(-height[:, None] * np.diff(left[kept], axis=1), weights, people, deviation)
        start = None if bump is None or begun + bump > min(last, len(counts) - 2) else begun + bump
    if cap is not None:
        weights = weights * np.exp(cap.likelihoods(height[:, None] * left[kept], begun))
        weights = weights / weights.sum()
    nodes, left = _refined(low - 1, left[kept])
    tail = height[:, None] * left
    body = np.cumsum(np.maximum(counts[first:begun], 0.0)[::-1])[::-1]
    exceeding = np.concatenate([tail[:, :1] + body, tail], axis=1)
    nodes = np.concatenate([edges[first:begun] - 1, nodes])
    masses = _masses(nodes, exceeding)
    spreads = masses * _unsure(masses, exceeding, unsure)
    cases = (len(_ENDS) * len(weights), len(nodes))
    share = (_END_WEIGHTS[:, None] * weights).ravel()
    return TailPosterior(nodes, masses.reshape(cases), spreads.reshape(cases), share / share.sum())


def _start(counts: Floats, deviation: float, first: int, last: int) -> int:
    """The bin at which a tail starts: the last whose amount is exceeded by many people."""
    exceeding = np.cumsum(counts[: last + 11][::-1])[::-1]
    many = np.flatnonzero(exceeding[: last + 1] >= START * deviation)
    start = max(int(many[-1]), first) if many.size else first
    return min(start, len(counts) - 2)  # a tail has a bin at least


@lru_cache(maxsize=1)
def _family() -> tuple[Floats, Floats]:
    """The exponents of each tail, by half-doublings from the start, and the logarithm of its prior weight."""
    bins = np.arange(STEPS)
    rows, weights = [], []
    stay = 1 - sum(chance for _, chance in (*_TIMES, *_ANEW))
    spans = np.diff((*_KINKS, 15))
    for exponent, (drift, share) in product(_EXPONENTS, _DRIFTS):
        grown = exponent * np.exp(drift * bins)
        rows.append(grown)
        weights.append(share * stay**12)
        for place, span in zip(_KINKS, spans, strict=True):
            chances = share * span * stay**place
            for times, chance in _TIMES:
                rows.append(np.where(bins >= place, grown * times, grown))
                weights.append(chance * chances)
            for anew, chance in _ANEW:
                rows.append(np.where(bins >= place, anew * np.exp(drift * (bins - place)), grown))
                weights.append(chance * chances)
    return np.minimum(np.array(rows), _STEEPEST), np.log(np.array(weights))


def _left(low: Floats, last: int, most: float) -> Floats:
    """What part of the people beyond the start each tail leaves beyond each edge."""
    exponents, _ = _family()
    ratio = np.log(low[1:] / low[:-1])
    pace = np.cumsum(2 * ratio / log(2))
    by_bin = exponents[:, np.minimum(np.round(pace - pace[0]).astype(int), STEPS - 1)]
    by_bin = np.where(np.arange(len(ratio)) > last, np.maximum(by_bin, FLOOR), by_bin)
    left = np.exp(-np.cumsum(by_bin * ratio, axis=1))
    left = np.concatenate([np.ones((len(left), 1)), left], axis=1)
    left[:, low - 1 >= most] = 0.0
    return left


def _fitted(left: Floats, seen: Floats, deviation: float) -> tuple[Floats, Floats, Floats, NDArray[np.int64]]:
    """For the likeliest tails: the mean of the height, its relative deviation, the weight; and which they are.

    Given a tail, the counts are normal around its height times its shares; under a flat prior on heights above zero
    the height is a normal that is cut at zero.
    """
    shares = -np.diff(left, axis=1)
    expected = np.maximum(seen - deviation, 0.0)
    precision = 1 / (deviation**2 + expected + (ROUGH * expected) ** 2)
    information = np.maximum(shares**2 @ precision, 1e-300)
    standard = shares @ (seen * precision) / np.sqrt(information)
    logs = _family()[1] + standard**2 / 2 - np.log(information) / 2 + log_normal_below(standard)
    kept = np.argsort(logs, kind="stable")[-_KEPT:]
    standard = standard[kept]
    hazard = np.exp(-(standard**2) / 2 - log_normal_below(standard)) / sqrt(2 * np.pi)
    mean = np.maximum(standard + hazard, 0.5 / (1 + np.abs(standard)))  # far out the difference is lost to rounding
    unsure = np.sqrt(np.maximum(1 - hazard * mean, 1e-9)) / mean
    weights = np.exp(logs[kept] - logs[kept].max())
    return mean / np.sqrt(information[kept]), unsure, weights / weights.sum(), kept


def _unexplained(tails: Floats, weights: Floats, people: Floats, deviation: float) -> int | None:
    """The first bin after the start with far more people than the tails explain: another tail starts there."""
    expected = weights @ tails
    unsure = deviation**2 + expected + (ROUGH * expected) ** 2 + weights @ (tails - expected) ** 2
    found = np.flatnonzero((people - expected)[1:] > BUMP * np.sqrt(unsure[1:]))
    return int(found[0]) + 1 if found.size else None


def _refined(nodes: Floats, left: Floats) -> tuple[Floats, Floats]:
    """Wide bins cut in two at a whole amount, and what is left of the people there, by a power law."""
    wide = np.flatnonzero(np.diff(nodes) >= _WIDE)
    middles = np.floor(np.sqrt((nodes[wide] + 1) * (nodes[wide + 1] + 1))) - 1
    part = np.log((middles + 1) / (nodes[wide] + 1)) / np.log((nodes[wide + 1] + 1) / (nodes[wide] + 1))
    first, last = left[:, wide], left[:, wide + 1]
    between = np.maximum(first ** (1 - part) * last**part, last + LOWEST * (first - last))
    return np.insert(nodes, wide + 1, middles), np.insert(left, wide + 1, between, axis=1)


def _masses(nodes: Floats, exceeding: Floats) -> Floats:
    """What lies beyond each node in all: ends × tails × nodes.

    The person who has most is where `_ENDS` people are expected beyond. Claim: over all ends, whose law is the
    exponential one, the mean is the expected mass: the number beyond x, given that there is anybody, is n/(1 − e^−n),
    and there is somebody with probability 1 − e^−n.
    """
    many = np.maximum(exceeding, 1e-12)
    given = np.where(many > _ENDS[:, None, None], many / -np.expm1(-many), 0.0)
    first, last = given[..., :-1], given[..., 1:]
    width = np.diff(nodes)
    pieces = width * (first + 4 * np.sqrt(first * last) + last) / 6 + (first - last) / 2
    pieces = np.clip(pieces, width * (last + LOWEST * (first - last)), width * first)
    pieces = np.where(width == 1, first, pieces)  # amounts are whole
    tails = np.cumsum(pieces[..., ::-1], axis=-1)[..., ::-1]
    return np.concatenate([tails, np.zeros((*tails.shape[:-1], 1))], axis=-1)


def _unsure(masses: Floats, exceeding: Floats, unsure: Floats) -> Floats:
    """The relative deviation of each mass."""
    beyond = np.minimum(np.arange(masses.shape[-1]) + 2, masses.shape[-1] - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        near = np.where(masses > 0, 1 - masses[..., beyond] / masses, 0.0)
    few = 1 / np.maximum(exceeding, 1.0)
    return np.asarray(np.sqrt(unsure[:, None] ** 2 + ROUGH**2 + few + (PLACE * near) ** 2))
