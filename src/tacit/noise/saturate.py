"""Sums that leave 64 bits: cut to the nearest integer that fits, and only after the addition."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tacit.noise.bits import Integers

_LIMITS: Final = np.iinfo(np.int64)
_SAFE: Final = 1 << 62  # two integers below this add up within 64 bits

Draws: TypeAlias = NDArray[Any]
"""int64 if all are less than 2^62 in size, else Python integers (dtype object)."""


def is_safe(value: int) -> bool:
    """Whether a draw may be kept as int64."""
    return -_SAFE < value < _SAFE


def saturated(draws: Draws) -> Integers:
    """The draws as 64-bit integers, those beyond cut to the nearest."""
    if draws.dtype == object:
        return np.asarray(np.clip(draws, _LIMITS.min, _LIMITS.max), np.int64)  # clip unwraps a lone Python integer
    return draws


def saturated_sum(values: Integers, noise: Draws) -> Integers:
    """values + noise, cut to 64 bits only after the addition; `noise` is used up."""
    least, most = np.minimum.reduce(values, initial=0), np.maximum.reduce(values, initial=0)
    if noise.dtype == object or not (is_safe(least) and is_safe(most)):
        return saturated(values.astype(object) + noise)
    noise += values
    return noise
