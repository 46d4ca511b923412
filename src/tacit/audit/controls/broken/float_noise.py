"""Noise in floating point: its low bits betray the value that it was added to."""

from __future__ import annotations

import numpy as np

from tacit.audit.controls.control import CLASSIC, Control, Many, broken, floats, one_of_many
from tacit.audit.subject import Data, Outputs
from tacit.loss.families.loss import Loss
from tacit.noise.bits import Bits

_SIGMA = 3.7306  # exact for CLASSIC at sensitivity 1, rounded up


def _laplace(data: Data, count: int, bits: Bits) -> Outputs:
    return sum(data) + floats(bits).laplace(0, 10, count)


def _gaussian(data: Data, count: int, bits: Bits) -> Outputs:
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


def _control(name: str, note: str, claim: Loss | str, many: Many, one: Data, other: Data) -> Control:
    return broken(name, note, "bits", claim, one_of_many(many), ((one, other),), many=many)


FLOAT_NOISE = (
    _control("float Laplace", "NumPy's Laplace added to a float (R02).", "0.1", _laplace, [0.0], [0.0, 1.0]),
    _control("float Gaussian", "NumPy's normal added to a float.", CLASSIC, _gaussian, [0.0], [0.0, 1.0]),
    _control(
        "inverted uniform",
        "Laplace by −b·sgn(u)·ln(1−2|u|): holes in the logarithm (R01).",
        "0.1",
        _inverted,
        [0.0],
        [0.0, 1.0],
    ),
    _control(
        "rounded before it is added",
        "The noise is on a grid, the value is not: answers keep the value's own low bits.",
        "0.5",
        _rounded_noise,
        [0.0],
        [0.0, 1 / 3],
    ),
    _control(
        "NoisyHist2", "Laplace noise of scale ε instead of 1/ε.", "0.1", _histogram, [0.0, 5.0, 2.0], [1.0, 5.0, 2.0]
    ),
    _control(
        "uniform noise", "Uniform noise has ends, and ends move with the value.", "0.1", _uniform, [0.0], [0.0, 1.0]
    ),
)
