"""The bias of clipping: what limits cut off people's amounts, as a posterior, and intervals that include it.

A noisy sum estimates what is left of people's amounts within a limit. The usual interval is for all of them: it joins
the noise and what was cut off. In which group that lies is not known; each is taken to bear its part, more or less.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from tacit.frozen import frozen

Floats = NDArray[np.float64]

_NODES = np.linspace(-3, 3, 41)
LEVELS: Floats = ndtr(_NODES)
"""The levels at which a posterior of what was cut off is kept: closer to one another towards both ends."""

_WEIGHTS = np.diff(np.concatenate([[0.0], (LEVELS[1:] + LEVELS[:-1]) / 2, [1.0]]))

PART, UNEVEN = 0.2, 1.0  # a group bears exp(PART + UNEVEN·z) times its part of what was cut off, z normal
_ALONE = 0.6  # of the probability of a miss, where there is one group: measured by `bench coverage`
_SIGNS = 0.5  # the deviation of the sign of what was cut off, from that of what was left, where both signs occur
_ALONG = 0.5  # of the share that another limit cuts off, where one factor scales all totals of a person
_OTHER = 0.5  # the deviation, relatively, of the mean of rows cut off from that of all rows
_GRID = 33  # parts of groups at which the interval is computed; between them it is interpolated
_ROUNDS = 45  # halvings
_TINY = 1e-12


class Sign(Enum):
    """What a unit of what was cut off adds to the answer."""

    ADDS = "all of it"
    PARTLY = "some of it: a value that is cut off may be among those counted"
    EITHER = "its sign is not known"


@frozen(eq=False)
class ClippingBias:
    """What the limit of one part cut off in all, in its steps: `masses` at `LEVELS`; infinite where nobody was seen.

    `kept` is what was left of people's amounts; `is_grouped` says that it lies in several groups.
    """

    masses: Floats
    kept: float
    is_grouped: bool

    @property
    def is_unknown(self) -> bool:
        """Whether nothing can be told."""
        return not bool(np.isfinite(self.masses).all())

    @property
    def shares(self) -> Floats:
        """What share of people's amounts was cut off, at `LEVELS`."""
        with np.errstate(invalid="ignore"):
            share = self.masses / (self.masses + max(self.kept, _TINY))
        return np.where(np.isfinite(self.masses), share, 1.0)

    def share_below(self, confidence: Fraction) -> float:
        """The share that is not exceeded with this probability."""
        return float(np.interp(float(confidence), LEVELS, self.shares))

    @property
    def usual_share(self) -> float:
        """The root of the mean square of that share."""
        return float(np.sqrt(_WEIGHTS @ self.shares**2))

    def with_part_of(self, other: ClippingBias) -> ClippingBias:
        """The same where another limit scales these amounts too: at least a part of the share that it cuts off."""
        share = np.minimum(_ALONG * other.shares, 1 - _TINY)
        masses = np.where(np.isfinite(other.masses), max(self.kept, 0.0) * share / (1 - share), np.inf)
        return ClippingBias(np.maximum(self.masses, masses), self.kept, self.is_grouped)

    def joined(
        self, values: Floats, deviation: float, confidence: Fraction, sign: Sign, *, laplace: bool
    ) -> tuple[Floats, Floats, Floats]:
        """(middle, low, high): what to add to each noisy sum, for its answer and for the ends of its interval."""
        if self.is_unknown:
            nothing = np.full(len(values), np.nan)
            far = np.full(len(values), np.inf)
            noise = np.full(len(values), _noise_end(deviation, confidence, laplace=laplace))
            return nothing, (-far if sign is Sign.EITHER else -noise), far
        missed = float(1 - confidence) * (1.0 if self.is_grouped else _ALONE)
        levels = np.array([0.5, missed / 2, 1 - missed / 2])
        parts = self._parts(values, deviation)
        tilts = np.clip(values / (parts * max(self.kept, _TINY)), -1, 1) if sign is Sign.EITHER else np.ones(1)
        grid = parts if len(parts) <= _GRID else np.geomspace(parts.min(), parts.max(), _GRID)
        tilt = float(tilts.mean())
        found = np.stack([self._quantiles(part, tilt, deviation, levels, sign, laplace) for part in grid])
        if len(parts) <= _GRID:
            return found[:, 0], found[:, 1], found[:, 2]
        ends = [np.interp(np.log(parts), np.log(grid), column) for column in found.T]
        return ends[0], ends[1], ends[2]

    def _parts(self, values: Floats, deviation: float) -> Floats:
        """What part of all amounts each group holds, about; over groups they may add up to more than one."""
        if not self.is_grouped:
            return np.ones(len(values))
        even = max(self.kept, _TINY)
        return np.minimum((np.maximum(np.abs(values), 0.0) + deviation / 2) / even, 1.0)

    def _quantiles(
        self, part: float, tilt: float, deviation: float, levels: Floats, sign: Sign, laplace: bool
    ) -> Floats:
        """The quantiles of noise plus what a group of this part lost; the first is of what it lost alone."""
        factors, chances = _factors(part, tilt, sign, self.is_grouped)
        points = (factors[:, None] * self.masses).ravel()
        weights = (chances[:, None] * _WEIGHTS).ravel()
        order = np.argsort(points)
        middle = points[order][min(int(np.searchsorted(np.cumsum(weights[order]), 0.5)), len(points) - 1)]
        below = _laplace_below if laplace else ndtr
        ends = _mixture_quantiles(points, weights, deviation, levels[1:], below)
        return np.array([middle, *ends])


