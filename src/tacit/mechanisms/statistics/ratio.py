"""An interval for a ratio of two weighted sums of noisy numbers, after Fieller (1954)."""

from __future__ import annotations

from math import fsum

from tacit.exact import Number, proper
from tacit.frozen import frozen
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.mechanisms.additive.laplace import Laplace
from tacit.mechanisms.statistics.combination import reach, tail_up

_HALVINGS = 16  # of a stretch not much wider than the interval


@frozen
class Ratio:
    """The ratio (top · x) / (bottom · x) of true numbers x ≥ 0, known to lie within [least, most].

    A value r belongs to the interval unless (top − r·bottom) · y, which is noise alone if r is the truth, strays
    farther than such noise does with the confidence. So the interval holds the truth with at least the confidence. It
    says nothing (least to most) where bottom · y could be noise alone. Elsewhere the values kept are one interval:
    bottom · y exceeds the reach of bottom · noise, which is the most by which the reach of (top − r·bottom) · noise
    can grow with r (Cauchy–Schwarz for Gaussian noise; for Laplace noise a test holds it for all weights in use). The
    last `exact` of the numbers are public, and bear no noise.
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
        """Whether the bottom is surely positive."""
        return self._sum(self.bottom) > reach(self.noise, self._noisy(self.bottom), confidence)

    def interval(self, confidence: Number) -> tuple[float, float]:
        """The ends between which the true ratio lies with this confidence."""
        centre = self.value
        if centre is None or not self.is_telling(confidence):
            return self.least, self.most
        share = float(1 - proper(confidence, "confidence"))
        if not self._is_kept(centre, share):  # the noisy ratio lies far outside its range: all that is left is one end
            slack = reach(self.noise, self._noisy(self._weights(centre)), confidence) / self._sum(self.bottom)
            return max(self.least, centre - slack), min(self.most, centre + slack)
        slack = reach(self.noise, self._noisy(self.bottom), confidence) / self._sum(self.bottom)
        return (
            self._end(centre, max(self.least, centre - slack), self.least, share),
            self._end(centre, min(self.most, centre + slack), self.most, share),
        )

    def _end(self, kept: float, tried: float, limit: float, share: float) -> float:
        """The last value that is kept on the way to the limit, rounded outwards; likely before the one tried first."""
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
