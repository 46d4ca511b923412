"""Additive noise: on integers, or on real numbers after rounding to a public grid.

The answer says where the value may lie outside the range of 64-bit steps.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.errors import Refused
from tacit.exact import Number, positive, proper, whole
from tacit.frozen import frozen
from tacit.loss.families.loss import Relation
from tacit.loss.interpretation import cost
from tacit.mechanisms.inputs import farthest, in_steps
from tacit.mechanisms.mechanism import Answer, Mechanism, Value, percent
from tacit.noise.bits import Bits
from tacit.noise.grid import Grid
from tacit.noise.slabs import AdditiveLaw
from tacit.words import number


@frozen
class HeldInSteps(Mechanism[Value, Answer]):
    """A mechanism that adds integer noise in steps of a grid, within the range of 64-bit steps."""

    sensitivity: Fraction
    relation: Relation
    grid: Grid | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "sensitivity", positive(self.sensitivity, "sensitivity"))

    @property
    def step(self) -> Fraction:
        return Fraction(1) if self.grid is None else self.grid.step

    @property
    def farthest(self) -> float:
        """The largest value that is certainly within the range."""
        return farthest(self.grid)

    def answer(self, private: Any) -> Answer:
        return HeldAnswer(private, self)


@frozen
class Additive(HeldInSteps[ArrayLike]):
    """A mechanism that adds independent integer noise, in steps of a grid, to every coordinate.

    Without a grid the query is integer-valued and the step is 1. With one, real values are rounded to it first, and the
    sensitivity in steps accounts for the rounding of up to `dimension` coordinates. Values beyond `farthest` count as
    the end of the range, and an answer near that end says so; NaN counts as zero, and the answer cannot show it.
    """

    dimension: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "dimension", whole(self.dimension, "dimension", 1))
        if self.grid is None and not self.sensitivity >= 1:
            raise Refused(
                f"a sensitivity of {self.sensitivity} for an integer-valued query",
                "Integers that differ at all differ by at least 1.",
                "sensitivity ≥ 1; or a grid, for a real-valued query.",
            )

    @property
    @abstractmethod
    def law(self) -> AdditiveLaw:
        """The law of the noise, in steps."""

    def error(self, confidence: Number = "0.95", cells: int = 1) -> float:
        """The exact quantile of the noise: all of `cells` answers are this close with this confidence.

        Rounding to the grid adds at most half a step.
        """
        steps = _spread(self.law, proper(confidence, "confidence"), whole(cells, "cells", 1))
        return steps if self.grid is None else float((steps + Fraction(1, 2)) * self.step)

    def privatize(self, value: ArrayLike, bits: Bits) -> Any:
        steps = in_steps(value, self.grid)
        if self.grid is not None and not steps.size <= self.dimension:
            raise Refused(
                f"{steps.size} values at once",
                f"The sensitivity was stated for at most {self.dimension}, and rounding each one adds to it.",
                f"dimension={steps.size} when the mechanism is made.",
            )
        noisy = self.law.add(steps.ravel(), bits).reshape(steps.shape)
        if self.grid is None:
            return noisy if steps.ndim else int(noisy)
        return self.grid.place(noisy) if steps.ndim else self.grid.place_one(int(noisy))


@lru_cache(maxsize=1024)
def _spread(law: AdditiveLaw, confidence: Fraction, cells: int) -> int:
    return law.spread(confidence, cells)


@frozen(eq=False)
class HeldAnswer(Answer):
    """A noisy number; its interval is unbounded on the side of an end of the range if the number is near that end.

    Values beyond an end count as the end, so such an answer lies within the error of it, or beyond. This is computed
    from the noisy number alone: post-processing. An exception instead would reveal something about the data.
    """

    mechanism: HeldInSteps[Any]

    def interval(self, confidence: Number = "0.95") -> tuple[Any, Any]:
        """The ends between which the true value lies with this confidence, however large it is."""
        half = self.error(confidence)
        above, below = self._at_ends(half)
        if not (above.any() or below.any()):
            return self.value - half, self.value + half
        low, high = np.asarray(self.value - half, np.float64), np.asarray(self.value + half, np.float64)
        low, high = np.where(below, -math.inf, low), np.where(above, math.inf, high)
        return (low, high) if low.ndim else (float(low), float(high))

    def describe(self, confidence: Number = "0.95") -> str:
        """Value, ± interval, cost; the end of the interval “or more”, “or less” where the other one is open."""
        half = self.error(confidence)
        above, below = (np.atleast_1d(end).ravel() for end in self._at_ends(half))
        if not (above.any() or below.any()):
            return super().describe(confidence)
        cells = np.atleast_1d(np.asarray(self.value)).ravel()
        lines = []
        for cell, is_above, is_below in zip(cells, above, below, strict=True):
            if is_above:
                lines.append(f"{number(cell - half, half)} or more")
            elif is_below:
                lines.append(f"{number(cell + half, half)} or less")
            else:
                lines.append(f"{number(cell, half)} ± {number(half, half)}")
        said = f"{percent(confidence)} interval; cost {cost(self.loss)}; saturated: the end of what can be held"
        return "\n".join(lines) + f"  ({said})"

    def _at_ends(self, half: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """The cells so near the upper end, and the lower end, that the value may lie beyond it."""
        value, end = np.asarray(self.value, np.float64), self.mechanism.farthest * (1 - 2.0**-50) - half
        return value >= end, value <= -end
