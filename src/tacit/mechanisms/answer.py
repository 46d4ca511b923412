"""What a mechanism gives back: a value that never travels without its error and its cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.exact import Number, proper
from tacit.loss.loss import Loss
from tacit.loss.words import cost as cost

if TYPE_CHECKING:
    from tacit.mechanisms.mechanism import Mechanism


@dataclass(frozen=True, eq=False)
class Answer:
    """A private value together with the mechanism that says how far off it may be and what it cost."""

    value: Any
    mechanism: Mechanism[Any, Answer]

    @property
    def loss(self) -> Loss:
        return self.mechanism.loss

    def error(self, confidence: Number = "0.95") -> Any:
        """The half width of the interval."""
        return self.mechanism.error(confidence)

    def interval(self, confidence: Number = "0.95") -> tuple[Any, Any]:
        """The ends between which the true (bounded) value lies with this confidence."""
        half = self.error(confidence)
        return self.value - half, self.value + half

    def __str__(self) -> str:
        return self.describe()

    def describe(self, confidence: Number = "0.95") -> str:
        """Value, ± interval, cost: one line for a number, one a cell for an array."""
        percent = f"{float(100 * proper(confidence, 'confidence')):g}%"
        half = self.error(confidence)
        cells = np.atleast_1d(np.asarray(self.value)).ravel()
        halves = np.broadcast_to(np.asarray(half, np.float64), cells.shape)
        lines = [f"{number(cell, off)} ± {number(off, off)}" for cell, off in zip(cells, halves, strict=True)]
        return "\n".join(lines) + f"  ({percent} interval; cost {cost(self.loss)})"


def number(value: float, error: float) -> str:
    """A number with as many digits as its error leaves meaningful, and thousands set off."""
    if float(value).is_integer() and float(error).is_integer():
        return f"{int(value):,}"
    if not error > 0:
        return f"{value:,.6g}"
    digits = max(0, 2 - int(np.floor(np.log10(error))) - 1)
    return f"{value:,.{digits}f}"
