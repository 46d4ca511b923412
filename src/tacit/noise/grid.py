"""The public grid of real-valued answers: multiples of one power of two.

Values are rounded to the grid before noise is added, so every output is a multiple of a step that does
not depend on the data, and no low bit can tell two values apart. Sums that leave 64 bits are cut to the nearest integer
that fits, and only after the addition.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor, isqrt, ldexp
from numbers import Integral
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.errors import Refused
from tacit.exact import Number, positive
from tacit.frozen import frozen
from tacit.noise.bits import Integers

_FINEST = -200
_COARSEST = 200
_HELD = 1 << 53  # every integer up to here is a float


@frozen
class Grid:
    """The multiples of 2^exponent."""

    exponent: int

    def __post_init__(self) -> None:
        is_whole = isinstance(self.exponent, Integral) and not isinstance(self.exponent, bool)
        if not (is_whole and _FINEST <= self.exponent <= _COARSEST):
            raise Refused(
                f"a grid of step 2^{self.exponent}",
                "Answers on it would not fit a floating-point number.",
                f"whole exponents from {_FINEST} to {_COARSEST}.",
            )
        object.__setattr__(self, "exponent", int(self.exponent))

    @classmethod
    def below(cls, size: Number) -> Grid:
        """The coarsest grid whose step is at most `size`."""
        limit = positive(size, "size")
        exponent = limit.numerator.bit_length() - limit.denominator.bit_length() - 1
        while Fraction(2) ** (exponent + 1) <= limit:
            exponent += 1
        return cls(exponent)

    @property
    def step(self) -> Fraction:
        return Fraction(2) ** self.exponent

    def round(self, values: ArrayLike) -> Integers:
        """The nearest steps of real numbers, given as floats: ⌊x/step + ½⌋, saturated to 64 bits; NaN counts as zero.

        The function is total, moves no two values apart by more than ⌈distance/step⌉ steps, and commutes with shifts by
        whole steps (rounding half to even would not). Integers that a float cannot represent are rounded as integers:
        conversion to float could move two of them apart.
        """
        array = np.asarray(values)
        if array.dtype.kind in "iu" and np.any((array > _HELD) | (array < -_HELD)):
            return self._round_integers(array)
        if array.dtype.kind == "f" and not array.dtype.itemsize <= 8:
            raise Refused(f"values of type {array.dtype}", "A float of 64 bits does not hold them.", "float64.")
        with np.errstate(over="ignore", invalid="ignore"):  # beyond the largest float is ∞; ∞ − ∞ is NaN, and not ≥ ½
            scaled = np.ldexp(array.astype(np.float64), -self.exponent)
            whole = np.floor(scaled)
            whole += scaled - whole >= 0.5
        whole = np.where(np.isnan(whole), 0.0, whole)
        inside = np.abs(whole) < 2.0**63
        ends = np.where(whole > 0, np.iinfo(np.int64).max, np.iinfo(np.int64).min)
        return np.where(inside, np.where(inside, whole, 0.0).astype(np.int64), ends)

    def _round_integers(self, array: NDArray[Any]) -> Integers:
        exact = array.astype(object).ravel()
        steps = exact << -self.exponent if self.exponent <= 0 else (exact + (1 << self.exponent - 1)) >> self.exponent
        return saturated(steps).reshape(array.shape)

    def place(self, steps: Integers) -> NDArray[np.float64]:
        """The real numbers at these steps: multiples of the step, in floating point."""
        return np.ldexp(steps.astype(np.float64), self.exponent)

    def place_one(self, steps: int) -> float:
        """The real number at this step."""
        return ldexp(float(steps), self.exponent)

    def l1_steps_up(self, sensitivity: Fraction, dimension: int) -> int:
        """The most that rounded vectors differ in ℓ₁ norm, in steps, if the values differ by at most `sensitivity`.

        Each coordinate moves by less than one step more than its value does, and by a whole number of steps.
        """
        moved = sensitivity / self.step
        return ceil(moved) if dimension == 1 else ceil(moved + dimension) - 1

    def l2_steps_up(self, sensitivity: Fraction, dimension: int) -> Fraction:
        """The same in ℓ₂ norm: rounding adds a vector of length less than √dimension."""
        moved = sensitivity / self.step
        if dimension == 1:
            return Fraction(ceil(moved))
        scale = 1 << 32
        return moved + Fraction(isqrt(dimension * scale * scale) + 1, scale)


def check_grid(grid: object) -> None:
    """Refuse anything but a `Grid`: a bare number could be the size of the step or its exponent."""
    if not isinstance(grid, Grid):
        raise Refused(f"a grid of type {type(grid).__name__}", "It is no grid.", "Grid(-10), or Grid.below('0.001').")


def whole_steps_down(sensitivity: Fraction) -> int:
    """Integers that differ by at most `sensitivity` differ by at most its whole part."""
    return floor(sensitivity)


_LIMITS: Final = np.iinfo(np.int64)
_SAFE: Final = 1 << 62  # two integers below this add up within 64 bits

Draws: TypeAlias = NDArray[Any]
"""int64 if all are less than 2^62 in size, else Python integers (dtype object)."""


def is_safe(value: int) -> bool:
    """Whether a draw may be kept as int64."""
    return -_SAFE < value < _SAFE


def saturated(draws: Draws) -> Integers:
    """The draws as 64-bit integers; draws beyond the range are cut to its nearest end."""
    if draws.dtype == object:
        return np.asarray(np.clip(draws, _LIMITS.min, _LIMITS.max), np.int64)  # clip unwraps a lone Python integer
    return draws


def wrapped(draws: Draws) -> Integers:
    """The draws modulo 2^64, as signed words: unlike cutting, this is valid before an addition that wraps."""
    if draws.dtype == object:
        return np.asarray([(int(each) + (1 << 63)) % (1 << 64) - (1 << 63) for each in draws.ravel()], np.int64)
    return draws


def saturated_sum(values: Integers, noise: Draws) -> Integers:
    """values + noise, cut to 64 bits only after the addition; `noise` is overwritten."""
    least, most = np.minimum.reduce(values, initial=0), np.maximum.reduce(values, initial=0)
    if noise.dtype == object or not (is_safe(least) and is_safe(most)):
        return saturated(values.astype(object) + noise)
    noise += values
    return noise
