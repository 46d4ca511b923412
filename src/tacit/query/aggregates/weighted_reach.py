"""How far a weighted sum of independent noises strays, for many sums at once."""

from __future__ import annotations

from fractions import Fraction
from math import log, sqrt
from statistics import NormalDist

import numpy as np

from tacit.frozen import frozen
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.query.aggregates.noisy_parts import Floats, Law, noise_deviation

_MARGIN = 1.0125  # of a quantile computed from moments over the exact one, at the worst


@frozen
class Powers:
    """Σ|w|, Σw² and Σw⁴ of the weights of each sum."""

    first: Floats
    second: Floats
    fourth: Floats

    @classmethod
    def of(cls, *weights: Floats | float) -> Powers:
        """Those of sums that have these weights, one or one a sum."""
        columns = np.abs(np.stack(np.broadcast_arrays(*weights)))
        squares = columns**2
        return cls(columns.sum(axis=0), squares.sum(axis=0), (squares**2).sum(axis=0))


@frozen
class WeightedReach:
    """The reach of Σ wᵢZᵢ for independent draws Zᵢ of a law, in its units.

    Gaussian noise: the normal quantile z times σ·√Σw². A sum of Laplace draws is longer in the tails: to z is added the
    first term of Cornish and Fisher (1938), (z³ − 3z)/8 · Σw⁴/(Σw²)², or what a single Laplace variable needs, if that
    is more; with a margin, so that it is never below the exact quantile, which a test holds. The integer noise is a
    real one rounded, which adds at most ½ (Gaussian) or 1 (Laplace) to each draw.
    """

    law: Law

    def beyond(self, miss: Fraction, powers: Powers) -> Floats:
        """The distances that are passed in one direction with at most this probability."""
        normal = -NormalDist().inv_cdf(float(miss))
        spread = noise_deviation(self.law) * np.sqrt(powers.second)
        if isinstance(self.law, RoundedGaussian):
            return np.asarray(normal * spread + powers.first / 2)
        lone = -log(2 * float(miss)) / sqrt(2) - normal
        longer = max(0.0, (normal**3 - 3 * normal) / 8, lone)
        with np.errstate(invalid="ignore", divide="ignore"):
            peak = np.where(powers.second > 0, powers.fourth / powers.second**2, 0.0)
        return np.asarray(_MARGIN * (normal + longer * peak) * spread + powers.first)
