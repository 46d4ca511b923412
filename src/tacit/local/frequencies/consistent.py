"""Frequencies that fit together: non-negative, of sum one, each within its interval."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen

Reals = NDArray[np.float64]

_HALVINGS = 200
_SLACK = 1e-12  # of the sums' rounding, outward


@frozen(eq=False)
class Consistent:
    """Values of sum one and intervals around them. Where `agrees` is false the intervals contradict the sum."""

    values: Reals
    low: Reals
    high: Reals
    agrees: bool


def reconcile(values: Reals, low: Reals, high: Reals) -> Consistent:
    """The nearest values of sum one within the intervals, and the intervals cut to what the sum permits.

    Claim: if the given intervals hold all true shares at once, so do these; so their probability of holding is no
    less. Proof: the true shares sum to one, so each is at least one minus the upper ends of all others, and at most
    one minus their lower ends. If no shares of sum one lie within the given intervals, they do not hold the truth:
    that too happens with at most the stated probability, and then they are left as they are.
    """
    agrees = bool(low.sum() <= 1 + _SLACK and high.sum() >= 1 - _SLACK)
    if not agrees:
        return Consistent(_project(values, np.zeros_like(values), np.ones_like(values)), low, high, False)
    slack = _SLACK * values.size
    least = np.maximum(low, 1 - (high.sum() - high) - slack)
    most = np.minimum(high, 1 - (low.sum() - low) + slack)
    return Consistent(_project(values, least, most), least, most, True)


def _project(values: Reals, low: Reals, high: Reals) -> Reals:
    """The point of sum one in the box that is nearest in the Euclidean sense: all shifted by one number, then cut."""
    down, up = float((values - high).min()), float((values - low).max())
    for _ in range(_HALVINGS):
        shift = (down + up) / 2
        if not down < shift < up:
            break
        down, up = (shift, up) if np.clip(values - shift, low, high).sum() > 1 else (down, shift)
    found: Reals = np.clip(values - up, low, high)
    return found
