"""The law of a sum by its Fourier transform, with a bound of everything that floats and periods do to it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from tacit.errors import Refused
from tacit.loss.accountant.lattice import Lattice
from tacit.loss.accountant.step import UNIT, Array
from tacit.loss.accountant.tilt import Cumulants

MOST_POINTS = 1 << 23
CHANCE = 1e-11  # what the tilted sum leaves outside the window, on either side
_FADED = -30.0  # frequencies whose logarithm is below this are dropped, and counted as error


@dataclass(frozen=True)
class Sum:
    """The tilted law of the composed loss.

    δ(ε) = infinite + e^{log_weight−λε}·Σ law_k·w(loss_k−ε) with w(t) = e^{−λt}(1−e^−t)₊, up to a change of the law by
    `error` in total variation and of the whole by the factor 1 ± `unsure`.
    """

    tilt: float
    log_weight: float
    first: int
    spacing: float
    shift: float
    law: Array
    error: float
    unsure: float
    infinite: float


def add_up(spacing: float, parts: Sequence[tuple[Lattice, int]], cumulants: Cumulants, tilt: float) -> Sum:
    """The law of the sum of `times` independent copies of each part, tilted by λ.

    Tilting multiplies each mass by e^{λ·loss} and normalises; it commutes with convolution, so errors are relative to
    the mass near the ε in question. Four errors, all in total variation of the tilted law: outside a window (Chernoff) at
    most 2·CHANCE, which the circular convolution folds in; the transforms: each output of a fast Fourier
    transform is a tree of log₂N sums of numbers whose moduli add up to at most 1, so each is off by at most η = 8·log₂N
    units, and a product of powers by Π(|f|+η)^T − Π|f|^T plus a few units of T·|ln f|; the dropped frequencies; the
    inverse. The last three are bounded in ℓ₂ of the spectrum, which by Parseval and Cauchy–Schwarz bounds ℓ₁ of the law.
    """
    tilted = [_tilted(spacing, lattice, tilt) for lattice, _ in parts]
    times = [count for _, count in parts]
    log_weight = math.fsum(count * one[1] for count, one in zip(times, tilted, strict=True))
    unsure = math.fsum(count * one[2] for count, one in zip(times, tilted, strict=True))
    low, high = cumulants.beyond(tilt, log_weight - unsure, CHANCE)
    first = math.floor(low / spacing) - 1
    wanted = math.ceil(high / spacing) + 2 - first
    if not wanted <= MOST_POINTS:
        raise Refused(
            f"a composed law on {wanted} grid points",
            "So fine a grid over so wide a range would not fit into memory.",
            "a wider gap.",
        )
    size = int(fft.next_fast_len(max(wanted, 16), real=True))
    law, error = _convolve([masses for masses, *_ in tilted], times, size)
    offset = sum(count * lattice.first for lattice, count in parts)
    law = np.roll(law, -((first - offset) % size))
    shift = math.fsum(count * lattice.shift for lattice, count in parts)
    shift_error = 4 * UNIT * math.fsum(count * abs(lattice.shift) for lattice, count in parts)
    infinite = -math.expm1(math.fsum(count * _log_kept(lattice.infinite) for lattice, count in parts))
    unsure = math.expm1(unsure + tilt * shift_error + 64 * UNIT * (1 + abs(log_weight))) if unsure < 1 else math.inf
    return Sum(tilt, log_weight, first, spacing, shift, law, error + 2 * CHANCE, unsure, infinite)


def _tilted(spacing: float, lattice: Lattice, tilt: float) -> tuple[Array, float, float]:
    """The tilted masses (sum 1), ln of what they were divided by, and the relative error of both together."""
    exponents = tilt * spacing * np.arange(lattice.first, lattice.first + len(lattice.masses))
    with np.errstate(divide="ignore", under="ignore"):
        top = float(np.max(exponents + np.log(lattice.masses)))
        masses = np.exp(exponents - top) * lattice.masses
    total = float(masses.sum())
    far = float((masses * np.abs(exponents - top)).sum()) / total + abs(top)
    return masses / total, math.log(total) + top, 8 * UNIT * (4 + far)


def _convolve(laws: list[Array], times: list[int], size: int) -> tuple[Array, float]:
    """The circular convolution of all the laws, and its error in ℓ₁."""
    order = sorted(range(len(laws)), key=lambda j: -times[j] * _variance(laws[j]))
    bins = size // 2 + 1
    alive = np.arange(bins)
    total, bound, dropped = np.zeros(bins, dtype=np.complex128), np.zeros(bins), 0.0
    for j in order:
        found, off = _transform(laws[j], size, alive)
        modulus = np.abs(found) + off
        bound = bound + times[j] * np.log(modulus)
        faded = bound < _FADED
        dropped += 2 * float(np.sum(np.exp(2 * bound[faded])))
        with np.errstate(divide="ignore", invalid="ignore"):
            total = (total + times[j] * np.log(found))[~faded]
        alive, bound = alive[~faded], bound[~faded]
    spectrum = np.zeros(bins, dtype=np.complex128)
    spectrum[alive] = np.exp(total)
    plain = np.abs(spectrum[alive])
    roundings = 16 * UNIT * (len(laws) + np.abs(total) + math.pi * sum(times))
    off_by = np.exp(bound) - plain + np.exp(bound) * roundings
    law = fft.irfft(spectrum, size)
    inverse = 8 * UNIT * math.log2(size) * math.sqrt(2 * float(np.sum(plain**2)))
    return law, math.sqrt(2 * float(np.sum(np.maximum(off_by, 0.0) ** 2))) + math.sqrt(dropped) + inverse


def _variance(law: Array) -> float:
    places = np.arange(len(law), dtype=np.float64)
    mean = float((law * places).sum())
    return float((law * (places - mean) ** 2).sum())


def _transform(law: Array, size: int, alive: NDArray[np.int64]) -> tuple[NDArray[np.complex128], float]:
    """Σ law_k e^{−2πijk/size} at the frequencies j still alive, and a bound of its errors."""
    if len(alive) * 64 < size:
        return _directly(law, size, alive)
    if len(law) > size:
        rows = -(-len(law) // size)
        law = np.concatenate([law, np.zeros(rows * size - len(law))]).reshape(rows, size).sum(axis=0)
    return fft.rfft(law, size)[alive], 8 * UNIT * math.log2(size)


def _directly(law: Array, size: int, alive: NDArray[np.int64]) -> tuple[NDArray[np.complex128], float]:
    """As a matrix product over rows of about √n masses: for a few frequencies of a long law."""
    width = max(1, math.isqrt(len(law)))
    rows = -(-len(law) // width)
    table = np.zeros(rows * width)
    table[: len(law)] = law
    turns = -2j * math.pi / size
    within = np.exp(turns * (np.outer(np.arange(width), alive) % size))
    across = np.exp(turns * (np.outer(width * np.arange(rows), alive) % size))
    found = np.einsum("rj,rj->j", table.reshape(rows, width) @ within, across)
    return found, UNIT * (2 * (rows + width) + 64)


def _log_kept(infinite: float) -> float:
    return math.log1p(-infinite) if infinite < 1 else -math.inf
