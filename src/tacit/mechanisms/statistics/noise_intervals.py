"""Intervals for combinations of independent noises: weighted sums, and ratios of two such sums.

An interval for a ratio of noisy numbers needs tails of weighted sums of noises (Fieller 1954).
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from math import erfc, fsum, pi, sqrt
from typing import Final

import numpy as np

from tacit.exact import Number, proper
from tacit.frozen import frozen
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.mechanisms.additive.laplace import Laplace

_STEP: Final = 0.125
_ACCURACY: Final = 1e-12  # rounding error of the sums, relative to their largest term; added to every tail


def tail_up(noise: Laplace | Gaussian, weights: tuple[float, ...], distance: float) -> float:
    """P(Σ wᵢZᵢ > distance) for independent draws Zᵢ of the noise, rounded up; ½ at most for a distance ≥ 0.

    The integer noise is a real one rounded: |Z − G| ≤ ½ for Gaussian G, and |Z − L| < 1 for Laplace L, since a discrete
    Laplace draw is the difference of two exponential ones, each rounded down. So the real sum must be at least distance
    − Σ|wᵢ|·(½ or 1).
    """
    used = [abs(weight) for weight in weights if weight]
    if not used:
        return 0.0 if distance > 0 else 0.5
    if isinstance(noise, Gaussian):
        spread = sqrt(float(noise.law.variance) * fsum(weight**2 for weight in used))
        reached = (distance - fsum(used) / 2) / spread
        return min(0.5, erfc(max(reached, 0.0) / sqrt(2)) / 2 * (1 + _ACCURACY))
    largest = max(used)
    times = Counter(weight / largest for weight in used)
    return _laplace_tail(times, (distance - fsum(used)) / (largest * float(noise.law.scale)))


def reach(noise: Laplace | Gaussian, weights: tuple[float, ...], confidence: Number) -> float:
    """The distance that |Σ wᵢZᵢ| does not exceed, with this confidence; rounded up."""
    used = tuple(sorted(abs(weight) for weight in weights if weight))
    return _reach(noise, used, float((1 - proper(confidence, "confidence")) / 2))


@lru_cache(maxsize=4096)
def _reach(noise: Laplace | Gaussian, weights: tuple[float, ...], share: float) -> float:
    if not weights:
        return 0.0
    high = max(weights)
    while tail_up(noise, weights, high) > share:
        high *= 2
    low = 0.0
    while high - low > 1e-7 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if tail_up(noise, weights, middle) > share else (low, middle)
    return high


def _laplace_tail(scales: Counter[float], distance: float) -> float:
    """P(Σ Lᵢ > distance) for Laplace variables of these scales, each so many times; the largest is 1.

    The tail is ∫ e^{−zt} Π 1/(1−bᵢ²z²) dz/2πiz over any path from −i∞ to i∞ that passes between the poles 0 and 1.
    On the parabola z = ½ + u²/8 + iu/2 the integrand falls like a normal density and is analytic for |Im u| < 0.8,
    so equal steps of u are exact to rounding. Close to zero the path would be long; there the tail is at most ½.
    """
    if not distance > 0.25:
        return 0.5
    last = sqrt(8 * 40 / distance)
    u = np.arange(0, last, _STEP)
    z = 0.5 + u**2 / 8 + 0.5j * u
    terms = np.exp(-z * distance) / z * (u / 4 + 0.5j)
    for scale, times in scales.items():
        terms /= (1 - (scale * z) ** 2) ** times
    halved = terms.imag.copy()
    halved[0] /= 2
    return min(0.5, float(halved.sum()) * _STEP / pi + _ACCURACY * abs(float(halved[0])))


_HALVINGS = 16  # steps of a search over a range not much wider than the interval


@frozen
class Ratio:
    """The ratio (top · x) / (bottom · x) of true numbers x ≥ 0, known to lie within [least, most].

    A value r belongs to the interval unless (top − r·bottom) · y, which is noise alone if r is true, exceeds the reach
    of that noise at the confidence. So the interval contains the true ratio with at least the confidence. It is the
    whole range (least to most) where bottom · y could be noise alone. Elsewhere the values kept are one interval:
    bottom · y exceeds the reach of bottom · noise, which is the most by which the reach of (top − r·bottom) · noise can
    grow with r (Cauchy–Schwarz for Gaussian noise; for Laplace noise a test holds it for all weights in use). The last
    `exact` numbers are public and have no noise.
    """

    noise: Laplace | Gaussian
    parts: tuple[int, ...]
    top: tuple[float, ...]
    bottom: tuple[float, ...]
    least: float
    most: float
    exact: int = 0

    @property
    def value(self) -> float | None:
        """The ratio of the noisy sums, cut to its range; None where the bottom is not positive."""
        bottom = self._sum(self.bottom)
        return min(max(self._sum(self.top) / bottom, self.least), self.most) if bottom > 0 else None

    def is_telling(self, confidence: Number) -> bool:
        """Whether the bottom is certainly positive."""
        return self._sum(self.bottom) > reach(self.noise, self._noisy(self.bottom), confidence)

    def interval(self, confidence: Number) -> tuple[float, float]:
        """The ends between which the true ratio lies with this confidence."""
        centre = self.value
        if centre is None or not self.is_telling(confidence):
            return self.least, self.most
        share = float(1 - proper(confidence, "confidence"))
        if not self._is_kept(centre, share):  # the noisy ratio lies far outside its range: the interval is one end
            slack = reach(self.noise, self._noisy(self._weights(centre)), confidence) / self._sum(self.bottom)
            return max(self.least, centre - slack), min(self.most, centre + slack)
        slack = reach(self.noise, self._noisy(self.bottom), confidence) / self._sum(self.bottom)
        return (
            self._end(centre, max(self.least, centre - slack), self.least, share),
            self._end(centre, min(self.most, centre + slack), self.most, share),
        )

    def _end(self, kept: float, tried: float, limit: float, share: float) -> float:
        """The last value of the interval towards the limit, rounded outwards, by bisection; `tried` is tested first."""
        if self._is_kept(tried, share):
            kept, tried = tried, limit
            if self._is_kept(limit, share):
                return limit
        limit = tried
        for _ in range(_HALVINGS):
            middle = (kept + limit) / 2
            kept, limit = (middle, limit) if self._is_kept(middle, share) else (kept, middle)
        return limit

    def _is_kept(self, ratio: float, share: float) -> bool:
        weights = self._weights(ratio)
        return 2 * tail_up(self.noise, self._noisy(weights), abs(self._sum(weights))) >= share

    def _weights(self, ratio: float) -> tuple[float, ...]:
        return tuple(top - ratio * bottom for top, bottom in zip(self.top, self.bottom, strict=True))

    def _noisy(self, weights: tuple[float, ...]) -> tuple[float, ...]:
        return weights[: len(weights) - self.exact]

    def _sum(self, weights: tuple[float, ...]) -> float:
        return fsum(weight * part for weight, part in zip(weights, self.parts, strict=True))
