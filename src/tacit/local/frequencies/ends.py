"""Clopper and Pearson's ends for many counts at once, rounded outward."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.noise.bits import Integers

_OUTWARD = 1e-9  # relative, of the distance to 0 or 1: more than the quantile's own rounding


def upper_ends(counts: Integers, trials: int, miss: float) -> NDArray[np.float64]:
    """The largest rates at which so few successes still have probability ≥ miss: quantiles of Beta(c+1, n−c)."""
    return 1 - lower_ends(trials - counts, trials, miss)


def lower_ends(counts: Integers, trials: int, miss: float) -> NDArray[np.float64]:
    """The same from below: quantiles of Beta(c, n−c+1), and 0 for no success at all."""
    from scipy.special import betaincinv  # heavy

    some = np.maximum(counts, 1)
    found = betaincinv(some.astype(float), trials - some + 1.0, miss) * (1 - _OUTWARD)
    return np.where(counts > 0, found, 0.0)
