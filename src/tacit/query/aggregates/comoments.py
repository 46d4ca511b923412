"""CORR, COVAR_POP, COVAR_SAMP, REGR_SLOPE, REGR_INTERCEPT and REGR_R2: read from noisy sums of products.

With t = x − centre and u = y − centre, over rows where both are present: Σtu, Σt, Σu, Σt², Σu² and the number of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from itertools import product
from typing import TypeAlias

import numpy as np

from tacit.frozen import frozen
from tacit.query.aggregates.aggregate import Aggregate, Floats, Measure, NoisyParts, NoisySum, Part
from tacit.query.aggregates.clipping_bias import Sign
from tacit.query.aggregates.noise_intervals import Powers, WeightedReach, is_telling
from tacit.query.post_noise.estimates import Estimates, Noisy

Sums: TypeAlias = Sequence[Floats]
"""Σtu, Σt, Σu, the number of rows, and perhaps Σt², and Σu²: for each group."""

_ENOUGH = 3  # times smaller than the number of rows, and than a variance, must their noise be
_STEP = 1e-3  # of a deviation, for derivatives


class Statistic(Enum):
    """What is computed of two columns."""

    COVARIANCE = "covariance"
    SAMPLE_COVARIANCE = "sample covariance"
    SLOPE = "slope"
    INTERCEPT = "intercept"
    CORRELATION = "correlation"
    DETERMINATION = "determination"


def _covariance(sums: Sums) -> Floats:
    return np.asarray(sums[0] / sums[3] - sums[1] * sums[2] / sums[3] ** 2)


def _variance(squares: Floats, total: Floats, rows: Floats) -> Floats:
    return np.asarray(squares / rows - (total / rows) ** 2)


def _slope(sums: Sums) -> Floats:
    return np.asarray(_covariance(sums) / _variance(sums[4], sums[1], sums[3]))


def _correlation(sums: Sums) -> Floats:
    both = _variance(sums[4], sums[1], sums[3]) * _variance(sums[5], sums[2], sums[3])
    return np.asarray(_covariance(sums) / np.sqrt(both))


_FORMS: Mapping[Statistic, Callable[[Sums], Floats]] = {
    Statistic.COVARIANCE: _covariance,
    Statistic.SAMPLE_COVARIANCE: lambda sums: _covariance(sums) * sums[3] / np.maximum(sums[3] - 1, 1.0),
    Statistic.SLOPE: _slope,
    Statistic.INTERCEPT: lambda sums: np.asarray(sums[2] / sums[3] - _slope(sums) * sums[1] / sums[3]),
    Statistic.CORRELATION: _correlation,
    Statistic.DETERMINATION: lambda sums: np.asarray(_correlation(sums) ** 2),
}
NEEDED: Mapping[Statistic, int] = {
    Statistic.COVARIANCE: 4,
    Statistic.SAMPLE_COVARIANCE: 4,
    Statistic.SLOPE: 5,
    Statistic.INTERCEPT: 5,
    Statistic.CORRELATION: 6,
    Statistic.DETERMINATION: 6,
}
"""How many of the sums a statistic is computed from."""


@frozen
class Comoment(Aggregate):
    """A statistic of two columns, x and y; `spans` are the widths of their declared bounds, `centres` their centres."""

    statistic: Statistic
    sums: tuple[Measure, ...]
    centres: tuple[Fraction, Fraction]
    spans: tuple[Fraction, Fraction]

    @property
    def parts(self) -> tuple[Part, ...]:
        return self.sums

    def read(self, noisy: NoisyParts) -> Noisy:
        found = [noisy[part] for part in self.sums]
        return NoisyComoment(self, tuple(part for part in found if isinstance(part, NoisySum)))

    def describe(self) -> str:
        return ""

    @property
    def limits(self) -> tuple[float, float]:
        """What the statistic is never beyond."""
        if self.statistic in (Statistic.SLOPE, Statistic.INTERCEPT):
            return -np.inf, np.inf
        if self.statistic is Statistic.CORRELATION:
            return -1.0, 1.0
        if self.statistic is Statistic.DETERMINATION:
            return 0.0, 1.0
        most = float(self.spans[0] * self.spans[1]) / (2 if self.statistic is Statistic.SAMPLE_COVARIANCE else 4)
        return -most, most


@frozen(eq=False)
class NoisyComoment:
    """A statistic of two columns, with an interval where the rows and the spread of x (and of y) exceed their noise.

    The noises of the sums are independent, so that the statistic's is, to first order, a sum of them weighted by its
    derivatives, whose reach is known. Along the likeliest error of that reach the statistic itself is computed too, and
    the interval holds both: this is what a ratio needs whose noise is not small. Elsewhere there is no value, and the
    interval is all that is possible. Coverage is over all releases, those without a value included.

    Where limits cut off a part of the sums, each sum has its own interval for what is missing, and the statistic is
    computed at all corners of those: the interval reaches as far as they do, beside the noise, as squares add up.
    """

    comoment: Comoment
    sums: tuple[NoisySum, ...]

    def at(self, confidence: Fraction) -> Estimates:
        low, high = self.comoment.limits
        with np.errstate(all="ignore"):
            points = [noisy.steps * unit for noisy, unit in zip(self.sums, self.units, strict=True)]
            value = self.of(points)
            first, last = self._noise(self.of, points, confidence)
            told = self._is_told(points, confidence)
            if any(noisy.bias is not None for noisy in self.sums):
                value, first, last = self._with_cut(points, value, first, last, confidence)
        told &= np.isfinite(value) & np.isfinite(first) & np.isfinite(last)
        value, first, last = (np.clip(end, low, high) for end in (value, first, last))
        return Estimates(np.where(told, value, np.nan), np.where(told, first, low), np.where(told, last, high))

    @property
    def units(self) -> list[float]:
        """What one step of each sum is."""
        return [float(part.step) for part in self.comoment.sums]

    def of(self, points: Sums) -> Floats:
        """The statistic of these sums."""
        found = _FORMS[self.comoment.statistic](points)
        if self.comoment.statistic is not Statistic.INTERCEPT:
            return found
        along, above = (float(centre) for centre in self.comoment.centres)
        return np.asarray(found + above - _slope(points) * along)

    def _is_told(self, points: Sums, confidence: Fraction) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Where rows, and the variances that are divided by, exceed their noise by far."""
        rows = self.sums[3]
        told = is_telling(rows, confidence) & (rows.steps > _ENOUGH * rows.reach(confidence))
        for square, total in ((4, 1), (5, 2))[: len(points) - 4]:

            def spread(sums: Sums, square: int = square, total: int = total) -> Floats:
                return _variance(sums[square], sums[total], sums[3])

            least, _ = self._noise(spread, points, confidence)
            found = spread(points)
            told &= found > _ENOUGH * (found - least)
        return told

    def _noise(self, form: Callable[[Sums], Floats], points: Sums, confidence: Fraction) -> tuple[Floats, Floats]:
        """(first, last): the ends for the noise alone."""
        value, deviations = form(points), [n.deviation * u for n, u in zip(self.sums, self.units, strict=True)]
        slopes = [self._slope(form, points, place, deviation) for place, deviation in enumerate(deviations)]
        weights = [s * u / float(n.scale) for s, u, n in zip(slopes, self.units, self.sums, strict=True)]
        half = WeightedReach(self.sums[3].law).beyond((1 - confidence) / 2, Powers.of(*weights))
        errors = [slope * deviation for slope, deviation in zip(slopes, deviations, strict=True)]
        norm = np.sqrt(sum(error**2 for error in errors))
        along = [half / norm * error / norm * deviation for error, deviation in zip(errors, deviations, strict=True)]
        down, up = (form([p + side * a for p, a in zip(points, along, strict=True)]) for side in (-1, 1))
        return np.fmin(value - half, np.fmin(down, up)), np.fmax(value + half, np.fmax(down, up))

    @staticmethod
    def _slope(form: Callable[[Sums], Floats], points: Sums, place: int, deviation: float) -> Floats:
        """The derivative by one sum."""
        step = _STEP * deviation
        up, down = (form([p + side * step if at == place else p for at, p in enumerate(points)]) for side in (1, -1))
        return np.asarray((up - down) / (2 * step))

    def _with_cut(
        self, points: Sums, value: Floats, first: Floats, last: Floats, confidence: Fraction
    ) -> tuple[Floats, Floats, Floats]:
        """The statistic and its ends with what limits cut off."""
        middles: list[Floats] = []
        ends: list[tuple[Floats, ...]] = []
        for noisy, part, unit, point in zip(self.sums, self.comoment.sums, self.units, points, strict=True):
            if noisy.bias is None:
                middles.append(point)
                ends.append((point,))
                continue
            sign = Sign.ADDS if part.least >= 0 else Sign.EITHER
            middle, low, high = noisy.bias.cut(noisy.steps, noisy.deviation, confidence, sign)
            middles.append(point + middle * unit)
            ends.append((point + low * unit, point + high * unit))
        moved = self.of(middles)
        corners = np.stack([moved, *(self.of(corner) for corner in product(*ends))])
        least, most = corners.min(axis=0), corners.max(axis=0)  # nan where a corner has no value
        return moved, moved - np.hypot(value - first, moved - least), moved + np.hypot(last - value, most - moved)
