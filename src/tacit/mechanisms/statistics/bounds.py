"""The declared bounds of a column: every value is clamped to them, then rounded to a public grid."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import numpy as np

from tacit.errors import Refused
from tacit.exact import Number, exact
from tacit.frozen import frozen
from tacit.mechanisms.statistics.records import reals
from tacit.noise.bits import Integers
from tacit.noise.grid import Grid, check_grid

_MOST_STEPS: Final = 1 << 40


@frozen
class Bounds:
    """Values lie between `lower` and `upper`, which are public: never found in the data.

    Clamping and rounding are monotone functions of one value, so no person's integer leaves 0 … `span`, and that is
    all the sensitivity rests on.
    """

    lower: Fraction
    upper: Fraction
    grid: Grid

    @classmethod
    def of(cls, lower: Number, upper: Number, grid: Grid | None, bits: int, *, from_zero: bool = False) -> Bounds:
        """The bounds on the grid as given, or on one of 2^-bits of their distance (or of the one farther from zero)."""
        low, high = exact(lower, "lower"), exact(upper, "upper")
        if not low < high:
            raise Refused(f"values between {low} and {high}", "No value lies between them.", "lower < upper.")
        size = max(abs(low), abs(high)) if from_zero else high - low
        chosen = Grid.below(size / (1 << bits)) if grid is None else grid
        check_grid(chosen)
        bounds = cls(low, high, chosen)
        if not 1 <= bounds.span <= _MOST_STEPS:
            raise Refused(
                f"{bounds.span} grid steps from {low} to {high}",
                "The grid is too coarse or too fine for these bounds.",
                "a grid whose step divides them into 1 … 2^40; or none, and one is chosen.",
            )
        return bounds

    @property
    def step(self) -> Fraction:
        return self.grid.step

    @property
    def low(self) -> int:
        """The lower bound in steps from zero."""
        return _nearest(self.lower / self.step)

    @property
    def span(self) -> int:
        """The steps between the bounds."""
        return _nearest(self.upper / self.step) - self.low

    def read(self, records: Any, missing: int | None) -> Integers:
        """Each value as its steps above the lower bound, 0 … span; NaN is left out, or counts as `missing`."""
        values = reals(records)
        absent = np.isnan(values)
        if missing is None:
            values = values[~absent]
        values = np.clip(values, float(self.lower), float(self.upper))
        scaled = np.ldexp(values, -self.grid.exponent) - float(self.low)
        found = np.clip(np.floor(scaled + 0.5), 0, self.span)
        return np.where(np.isnan(found), missing or 0, found).astype(np.int64)

    def place(self, steps: float) -> float:
        """The real number this many steps above the lower bound, within the declared bounds."""
        found = float((self.low + Fraction(steps)) * self.step)
        return min(max(found, float(self.lower)), float(self.upper))


def _nearest(steps: Fraction) -> int:
    return int((2 * steps + 1) // 2)
