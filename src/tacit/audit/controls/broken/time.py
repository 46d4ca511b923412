"""Time that depends on the data or on the noise."""

from __future__ import annotations

from fractions import Fraction
from math import exp, floor

import numpy as np

from tacit.audit.controls.control import Control, broken
from tacit.audit.subject import Additive, Data
from tacit.noise.bits import Bits, Integers
from tacit.noise.discrete_laplace import DiscreteLaplace

_SCALE = 60
_LAW = DiscreteLaplace(_SCALE)
_GOES_ON = floor(exp(-1 / _SCALE) * 2**64)


def _counted_out(bits: Bits) -> int:
    """Discrete Laplace noise, one coin a step: the farther, the longer."""
    while True:
        steps = 0
        while bits.integer(64) < _GOES_ON:
            steps += 1
        is_negative = int(bits.octets(1)[0]) & 1
        if not (is_negative and steps == 0):
            return -steps if is_negative else steps


def _slow_noise(size: int, bits: Bits) -> Integers:
    return np.array([_counted_out(bits) for _ in range(size)], np.int64)


def _total(data: Data) -> list[int]:
    return [_SCALE * sum(data)]


def _noise_by_coins(data: Data, bits: Bits) -> int:
    return _total(data)[0] + _counted_out(bits)


def _one_word_a_unit(data: Data, bits: Bits) -> int:
    held = sum(1 for _ in range(_total(data)[0]) if bits.words(1).size)
    return int(held + _LAW.draw(1, bits)[0])


TIME: tuple[Control, ...] = (
    broken(
        "noise by coins",
        "The number of coins is the size of the noise (R28).",
        "timing",
        1,
        _noise_by_coins,
        (([0, 1], [0]),),
        additive=Additive(_total, Fraction(_SCALE), "l1", _LAW, _slow_noise),
        universe=(0, 1),
    ),
    broken(
        "loop as long as the value",
        "One step of a loop for each unit of the sum.",
        "timing",
        1,
        _one_word_a_unit,
        (([0, 1], [0]),),
    ),
)
