"""How far a weighted sum of independent noises strays: what an interval for a ratio of noisy numbers needs."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from math import erfc, fsum, pi, sqrt
from typing import Final

import numpy as np

from tacit.exact import Number, proper
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.mechanisms.additive.laplace import Laplace

_STEP: Final = 0.125
_ACCURACY: Final = 1e-12  # of the sums in floats, relative to their largest term; added to every tail


def tail_up(noise: Laplace | Gaussian, weights: tuple[float, ...], distance: float) -> float:
    """P(Σ wᵢZᵢ > distance) for independent draws Zᵢ of the noise, rounded up; ½ at most for a distance ≥ 0.

    The integer noise is a real one rounded: |Z − G| ≤ ½ for Gaussian G, and |Z − L| < 1 for Laplace L, since a
    discrete Laplace draw is the difference of two exponential ones, each rounded down. So the real sum must stray
    by at least distance − Σ|wᵢ|·(½ or 1).
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
    """The distance within which Σ wᵢZᵢ stays with this confidence; rounded up."""
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
