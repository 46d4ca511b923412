"""A public range of grid points, to which every record is moved before anything is computed from it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

import numpy as np
from numpy.typing import ArrayLike

from tacit.errors import Refused
from tacit.exact import Number, exact
from tacit.mechanisms.steps import in_steps
from tacit.noise.bits import Integers
from tacit.noise.grid import Grid

_FARTHEST = 1 << 61


@dataclass(frozen=True, init=False)
class PublicRange:
    """The grid points from `lower` to `upper`. Both are public: chosen without looking at the data."""

    lower: Fraction
    upper: Fraction
    grid: Grid

    def __init__(self, lower: Number, upper: Number, grid: Grid) -> None:
        object.__setattr__(self, "lower", exact(lower, "lower"))
        object.__setattr__(self, "upper", exact(upper, "upper"))
        object.__setattr__(self, "grid", grid)
        if not self.first <= self.last:
            raise Refused(
                f"a range from {float(self.lower):g} to {float(self.upper):g}",
                "It holds no point of the grid.",
                "lower ≤ upper, and a grid finer than their distance.",
            )
        if not max(-self.first, self.last) <= _FARTHEST:
            raise Refused(
                f"a range from {float(self.lower):g} to {float(self.upper):g} in steps of {float(grid.step):g}",
                "Its steps do not fit 64 bits.",
                "a coarser grid or a smaller range.",
            )

    @property
    def first(self) -> int:
        """The lowest point, in steps."""
        return ceil(self.lower / self.grid.step)

    @property
    def last(self) -> int:
        """The highest point, in steps."""
        return floor(self.upper / self.grid.step)

    @property
    def size(self) -> int:
        """How many points there are."""
        return self.last - self.first + 1

    def steps(self, values: ArrayLike) -> Integers:
        """Each record at its nearest point, in steps; what lies outside goes to the end, and NaN counts as zero.

        The function is total and looks at one record at a time, so neighbours stay neighbours.
        """
        steps = in_steps(values, self.grid)
        if not steps.ndim == 1:
            raise Refused(f"records with {steps.ndim} dimensions", "They are not a list of numbers.", "a list.")
        return np.clip(steps, self.first, self.last)

    def place(self, step: int) -> float:
        """The number at a step."""
        return self.grid.place_one(step)
