"""Broken noise: noise that does not have its stated distribution, and floating-point noise.

The low bits of floating-point noise depend on the value that it was added to.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import log

import numpy as np
from tests.audit.controls.broken_control import CLASSIC, Control, Many, broken, floats, one_of_many

from tacit.audit.subject import AdditiveStructure, Data, Outputs
from tacit.loss.calibration import gaussian_variance
from tacit.loss.families.approx import Approx
from tacit.loss.families.loss import Loss
from tacit.noise.bits import Bits, Integers
from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.noise.law import Law

Noise = Callable[[int, Bits], Integers]
_PAIRS: tuple[tuple[Data, Data], ...] = (([1, 0, 1], [1, 0]), ([1], []))
_TWO_SIDED = DiscreteLaplace(2)
_EXACT = RoundedGaussian(gaussian_variance(CLASSIC))
_NARROW = RoundedGaussian(gaussian_variance(CLASSIC) * Fraction(81, 100))
_FINE = 1000  # grid steps to the sensitivity, where the law must look smooth
_CLASSICAL = RoundedGaussian(Fraction(str(2 * log(1.25e5) / 400)) * _FINE**2)


def _count(data: Data) -> list[int]:
    return [sum(data)]


def _two_counts(data: Data) -> list[int]:
    return [sum(data), len(data) - sum(data)]


def _added(statistic: Callable[[Data], list[int]], noise: Noise) -> Callable[[Data, Bits], Integers]:
    def release(data: Data, bits: Bits) -> Integers:
        base = np.array(statistic(data), np.int64)
        return base + noise(base.size, bits)

    return release


def _control(name: str, note: str, law: Law, noise: Noise, *, found_by: str = "sampler") -> Control:
    """A count with ε = 1/2 and this noise in place of discrete Laplace noise of scale 2."""
    inside = AdditiveStructure(_count, Fraction(1), "l1", law, noise)
    return broken(name, note, found_by, "0.5", _added(_count, noise), _PAIRS, additive=inside, universe=(0, 1))


def _zero_twice(size: int, bits: Bits) -> Integers:
    signs = bits.octets(size).astype(np.int64) & 1
    return np.where(signs, 1, -1) * np.abs(_TWO_SIDED.draw(size, bits) // 2 * 2)


_BY_BYTE = np.array([_TWO_SIDED.quantile(Fraction(2 * byte + 1, 512)) for byte in range(256)], np.int64)


def _one_byte(size: int, bits: Bits) -> Integers:
    drawn: Integers = _BY_BYTE[bits.octets(size)]
    return drawn


_FORKED = np.random.Generator(np.random.PCG64(2024))


def _own_generator(size: int, bits: Bits) -> Integers:
    decay = np.exp(-0.5)
    return _FORKED.geometric(1 - decay, size) - _FORKED.geometric(1 - decay, size)


def _seeded(size: int, bits: Bits) -> Integers:
    generator = np.random.Generator(np.random.PCG64(7))
    return generator.geometric(1 - np.exp(-0.5), size) - generator.geometric(1 - np.exp(-0.5), size)


def _gaussian(name: str, note: str, claim: Approx, law: Law, noise: Law, reach: int, found_by: str) -> Control:
    def statistic(data: Data) -> list[int]:
        return [reach * sum(data)]

    inside = AdditiveStructure(statistic, Fraction(reach), "l2", law, noise.draw)
    release = _added(statistic, noise.draw)
    return broken(name, note, found_by, claim, release, _PAIRS, additive=inside, universe=(0, 1))


def _reused() -> Control:
    def noise(size: int, bits: Bits) -> Integers:
        return np.repeat(_TWO_SIDED.draw(1, bits), size)

    inside = AdditiveStructure(_two_counts, Fraction(1), "l1", _TWO_SIDED, _TWO_SIDED.draw)
    note = "One draw is added to both counts, so their difference is exact."
    release = _added(_two_counts, noise)
    return broken("noise reused", note, "sampler", "0.5", release, _PAIRS, additive=inside, universe=(0, 1))


NOISE = (
    _gaussian(
        "σ × 0.9", "The noise is a tenth narrower than the law it is priced by.", CLASSIC, _EXACT, _NARROW, 1, "sampler"
    ),
    _gaussian(
        "classical σ at ε = 20",
        "σ = √(2 ln(1.25/δ))Δ/ε holds for ε ≤ 1 only; here the true δ is 1.5e-3.",
        Approx(20, "1e-5"),
        _CLASSICAL,
        _CLASSICAL,
        _FINE,
        "price",
    ),
    _control("scale halved", "The scale is 1 where ε = 1/2 needs 2.", _TWO_SIDED, DiscreteLaplace(1).draw),
    _control(
        "scale priced low",
        "Noise of scale 1 is priced as ε = 1/2.",
        DiscreteLaplace(1),
        DiscreteLaplace(1).draw,
        found_by="price",
    ),
    _control(
        "geometric with a hole", "Odd noise never occurs: magnitudes are rounded to even.", _TWO_SIDED, _zero_twice
    ),
    _control(
        "biased geometric",
        "The sign is drawn after the magnitude plus one: noise never is 0 on one side and leans to it.",
        _TWO_SIDED,
        lambda size, bits: _TWO_SIDED.draw(size, bits) + (bits.octets(size) < 64),
    ),
    _control("one byte a draw", "Inversion of an 8-bit uniform: 256 values, no tail.", _TWO_SIDED, _one_byte),
    _control(
        "tail cut",
        "Noise beyond ±6 is moved to ±6.",
        _TWO_SIDED,
        lambda size, bits: np.clip(_TWO_SIDED.draw(size, bits), -6, 6),
    ),
    _control("seed reused", "Every release starts its generator from one seed.", _TWO_SIDED, _seeded),
    _control("generator forked", "One global generator, which forked workers copy.", _TWO_SIDED, _own_generator),
    _reused(),
)


_SIGMA = 3.7306  # exact for CLASSIC at sensitivity 1, rounded up


def _laplace(data: Data, count: int, bits: Bits) -> Outputs:
    return sum(data) + floats(bits).laplace(0, 10, count)


def _float_gaussian(data: Data, count: int, bits: Bits) -> Outputs:
    return sum(data) + floats(bits).normal(0, _SIGMA, count)


def _inverted(data: Data, count: int, bits: Bits) -> Outputs:
    uniform = floats(bits).random(count) - 0.5
    noise: Outputs = -10 * np.sign(uniform) * np.log1p(-2 * np.abs(uniform))
    return sum(data) + noise


def _rounded_noise(data: Data, count: int, bits: Bits) -> Outputs:
    return sum(data) + np.round(floats(bits).laplace(0, 2, count) * 128) / 128


def _histogram(data: Data, count: int, bits: Bits) -> Outputs:
    return np.array(data) + floats(bits).laplace(0, 0.1, (count, len(data)))


def _uniform(data: Data, count: int, bits: Bits) -> Outputs:
    return sum(data) + floats(bits).random(count) * 20 - 10


def _float_control(name: str, note: str, claim: Loss | str, many: Many, one: Data, other: Data) -> Control:
    return broken(name, note, "bits", claim, one_of_many(many), ((one, other),), many=many)


FLOAT_NOISE = (
    _float_control("float Laplace", "NumPy's Laplace added to a float (R02).", "0.1", _laplace, [0.0], [0.0, 1.0]),
    _float_control("float Gaussian", "NumPy's normal added to a float.", CLASSIC, _float_gaussian, [0.0], [0.0, 1.0]),
    _float_control(
        "inverted uniform",
        "Laplace by −b·sgn(u)·ln(1−2|u|): holes in the logarithm (R01).",
        "0.1",
        _inverted,
        [0.0],
        [0.0, 1.0],
    ),
    _float_control(
        "rounded before it is added",
        "The noise is on a grid, the value is not: answers keep the value's own low bits.",
        "0.5",
        _rounded_noise,
        [0.0],
        [0.0, 1 / 3],
    ),
    _float_control(
        "NoisyHist2", "Laplace noise of scale ε instead of 1/ε.", "0.1", _histogram, [0.0, 5.0, 2.0], [1.0, 5.0, 2.0]
    ),
    _float_control(
        "uniform noise", "Uniform noise has ends, and ends move with the value.", "0.1", _uniform, [0.0], [0.0, 1.0]
    ),
)
