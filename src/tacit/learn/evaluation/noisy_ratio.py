"""A ratio of noisy numbers that are made of the same cells, with its interval after Fieller (1954)."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property, lru_cache
from math import comb, log, sqrt
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.query.aggregates.aggregate import Law

Floats = NDArray[np.float64]

_MARGIN: Final = 1.0125  # as for other quantiles that are computed from moments
_HALVINGS: Final = 32
_ROUNDING: Final = 1 / 12  # the variance of what rounds a Gaussian


@frozen
class CellNoise:
    """Independent noise on every cell: `copies` draws of a law, of which `scale` units are one row."""

    law: Law
    scale: Fraction
    copies: int = 1

    @property
    def is_gaussian(self) -> bool:
        return isinstance(self.law, RoundedGaussian)

    @cached_property
    def deviation(self) -> float:
        """Of one cell, in rows."""
        law = self.law
        variance = law.width**2 + _ROUNDING if isinstance(law, RoundedGaussian) else 2 * float(law.scale) ** 2
        return sqrt(self.copies * variance) / float(self.scale)

    def reach(self, weights: Floats, miss: float) -> float:
        """What Σ wᵢZᵢ exceeds in one direction with about this probability."""
        return self.reach_by(float((weights**2).sum()), float((weights**4).sum()), float(np.abs(weights).max()), miss)

    def reach_by(self, squares: float, fourth: float, most: float, miss: float) -> float:
        """The same by Σw², Σw⁴ and the largest |w|, or more.

        Gaussian: the normal quantile. Laplace: with the first term of Cornish and Fisher, or what one variable needs.
        The noise is whole, so that a unit of the law on the heaviest cell is added.
        """
        if not squares > 0:
            return 0.0
        quantile = _normal(miss)
        if not self.is_gaussian:
            lone = -log(2 * miss) / sqrt(2) - quantile
            longer = max(0.0, (quantile**3 - 3 * quantile) / 8, lone)
            quantile = _MARGIN * (quantile + longer * fourth / squares**2 / self.copies)
        return quantile * self.deviation * sqrt(squares) + most / float(self.scale)


@lru_cache(maxsize=16)
def _normal(miss: float) -> float:
    return -NormalDist().inv_cdf(miss)


@frozen(eq=False)
class NoisyRatio:
    """top/bottom, and how much a unit of noise in each cell moves either.

    Claim: the interval misses the true ratio r with probability about `miss` on each side. Proof: top − r·bottom, which
    is 0 without noise, is then the sum of the noise of the cells with weights `above` − r·`below`; and r lies outside
    only where that is beyond its reach. Left out are the ratios beyond the outermost at which it is not, so the
    interval holds Fieller's set. The bottom is positive, or `is_telling` is False, and then the interval is all there
    is between the bounds.
    """

    top: float
    bottom: float
    above: Floats
    below: Floats
    noise: CellNoise
    is_telling: bool

    def within(self, low: float, high: float, miss: float) -> tuple[float, float, float]:
        """The value and both ends, where the true ratio lies between two bounds.

        A ratio beyond a bound is moved to it, and its ends with it: cut alone, its interval might have no width.
        """
        if not self.is_telling:
            return float("nan"), low, high
        ratio = self.top / self.bottom
        moved = min(max(ratio, low), high) - ratio
        first, last = (self._end(ratio, bound - moved, miss) + moved for bound in (low, high))
        return ratio + moved, max(first, low), min(last, high)

    def _end(self, inside: float, outside: float, miss: float) -> float:
        """The last ratio on the way to another at which the difference can be noise alone."""
        if not self._is_beyond(outside, miss):
            return outside
        for _ in range(_HALVINGS):
            middle = (inside + outside) / 2
            inside, outside = (inside, middle) if self._is_beyond(middle, miss) else (middle, outside)
        return outside

    def _is_beyond(self, ratio: float, miss: float) -> bool:
        squares = sum(each * ratio**power for power, each in enumerate(self._squares))
        fourth = sum(each * ratio**power for power, each in enumerate(self._fourths))
        most = self._most[0] + abs(ratio) * self._most[1]
        reach = self.noise.reach_by(max(squares, 0.0), max(fourth, 0.0), most, miss)
        return abs(self.top - ratio * self.bottom) > reach

    @cached_property
    def _most(self) -> tuple[float, float]:
        return float(np.abs(self.above).max()), float(np.abs(self.below).max())

    @cached_property
    def _squares(self) -> tuple[float, ...]:
        """Σ(a − r·b)² as a polynomial of r."""
        return self._powers(2)

    @cached_property
    def _fourths(self) -> tuple[float, ...]:
        """Σ(a − r·b)⁴ as a polynomial of r."""
        return self._powers(4)

    def _powers(self, degree: int) -> tuple[float, ...]:
        above, below = self.above, -self.below
        return tuple(
            comb(degree, power) * float((above ** (degree - power) * below**power).sum()) for power in range(degree + 1)
        )
