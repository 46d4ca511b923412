"""Choosing how much of one person counts, from a noisy histogram."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.exact import whole
from tacit.query.limits.bins import Bins
from tacit.query.limits.evidence import Span, seen
from tacit.query.limits.objective import Objective
from tacit.query.limits.tails import end_of_reach, possible_tails

_LARGEST = 1e18


def choose_limit(
    bins: Bins,
    noisy_counts: NDArray[np.float64],
    noise_sd: float,
    objective: Objective,
    *,
    laplace: bool = False,
    unseen: int = 1,
) -> int:
    """The limit, from 1 to `bins.most`, that serves the objective best.

    `noisy_counts` has the people of each bin with noise of standard deviation `noise_sd`, Gaussian unless `laplace`.
    Nothing but this public histogram is used, so the choice costs nothing. It stays below 32 times the least amount
    above the last bin that people were seen in; `unseen` is the limit if nobody can be seen above the noise.
    """
    counts = checked(bins, noisy_counts, noise_sd)
    otherwise = min(whole(unseen, "unseen", 1), bins.most)
    span = seen(counts[1:], noise_sd, laplace)  # whoever has nothing is not touched by a limit
    if span is None:
        return otherwise
    span = Span(span.first + 1, span.last + 1)
    limits = _candidates(bins, span)
    best = objective.best(limits, possible_tails(bins, counts, noise_sd, span))
    return min(int(limits[best]), bins.most)


def checked(bins: Bins, noisy_counts: NDArray[np.float64], noise_sd: float) -> NDArray[np.float64]:
    """The counts, if they are one finite number a bin and the noise is known."""
    counts = np.asarray(noisy_counts, dtype=np.float64)
    if not (counts.shape == (len(bins),) and bool(np.all(np.abs(counts) <= _LARGEST))):
        why = "It must have one finite number a bin."
        raise Refused("a histogram that does not fit its bins", why, f"{len(bins)} numbers within ±1e18.")
    if not 0 <= noise_sd <= _LARGEST:
        raise Refused(f"noise_sd = {noise_sd}", "It is no standard deviation.", "a number from 0 to 1e18.")
    return counts


def _candidates(bins: Bins, span: Span) -> NDArray[np.float64]:
    """The greatest amount of each bin that a tail may reach, and the geometric mean of each two neighbours."""
    tops = bins.tops()[1 : end_of_reach(bins, span)].astype(np.float64)
    return np.array(sorted({*tops.tolist(), *np.floor(np.sqrt(tops[1:] * tops[:-1])).tolist()}))
