"""Sums that leave 64 bits: cut to the nearest integer that fits, and only after the addition."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tacit.noise.bits import Integers

_LIMITS: Final = np.iinfo(np.int64)

Draws: TypeAlias = NDArray[Any]
"""int64, or Python integers (dtype object) where int64 might not hold them."""


def holds(value: int) -> bool:
    """Whether 64 bits hold the value."""
    return bool(_LIMITS.min <= value <= _LIMITS.max)


def saturated(draws: Draws) -> Integers:
    """The draws as 64-bit integers, those beyond cut to the nearest."""
    if draws.dtype == object:
        return np.clip(draws, _LIMITS.min, _LIMITS.max).astype(np.int64)
    return draws


def saturated_sum(values: Integers, noise: Draws) -> Integers:
    """values + noise, cut to 64 bits only after the addition; `noise` is used up."""
    if noise.dtype == object or _largest(values) + _largest(noise) > _LIMITS.max:
        return saturated(values.astype(object) + noise)
    noise += values
    return noise


def _largest(values: Integers) -> int:
    return max(int(values.max(initial=0)), -int(values.min(initial=0)))
