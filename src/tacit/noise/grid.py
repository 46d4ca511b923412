"""The public grid on which real-valued answers live: multiples of one power of two.

Values are rounded to the grid before noise is added, so every output is a multiple of a step that does
not depend on the data, and no low bit can tell two values apart.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor, isqrt, ldexp
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.errors import Refused
from tacit.exact import Number, positive
from tacit.frozen import frozen
from tacit.noise.bits import Integers
from tacit.noise.saturate import saturated

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

        The function is total, moves no two values apart by more than ⌈distance/step⌉ steps, and commutes
        with shifts by whole steps (rounding half to even would not). Integers that a float cannot hold are
        rounded as integers, for on the way through a float two of them could move apart.
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
    """A grid must be named as one: a step alone could be meant as its size or as its exponent."""
    if not isinstance(grid, Grid):
        raise Refused(f"a grid of type {type(grid).__name__}", "It is no grid.", "Grid(-10), or Grid.below('0.001').")


def whole_steps_down(sensitivity: Fraction) -> int:
    """Integers that differ by at most `sensitivity` differ by at most its whole part."""
    return floor(sensitivity)
