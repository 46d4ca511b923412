"""The distribution of a sum of many independent integers where it matters, with a bound of its floating-point error.

Tests add up a weight for each report; the best test gains P(S ≥ s) − e^ε·Q(S ≥ s), bounded from below. e^ε is a
fraction, rounded as the function's name says.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from tacit.frozen import frozen
from tacit.loss.accountant.fourier import add_up
from tacit.loss.accountant.lattice import Lattice
from tacit.loss.accountant.tilt import Cumulants, valley
from tacit.loss.distributions.step import UNIT, Array
from tacit.noise.ball import START_BITS, ball, fraction_down, fraction_up, precision

_BITS = 60


def exponential_down(epsilon: Fraction) -> Fraction:
    """A dyadic fraction ≤ e^ε, within 2^-60 of it."""
    with precision(START_BITS):
        return fraction_down(ball(epsilon).exp(), _BITS)


def exponential_up(epsilon: Fraction) -> Fraction:
    """A dyadic fraction ≥ e^ε, within 2^-60 of it."""
    with precision(START_BITS):
        return fraction_up(ball(epsilon).exp(), _BITS)


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


@frozen
class Voice:
    """One kind of report: its weight in grid steps, and a number ≤ P(kind) − e^ε·Q(kind) for the person in question."""

    weight: int
    gain: float


def gain_below(others: TiltedLaw, voices: Sequence[Voice]) -> float:
    """A number ≤ the gain of the best test "the weights of all reports add up to s or more", over all s.

    `others` is the law of the other reports' weights, the same in both worlds. With T its upper tail, the gain at s is
    Σ (P−e^εQ)(kind)·T(s−weight): gains use lower bounds of tails, losses use upper bounds.
    """
    low, up = tails(others)
    reach = max(abs(voice.weight) for voice in voices)
    low = np.pad(low, reach, constant_values=(low[0], 0.0))
    up = np.pad(up, reach, constant_values=(1.0, up[-1]))
    count = len(low) - 2 * reach
    gains, sizes = np.zeros(count), np.zeros(count)
    for voice in voices:
        start = reach - voice.weight
        part = voice.gain * (low if voice.gain > 0 else up)[start : start + count]
        gains += part
        sizes += np.abs(part)
    return max(0.0, float((gains - UNIT * (len(voices) + 4) * sizes).max()))


def tails(law: TiltedLaw) -> tuple[Array, Array]:
    """P(S ≥ value) at every node and one beyond the last, from below and from above.

    Node j carries masses_j·e^{log_weight−λ·value_j}. What is off by `error` in all weighs at most e^{−λ·value} there.
    """
    values = law.values
    with np.errstate(under="ignore"):
        weights = np.exp(np.minimum(law.log_weight - law.tilt * values, 700.0))
        sums = np.cumsum((law.masses * weights)[::-1])[::-1]
        sizes = np.cumsum((np.abs(law.masses) * weights)[::-1])[::-1]
        farthest = abs(law.log_weight) + law.tilt * float(np.abs(values).max())
        off = 1.001 * law.error * weights + UNIT * (len(values) + 64 + 4 * farthest) * sizes
    low = np.maximum(0.0, (sums - off) / (1 + law.unsure))
    up = np.minimum(1.0, (sums + off) * (1 + law.unsure))
    return np.append(low, 0.0), np.append(up, up[-1])
