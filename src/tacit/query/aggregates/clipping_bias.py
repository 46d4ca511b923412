"""The clipping bias: the amounts that limits cut off, as a posterior, and intervals that include it.

A noisy sum estimates the amounts within a limit. The usual interval is for all amounts: it joins the noise and the
clipping bias. The distribution of the bias over groups is unknown; each group is assumed to have roughly its
proportional part.
"""

from __future__ import annotations

from enum import Enum
from fractions import Fraction
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.query.aggregates.normal_law import normal_below

Floats = NDArray[np.float64]

_NODES = np.linspace(-3, 3, 41)
LEVELS: Floats = np.array([NormalDist().cdf(node) for node in _NODES])
"""The levels at which a posterior of the clipping bias is kept: denser towards both ends."""

_WEIGHTS = np.diff(np.concatenate([[0.0], (LEVELS[1:] + LEVELS[:-1]) / 2, [1.0]]))

PART, UNEVEN = 0.2, 1.0  # a group bears exp(PART + UNEVEN·z) times its part of what was cut off, z normal
SPARED = 0.12  # or none of it, with this probability
# share of the error probability at the lower end, where there is one group: amounts cut off lie above
_BELOW, _ABOVE = 0.42, 0.23
_BELOW_BY_GROUP, _ABOVE_BY_GROUP = 0.6, 0.4
_SIGNS = 0.8  # deviation between the signs of the amounts cut off and those left, where both signs occur
_ALONG = 0.2  # of the share that another limit cuts off, where one factor scales all totals of a person
_OTHER = 0.7  # the deviation, relatively, of the mean of rows cut off from that of all rows
_HIGHER = 0.45  # of what a sum lost more than its rows is what their mean lost
_LIKE = 0.25  # the deviation, relatively, of the mean of rows cut off where no value is negative
_STEPS = np.linspace(-2.6, 2.6, 11)  # of a normal variable, in deviations
_GRID = 33  # parts of groups at which the interval is computed; between them it is interpolated
_ROUNDS = 40  # halvings
_TINY = 1e-12


class Sign(Enum):
    """The sign of the bias's effect on the answer."""

    ADDS = "all of it"
    PARTLY = "some of it: a value that is cut off may be among those counted"
    EITHER = "its sign is not known"


