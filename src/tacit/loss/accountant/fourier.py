"""The law of a sum by its Fourier transform, with a bound of the errors of rounding and periodicity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.loss.accountant.lattice import Lattice
from tacit.loss.accountant.tilt import Cumulants
from tacit.loss.distributions.step import UNIT, Array

MOST_POINTS = 5_000_000
MOST_WORK = 300_000  # frequencies; each is evaluated for every ε tried: about a second
_POINTS_A_FREQUENCY = 50  # places transformed in the time in which one frequency is evaluated
Complex: TypeAlias = NDArray[np.complex128]
Law: TypeAlias = tuple[NDArray[np.int64], Array]  # places and masses


@frozen
class Sum:
    """The tilted law of the composed loss, by its Fourier coefficients on a circle of `size` nodes.

    Node k, `first` ≤ k < first+size, stands for the loss k·spacing + shift. With law_k = (1/size)Σ_j c_j e^{2πijk/size}
    (c_{−j} the conjugate of c_j), δ(ε) = infinite + e^{log_weight−λε}·Σ law_k·w(loss_k−ε), w(t) = e^{−λt}(1−e^−t)₊,
    up to a change of the law by `error` in total variation and of the second term by the factor 1 ± `unsure`.
    """

    tilt: float
    log_weight: float
    first: int
    size: int
    spacing: float
    shift: float
    frequencies: NDArray[np.int64]
    coefficients: Complex
    error: float
    unsure: float
    infinite: float

    @property
    def work(self) -> int:
        """The work of computing and evaluating it, in frequencies."""
        return len(self.frequencies) + self.size // _POINTS_A_FREQUENCY


def add_up(
    spacing: float, parts: Sequence[tuple[Lattice, int]], cumulants: Cumulants, tilt: float, spare: float
) -> Sum:
    """The law of the sum of `times` independent copies of each part, tilted by λ; its error is about `spare`.

    Tilting multiplies each mass by e^{λ·loss} and normalises; it commutes with convolution, so errors are relative to
    the mass near the ε in question. Three errors, all in total variation of the tilted law: what lies outside a window
    (Chernoff) is at most `spare`, and the circle folds it in; each output of a fast Fourier transform is a tree of
    log₂N sums of numbers whose moduli add up to at most 1, so it is off by at most η = 8·log₂N units, and a product
    of powers by Π(|f|+η)^T − Π|f|^T plus a few units of T·|ln f|; and the frequencies that are dropped. The last two
    are bounded in ℓ₂ of the coefficients, which by Parseval and Cauchy–Schwarz bounds ℓ₁ of the law.
    """
    tilted = [_tilted(spacing, lattice, tilt) for lattice, _ in parts]
    times = [count for _, count in parts]
    log_weight = math.fsum(count * one[1] for count, one in zip(times, tilted, strict=True))
    unsure = math.fsum(count * one[2] for count, one in zip(times, tilted, strict=True))
    wrong = min(1.0, unsure)  # the masses' own roundings, as total variation
    low, high = cumulants.beyond(tilt, log_weight - unsure, spare / 2)
    least = sum(count * int(lattice.places[0]) for lattice, count in parts)
    most = sum(count * int(lattice.places[-1]) for lattice, count in parts)
    first = max(math.floor(low / spacing) - 1, least)
    wanted = min(math.ceil(high / spacing) + 2, most + 1) - first
    if not wanted <= MOST_POINTS:
        raise Refused(
            f"a composed law on more than {MOST_POINTS:,} grid points",
            "So fine a grid over so wide a range would not fit into memory.",
            "a wider gap, or a larger δ.",
        )
    size = int(fft.next_fast_len(max(wanted, 16), real=True))
    frequencies, coefficients, error = _convolve(
        [(lattice.places - lattice.places[0], one[0]) for (lattice, _), one in zip(parts, tilted, strict=True)],
        times,
        size,
        spare,
    )
    if not len(frequencies) <= MOST_WORK:
        raise Refused(
            f"a composed law with more than {MOST_WORK:,} frequencies",
            "Its rare losses are spread so finely that it takes too much work.",
            "a wider gap, or a larger δ.",
        )
    coefficients = coefficients * np.exp(-2j * math.pi / size * (frequencies * (least % size) % size))
    shift = math.fsum(count * lattice.shift for lattice, count in parts)
    shift_error = 4 * UNIT * math.fsum(count * abs(lattice.shift) for lattice, count in parts)
    infinite = -math.expm1(math.fsum(count * _log_kept(lattice.infinite) for lattice, count in parts))
    unsure = (
        math.expm1(unsure + abs(tilt) * shift_error + 64 * UNIT * (1 + abs(log_weight))) if unsure < 1 else math.inf
    )
    return Sum(
        tilt,
        log_weight,
        first,
        size,
        spacing,
        shift,
        frequencies,
        coefficients,
        error + spare + wrong,
        unsure,
        infinite,
    )


def _tilted(spacing: float, lattice: Lattice, tilt: float) -> tuple[Array, float, float]:
    """The tilted masses (sum 1), ln of what they were divided by, and the relative error of both together."""
    exponents = tilt * spacing * lattice.places
    with np.errstate(divide="ignore", under="ignore"):
        top = float(np.max(exponents + np.log(lattice.masses)))
        masses = np.exp(exponents - top) * lattice.masses
    total = float(masses.sum())
    far = float((masses * np.abs(exponents - top)).sum()) / total + abs(top)
    return masses / total, math.log(total) + top, 8 * UNIT * (4 + far)


def _convolve(laws: list[Law], times: list[int], size: int, spare: float) -> tuple[NDArray[np.int64], Complex, float]:
    """The frequencies that matter, the product of the laws' transforms there, and its error in ℓ₁ of the law."""
    order = sorted(range(len(laws)), key=lambda j: -times[j] * _variance(laws[j]))
    alive: NDArray[np.int64] = np.arange(size // 2 + 1)
    total, bound, dropped = np.zeros(1, dtype=np.complex128), np.zeros(1), 0
    # if all frequencies are this small, dropping them adds at most `spare` to the error
    faded = math.log(spare) - math.log(size) / 2
    for j in order:
        found, off = _transform(laws[j], size, alive)
        least = np.exp((faded - bound) / times[j]) - off
        kept = found.real**2 + found.imag**2 > np.maximum(least, 0.0) ** 2
        dropped += 2 * (len(kept) - int(np.count_nonzero(kept)))
        alive, found = alive[kept], found[kept]
        if len(total) == len(kept):
            total, bound = total[kept], bound[kept]
        with np.errstate(divide="ignore"):
            logs = np.log(found)
        total = total + times[j] * logs
        bound = bound + times[j] * np.log(np.abs(found) + off)
    excess = 16 * UNIT * (math.log2(size) + 64) * sum(times)  # later factors are at most 1, apart from rounding errors
    coefficients = np.exp(total)
    roundings = 16 * UNIT * (len(laws) + np.abs(total) + math.pi * sum(times))
    off_by = np.exp(bound) * (1 + roundings) - np.abs(coefficients)
    lost = math.exp(faded + excess) * math.sqrt(dropped)
    return alive, coefficients, math.sqrt(2 * float((off_by**2).sum())) + lost


def _variance(law: Law) -> float:
    places, masses = law
    mean = float((masses * places).sum())
    return float((masses * (places - mean) ** 2).sum())


def _transform(law: Law, size: int, alive: NDArray[np.int64]) -> tuple[Complex, float]:
    """Σ mass·e^{−2πij·place/size} at the frequencies j still alive, and a bound of its errors."""
    places, masses = law
    if len(alive) * len(places) < size:
        turns = np.exp(-2j * math.pi / size * (places[:, None] * alive % size))
        return (masses[:, None] * turns).sum(axis=0), UNIT * (len(places) + 64)
    dense = np.bincount(places % size, masses, size).astype(np.float64)
    found: Complex = fft.rfft(dense)
    folds = float(places[-1]) / size
    return found if len(alive) == len(found) else found[alive], UNIT * (8 * math.log2(size) + folds + 1)


def _log_kept(infinite: float) -> float:
    return math.log1p(-infinite) if infinite < 1 else -math.inf
