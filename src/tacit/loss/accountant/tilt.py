"""Exponential tilting: it centres the computation on the relevant losses, however rare they are.

The tilt minimises a unimodal function.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.loss.accountant.lattice import Lattice
from tacit.loss.distributions.step import Array

_FINE = 0.05  # a coarse copy's spacing, in standard deviations of one step
_GROWTH = 0.01
_HALVINGS = 20
LEAST, MOST = 1e-3, 1e5


@frozen
class Cumulants:
    """Σ times·ln Σ mass·e^{λ·loss} over all parts, bounded from above; shifts and masses at +∞ are left out.

    Every part is copied onto fewer nodes, mass moving outward to the nodes on its two sides with its mean loss kept: as
    e^{λ·loss} is convex in the loss, the sum only grows.
    """

    losses: Array
    logs: Array
    starts: NDArray[np.int64]
    times: Array
    deviation: float

    @classmethod
    def of(cls, spacing: float, parts: Sequence[tuple[Lattice, int]]) -> Cumulants:
        losses, masses, variance = [], [], 0.0
        for lattice, times in parts:
            at, mass, spread = _coarse(spacing, lattice)
            losses.append(at)
            masses.append(mass)
            variance += times * spread
        starts = np.concatenate([[0], np.cumsum([len(mass) for mass in masses])[:-1]])
        with np.errstate(divide="ignore"):
            logs = np.log(np.concatenate(masses))
        copies = np.array([times for _, times in parts], dtype=np.float64)
        return cls(np.concatenate(losses), logs, starts, copies, math.sqrt(variance))

    def __call__(self, tilt: float) -> float:
        """The bound at λ, roundings included."""
        exponents = tilt * self.losses + self.logs
        tops = np.maximum.reduceat(exponents, self.starts)
        sizes = np.diff(np.append(self.starts, len(exponents)))
        sums = np.add.reduceat(np.exp(exponents - np.repeat(tops, sizes)), self.starts)
        logs = tops + np.log(sums)
        return float((self.times * (logs + 1e-14 * (1 + np.abs(tops)))).sum())

    def tilt_for_delta(self, delta: float) -> float:
        """Approximately the λ with the least Chernoff bound of ε at this δ."""
        target = math.log(delta)
        return self._lowest(lambda tilt: (self(tilt) - math.log1p(tilt) - target) / tilt)

    def tilt_for_epsilon(self, epsilon: float) -> float:
        """Approximately the λ with the least Chernoff bound of δ at this ε."""
        return self._lowest(lambda tilt: self(tilt) - tilt * epsilon)

    def gentle_tilt(self, epsilon: float, most: float) -> tuple[float, float]:
        """Approximately the least λ whose bound of δ at this ε is at most e times the best bound, and its bound.

        Where large losses are rare the bound hardly depends on λ, and a gentler tilt needs a far narrower window.
        """

        def score(tilt: float) -> float:
            return self(tilt) - tilt * epsilon + log_largest(tilt)

        best = min(self.tilt_for_epsilon(epsilon), most)
        allowed = score(best) + 1
        low, high = math.log(LEAST), math.log(best)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (low, middle) if score(math.exp(middle)) <= allowed else (middle, high)
        return math.exp(high), math.exp(min(700.0, score(math.exp(high))))

    def beyond(self, tilt: float, here: float, chance: float) -> tuple[float, float]:
        """Losses (low, high) that the sum, tilted by λ, leaves with probability at most `chance` on either side.

        `here` must not exceed the true value at λ. Chernoff: P(S > c) ≤ e^{K(λ+θ)−K(λ)−θc} for every θ > 0.
        """
        rare = -math.log(chance)

        def high(step: float) -> float:
            return (self(tilt + step) - here + rare) / step

        def low(step: float) -> float:
            return (self(tilt - step) - here + rare) / step

        start = math.log(math.sqrt(2 * rare) / max(self.deviation, 1e-150))
        # rare, large losses lie far outside what the standard deviation suggests
        least = min(start - 4, math.log(0.05))
        return -low(valley(low, least, start + 1, 0.3)), high(valley(high, least, start + 1, 0.3))

    def _lowest(self, score: Callable[[float], float]) -> float:
        return valley(score, math.log(LEAST), math.log(MOST), 0.05)


def log_largest(tilt: float) -> float:
    """ln of the largest e^{−λt}(1−e^−t) over t > 0."""
    return tilt * math.log(tilt / (1 + tilt)) - math.log1p(tilt)


def _coarse(spacing: float, lattice: Lattice) -> tuple[Array, Array, float]:
    """The copy's losses and masses, and the variance of the original.

    Its nodes lie apart by a small part of the deviation, and farther away by a hundredth of the distance from the mode.
    """
    first, masses, count = int(lattice.places[0]), lattice.masses, len(lattice.masses)
    places = (lattice.places - first).astype(np.float64)
    total = float(masses.sum()) or 1.0
    mean = float((masses * places).sum()) / total
    variance = float((masses * (places - mean) ** 2).sum()) / total
    block = max(1, int(_FINE * math.sqrt(variance)))
    if count <= 256 or places[-1] != count - 1:  # few nodes, or sparse ones: a copy would not be smaller
        return lattice.places * spacing, masses, variance * spacing**2
    if count <= 200 * block:
        knots: NDArray[np.int64] = np.arange(0, count + block, block)
    else:
        knots = _knots(count, int(mean), block)
    mass = np.add.reduceat(masses, knots[:-1])
    moment = np.add.reduceat(masses * places, knots[:-1])
    raised = np.maximum((moment - mass * knots[:-1]) / np.diff(knots), 0.0)
    copy = np.zeros(len(knots))
    copy[:-1] = np.maximum(mass - raised, 0.0)
    copy[1:] += raised
    return (first + knots) * spacing, copy, variance * spacing**2


def _knots(count: int, middle: int, width: int) -> NDArray[np.int64]:
    """Places from the first to one past the last; their spacing grows with the distance from the middle."""
    near = np.arange(0, 100 * width, width)
    growth = max(0, math.ceil(math.log(max(count, 1) / (100 * width)) / math.log1p(_GROWTH))) + 1
    far = np.rint(100 * width * (1 + _GROWTH) ** np.arange(growth + 1)).astype(np.int64)
    steps = np.unique(np.concatenate([near, far]))
    both = np.unique(np.concatenate([middle - steps, middle + steps]))
    inner = both[(both > 0) & (both < count)]
    return np.concatenate([[0], inner, [count]])


_GOLDEN = (math.sqrt(5) - 1) / 2


def valley(score: Callable[[float], float], low: float, high: float, close: float) -> float:
    """Approximately the minimum of a unimodal function between e^low and e^high: golden section."""
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = score(math.exp(left)), score(math.exp(right))
    while high - low > close:
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = score(math.exp(left))
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = score(math.exp(right))
    return math.exp((low + high) / 2)
