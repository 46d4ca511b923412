"""The answer of additive noise: it says so where the value may lie beyond what steps of 64 bits hold."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tacit.exact import Number
from tacit.frozen import frozen
from tacit.loss.words import cost
from tacit.mechanisms.answer import Answer, number, percent

if TYPE_CHECKING:
    from tacit.mechanisms.additive.additive import Additive
    from tacit.mechanisms.additive.staircase import Staircase


@frozen(eq=False)
class HeldAnswer(Answer):
    """A noisy number; its interval is open towards an end of what is held if it comes near that end.

    Values beyond an end count as the end, so such an answer lies within the error of it, or beyond. That is read from
    the noisy number alone: post-processing. No exception could say it, for whether there is one would tell of the data.
    """

    mechanism: Additive | Staircase

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
        """Which cells are so near the upper end, and the lower one, that the value may lie beyond."""
        value, end = np.asarray(self.value, np.float64), self.mechanism.farthest * (1 - 2.0**-50) - half
        return value >= end, value <= -end
