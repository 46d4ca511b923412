"""A public range of grid points; every record is clamped and rounded to it first."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

import numpy as np
from numpy.typing import ArrayLike

from tacit.errors import Refused
from tacit.exact import Number, exact
from tacit.frozen import frozen
from tacit.mechanisms.inputs import in_steps, reals
from tacit.noise.bits import Integers
from tacit.noise.grid import Grid, check_grid

_STEPS = 1 << 20
_FARTHEST = 1 << 53  # up to here every step is an exact float


@frozen(init=False)
class PublicRange:
    """The grid points from `lower` to `upper`. Both are public: chosen without looking at the data.

    Where no grid is named, it cuts the range into about a million steps.
    """

    lower: Fraction
    upper: Fraction
    grid: Grid

    def __init__(self, lower: Number, upper: Number, grid: Grid | None = None) -> None:
        ends = exact(lower, "lower"), exact(upper, "upper")
        if not ends[0] < ends[1] and grid is None:
            raise Refused(f"a range from {lower} to {upper}", "It has no width.", "lower < upper; or a grid.")
        steps = Grid.below((ends[1] - ends[0]) / _STEPS) if grid is None else grid
        check_grid(steps)
        object.__setattr__(self, "lower", ends[0])
        object.__setattr__(self, "upper", ends[1])
        object.__setattr__(self, "grid", steps)
        if not self.first <= self.last:
            raise Refused(
                f"a range from {float(self.lower):g} to {float(self.upper):g}",
                "It holds no point of the grid.",
                "lower ≤ upper, and a grid finer than their distance.",
            )
        if not max(-self.first, self.last) <= _FARTHEST:
            raise Refused(
                f"a range from {float(self.lower):g} to {float(self.upper):g} in steps of {float(steps.step):g}",
                "Not every step of it is a floating-point number.",
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
        """Each record at its nearest point, in steps; outside values go to an end, values that are not numbers to zero.

        The function is total and reads each record by itself, so neighbours stay neighbours.
        """
        return np.clip(in_steps(reals(values), self.grid), self.first, self.last)

    def place(self, step: int) -> float:
        """The number at a step."""
        return self.grid.place_one(step)


def check_span(span: object) -> None:
    """Refuse anything but a `PublicRange`: two numbers alone have no grid."""
    if not isinstance(span, PublicRange):
        kind = type(span).__name__
        raise Refused(f"a range of type {kind}", "It is no public range.", "PublicRange(0, 1, Grid(-10)).")
