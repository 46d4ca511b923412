"""The law of a sum of many independent integers where it matters, with a bound of what floats do to it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from tacit.frozen import frozen
from tacit.loss.accountant.fourier import add_up
from tacit.loss.accountant.lattice import Lattice
from tacit.loss.accountant.tilt import Cumulants, valley
from tacit.loss.distributions.step import UNIT, Array

_SPARE = 1e-11  # of the tilted law may lie outside the window
_FLATTEST, _STEEPEST, _NEAR = -25.0, 12.0, 0.05  # logarithms of a tilt, by about one deviation

Parts = Sequence[tuple[Lattice, int]]


@frozen
class TiltedLaw:
    """The law of S, each mass multiplied by e^{λS−log_weight}: `masses` at the values spacing·`places`.

    In all they are off by at most `error`, the sum of all absolute errors, and by the factor 1 ± `unsure`.
    """

    tilt: float
    log_weight: float
    spacing: float
    places: NDArray[np.int64]
    masses: Array
    error: float
    unsure: float

    @property
    def values(self) -> Array:
        return self.places * self.spacing


def law_at(spacing: float, parts: Parts, tilt: float) -> TiltedLaw:
    """The law of the sum of so many copies of each part, tilted by λ; the values are the parts' places in spacings."""
    total = add_up(spacing, parts, Cumulants.of(spacing, parts), tilt, _SPARE)
    dense = np.zeros(total.size // 2 + 1, dtype=np.complex128)
    dense[total.frequencies] = total.coefficients
    places: NDArray[np.int64] = total.first + np.arange(total.size)
    masses = np.roll(fft.irfft(dense, total.size), -(total.first % total.size))
    back = 16 * UNIT * math.log2(total.size) * float(np.abs(total.coefficients).sum())
    return TiltedLaw(tilt, total.log_weight, spacing, places, masses, total.error + back, total.unsure)


def window_near(spacing: float, parts: Parts, target: float) -> tuple[float, float]:
    """The tilt under which the sum is about to exceed `target`, and how wide the window of its law will be.

    It is the λ at which E(S−target)₊ ≤ e^{K(λ)−λ·target}/(eλ), by Chernoff, is least.
    """
    unit = 2.0 ** round(math.log2(Cumulants.of(spacing, parts).deviation))
    scaled = Cumulants.of(spacing / unit, parts)
    tilt = valley(lambda tilt: scaled(tilt) - tilt * target / unit - math.log(tilt), _FLATTEST, _STEEPEST, _NEAR)
    low, high = scaled.beyond(tilt, scaled(tilt), _SPARE / 2)
    least, most = (sum(count * int(lattice.places[end]) for lattice, count in parts) for end in (0, -1))
    return tilt / unit, min((high - low) * unit, (most - least) * spacing)
