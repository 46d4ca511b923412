"""Parts after the noise: numbers a group, and the law that says how far off each may be."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.noise.slabs import AdditiveLaw

Floats = NDArray[np.float64]
Law = RoundedGaussian | DiscreteLaplace


@frozen(eq=False)
class NoisySum:
    """A noisy sum in each group, in steps of its measure; one step is `scale` units of the noise's law."""

    steps: Floats
    law: Law
    scale: Fraction

    def reach(self, confidence: Fraction) -> float:
        """How far, in steps, noise carries one of them at most with this confidence: the law's exact quantile."""
        return spread(self.law, confidence) / float(self.scale)

    @property
    def deviation(self) -> float:
        """The standard deviation of the noise, in steps."""
        return noise_deviation(self.law) / float(self.scale)


def noise_deviation(law: Law) -> float:
    """The standard deviation of a law, up to the rounding of a large one."""
    return law.width if isinstance(law, RoundedGaussian) else float(law.scale) * 2**0.5


@lru_cache(maxsize=256)
def spread(law: AdditiveLaw, confidence: Fraction) -> int:
    """The exact quantile of the noise."""
    return law.spread(confidence)


@frozen(eq=False)
class NoisyRanks:
    """A tree of noisy counts for each group, the coarsest level first; a row counts `scale` units of the law."""

    counts: NDArray[np.int64]  # groups × nodes
    law: Law
    scale: Fraction
    levels: int