def _factors(part: float, tilt: float, sign: Sign, is_grouped: bool) -> tuple[Floats, Floats]:
    """How much of what was cut off a group may bear, with the chances."""
    factors, chances = np.ones(1), np.ones(1)
    if is_grouped:
        steps = np.linspace(-2.6, 2.6, 11)
        factors = np.minimum(part * np.exp(PART + UNEVEN * steps), 1.0)
        chances = np.exp(-(steps**2) / 2)
    if sign is Sign.EITHER:
        signs = np.clip(tilt + _SIGNS * np.array([-1.6, -0.8, 0.0, 0.8, 1.6]), -1, 1)
        weights = np.array([0.1, 0.22, 0.36, 0.22, 0.1])
    elif sign is Sign.PARTLY:
        signs, weights = np.array([0.05, 0.25, 0.5, 0.75, 0.95]), np.full(5, 0.2)
    else:
        signs, weights = np.ones(1), np.ones(1)
    chances = (chances[:, None] * weights).ravel()
    return (factors[:, None] * signs).ravel(), chances / chances.sum()


def _mixture_quantiles(
    points: Floats, weights: Floats, deviation: float, levels: Floats, below: Callable[[Floats], Floats]
) -> Floats:
    """Quantiles of points plus noise, by halving."""
    low = np.full(len(levels), points.min() - 12 * deviation)
    high = np.full(len(levels), points.max() + 12 * deviation)
    for _ in range(_ROUNDS):
        middle = (low + high) / 2
        is_low = below((middle[:, None] - points) / deviation) @ weights < levels
        low, high = np.where(is_low, middle, low), np.where(is_low, high, middle)
    return np.asarray(high)


def _laplace_below(standard: Floats) -> Floats:
    """The distribution function of Laplace noise of deviation 1."""
    tail = np.exp(-np.sqrt(2) * np.abs(standard)) / 2
    return np.asarray(np.where(standard < 0, tail, 1 - tail))


def _noise_end(deviation: float, confidence: Fraction, *, laplace: bool) -> float:
    """How far noise alone carries a sum upwards at most, at this confidence."""
    below = _laplace_below if laplace else ndtr
    levels = np.array([(1 + float(confidence)) / 2])
    return float(_mixture_quantiles(np.zeros(1), np.ones(1), deviation, levels, below)[0])


def mean_bias(top: ClippingBias | None, bottom: ClippingBias | None) -> float:
    """The deviation of a mean that clipping leaves, in steps: rows that were cut off may have another mean.

    With f the share of rows cut off, the mean of those left differs from that of all by f times the difference of
    the means of rows cut off and of all rows. That difference is taken to be normal around zero.
    """
    if bottom is None or top is None:
        return 0.0
    return bottom.usual_share * _OTHER * top.kept / max(bottom.kept, 1.0)


def square_factors(
    squares: ClippingBias | None, rows: ClippingBias | None, confidence: Fraction
) -> tuple[float, float, float] | None:
    """(middle, low, high): how many times larger the mean square of all rows is than that of those left.

    What is cut off squares and rows is taken to rise together. None where nothing is.
    """
    if squares is None or rows is None:
        return None
    if squares.is_unknown or rows.is_unknown:
        return np.nan, 0.0, np.inf
    factors = (1 - rows.shares) / np.maximum(1 - squares.shares, _TINY)
    missed = float(1 - confidence)
    spread = [float(np.interp(level, LEVELS, factors)) for level in (0.5, missed / 2, 1 - missed / 2)]
    return spread[0], min(spread), max(spread)