@frozen(eq=False)
class ClippingBias:
    """What the limit of one part cut off in all, in its steps: `masses` at `LEVELS`; infinite where no one was visible.

    `kept` is the total within the limit; `is_grouped` says that it is spread over several groups.
    """

    masses: Floats
    kept: float
    is_grouped: bool

    @property
    def is_unknown(self) -> bool:
        """Whether nothing is known about the bias."""
        return not bool(np.isfinite(self.masses).all())

    @property
    def shares(self) -> Floats:
        """The share of the amounts that was cut off, at `LEVELS`."""
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
        """The bias where another limit scales these amounts too: at least a part of the share that it cuts off."""
        share = np.minimum(_ALONG * other.shares, 1 - _TINY)
        masses = np.where(np.isfinite(other.masses), max(self.kept, 0.0) * share / (1 - share), np.inf)
        return ClippingBias(np.maximum(self.masses, masses), self.kept, self.is_grouped)

    def joined(
        self, values: Floats, deviation: float, confidence: Fraction, sign: Sign, *, laplace: bool
    ) -> tuple[Floats, Floats, Floats]:
        """(middle, low, high): what to add to each noisy sum, for its answer and for the ends of its interval."""
        return self._added(values, deviation, deviation, confidence, sign, laplace)

    def cut(self, values: Floats, deviation: float, confidence: Fraction, sign: Sign) -> tuple[Floats, Floats, Floats]:
        """The same of what was cut off alone, without the noise of this deviation."""
        return self._added(values, deviation, max(self.kept, 1.0) * _TINY, confidence, sign, laplace=False)

    def _added(
        self, values: Floats, spread: float, deviation: float, confidence: Fraction, sign: Sign, laplace: bool
    ) -> tuple[Floats, Floats, Floats]:
        """What to add where the noise of the sums is `spread` and that of the ends `deviation`."""
        missed = float(1 - confidence)
        below, above = (_BELOW_BY_GROUP, _ABOVE_BY_GROUP) if self.is_grouped else (_BELOW, _ABOVE)
        levels = np.array([missed * below, 1 - missed * above])
        if self.is_unknown:
            low, _ = _mixture_quantiles(np.zeros((1, len(LEVELS))), deviation, levels, laplace=laplace)[0]
            ends = np.nan, (-np.inf if sign is Sign.EITHER else low), np.inf
            return ends[0] + 0 * values, ends[1] + 0 * values, ends[2] + 0 * values
        parts = self._parts(values, spread, sign)
        tilts = np.clip(values / (parts * max(self.kept, _TINY)), -1, 1)
        if len(parts) <= _GRID:
            found = self._ends(parts, tilts, deviation, levels, sign, laplace)
            return found[:, 0], found[:, 1], found[:, 2]
        grid = np.geomspace(parts.min(), parts.max(), _GRID)
        found = self._ends(grid, np.full(_GRID, tilts.mean()), deviation, levels, sign, laplace)
        middle, low, high = (np.interp(np.log(parts), np.log(grid), column) for column in found.T)
        return middle, low, high

    def _parts(self, values: Floats, deviation: float, sign: Sign) -> Floats:
        """The approximate part of all amounts in each group; over groups they may add up to more than one.

        Where both signs occur, a sum may be small because they cancel: a group holds an even part at least.
        """
        if not self.is_grouped:
            return np.ones(len(values))
        even = self.kept / max(len(values), 1) if sign is Sign.EITHER else 0.0
        return np.minimum((np.maximum(np.abs(values), even) + deviation / 2) / max(self.kept, _TINY), 1.0)

    def _ends(
        self, parts: Floats, tilts: Floats, deviation: float, levels: Floats, sign: Sign, laplace: bool
    ) -> Floats:
        """For groups of these parts: the median of the bias, and the ends of noise plus bias."""
        factors, chances = _factors(parts, tilts, sign, self.is_grouped)
        points = (factors[:, :, None] * self.masses).reshape(len(parts), len(chances) * len(LEVELS))
        weights = (chances[:, None] * _WEIGHTS).ravel()
        order = np.argsort(points, axis=1)
        below = np.cumsum(weights[order], axis=1)
        rising = np.take_along_axis(points, order, axis=1)
        last = len(weights) - 1
        places = np.stack([np.minimum((below < level).sum(axis=1), last) for level in LEVELS], axis=1)
        lost = np.take_along_axis(rising, places, axis=1)
        ends = _mixture_quantiles(lost, deviation, levels, laplace=laplace)
        return np.concatenate([lost[:, len(LEVELS) // 2, None], ends], axis=1)


def _factors(parts: Floats, tilts: Floats, sign: Sign, is_grouped: bool) -> tuple[Floats, Floats]:
    """The possible parts of the bias in each group, one row per group, and the probability of each column."""
    factors, chances = np.ones((len(parts), 1)), np.ones(1)
    if is_grouped:
        uneven, chances = _uneven()
        factors = np.minimum(parts[:, None] * uneven, 1.0)
    if sign is Sign.EITHER:
        signs, weights = np.clip(tilts[:, None] + _SIGNS * _STEPS, -1, 1), np.exp(-(_STEPS**2) / 2)
    elif sign is Sign.PARTLY:
        signs, weights = np.tile(np.linspace(0.05, 0.95, 7), (len(parts), 1)), np.ones(7)
    else:
        signs, weights = np.ones((len(parts), 1)), np.ones(1)
    chances = (chances[:, None] * weights).ravel()
    each = (factors[:, :, None] * signs[:, None, :]).reshape(len(parts), len(chances))
    return each, chances / chances.sum()


def _mixture_quantiles(points: Floats, deviation: float, levels: Floats, *, laplace: bool) -> Floats:
    """Quantiles of noise plus points with the weights of `LEVELS`, by bisection; one row for each row of points."""
    below = _laplace_below if laplace else normal_below
    low = np.tile(points.min(axis=1) - 12 * deviation, (len(levels), 1)).T
    high = np.tile(points.max(axis=1) + 12 * deviation, (len(levels), 1)).T
    for _ in range(_ROUNDS):
        middle = (low + high) / 2
        is_low = below((middle[:, :, None] - points[:, None, :]) / deviation) @ _WEIGHTS < levels
        low, high = np.where(is_low, middle, low), np.where(is_low, high, middle)
    return np.asarray(high)


def _laplace_below(standard: Floats) -> Floats:
    """The distribution function of Laplace noise of deviation 1."""
    tail = np.exp(-np.sqrt(2) * np.abs(standard)) / 2
    return np.asarray(np.where(standard < 0, tail, 1 - tail))


def mean_bias(top: ClippingBias, bottom: ClippingBias, *, is_positive: bool) -> tuple[float, float]:
    """(shift, deviation): the effect of clipping on a mean, in steps: rows that were cut off may have another mean.

    A mean is a sum over a number of rows. Where no value is negative, and a larger share of the sum was cut off than
    of the rows, the mean of all rows is assumed to lie part of the way up. Elsewhere the sign of the shift is unknown.
    """
    if top.is_unknown or bottom.is_unknown:
        return np.nan, np.inf
    size = top.kept / max(bottom.kept, 1.0)
    if not is_positive:
        return 0.0, _OTHER * max(top.usual_share, bottom.usual_share) * size
    higher = np.maximum((1 - bottom.shares) / np.maximum(1 - top.shares, _TINY) - 1, 0.0)
    shift = _HIGHER * float(np.interp(0.5, LEVELS, higher))
    away = float(np.sqrt(_WEIGHTS @ (_HIGHER * higher - shift) ** 2))
    return shift * size, (away + shift + _LIKE * bottom.usual_share) * size


def square_factors(squares: ClippingBias, rows: ClippingBias, confidence: Fraction) -> tuple[float, float, float]:
    """(middle, low, high): the ratio of the mean square of all rows to that of the rows left.

    What was cut off squares and off rows is assumed to increase together, and in a group as its part of it does.
    """
    if squares.is_unknown or rows.is_unknown:
        return np.nan, 0.0, np.inf
    parts, chances = _uneven() if squares.is_grouped else (np.ones(1), np.ones(1))
    lost, gone = (each.shares / np.maximum(1 - each.shares, _TINY) for each in (squares, rows))
    factors = ((1 + parts[:, None] * lost) / (1 + parts[:, None] * gone)).ravel()
    order = np.argsort(factors, kind="stable")
    below = np.cumsum((chances[:, None] * _WEIGHTS).ravel()[order])
    missed = float(1 - confidence)
    places = np.searchsorted(below, [0.5, missed / 2, 1 - missed / 2])
    middle, low, high = factors[order][np.minimum(places, len(order) - 1)]
    return float(middle), float(low), float(high)


def _uneven() -> tuple[Floats, Floats]:
    """How many times its even part of the bias a group may bear, and the chances."""
    chances = np.exp(-(_STEPS**2) / 2)
    return np.append(np.exp(PART + UNEVEN * _STEPS), 0.0), np.append((1 - SPARED) * chances / chances.sum(), SPARED)
