"""The answer of a mechanism: a private value with its error and its cost."""

from __future__ import annotations

from decimal import ROUND_DOWN, Decimal, localcontext
from fractions import Fraction
from math import floor, log10
from typing import Any, Final, Protocol

import numpy as np

from tacit.exact import Number, proper
from tacit.frozen import frozen
from tacit.loss.families.loss import Loss
from tacit.loss.interpretation import cost as cost
from tacit.words import number

_CLOSE: Final = 1 - Fraction(1, 10**5)  # from here on six digits could round to 100%


class Released(Protocol):
    """The protocol that an answer needs of its mechanism."""

    @property
    def loss(self) -> Loss: ...
    def error(self, confidence: Number = "0.95") -> Any: ...


@frozen(eq=False)
class Answer:
    """A private value together with the mechanism, which gives its error and its cost."""

    value: Any
    mechanism: Released

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
        """Value, ± interval, cost: one line for a number, one line per cell for an array."""
        half = self.error(confidence)
        cells = np.atleast_1d(np.asarray(self.value)).ravel()
        halves = np.broadcast_to(np.asarray(half, np.float64), cells.shape)
        lines = [f"{number(cell, off)} ± {number(off, off)}" for cell, off in zip(cells, halves, strict=True)]
        return "\n".join(lines) + f"  ({percent(confidence)} interval; cost {cost(self.loss)})"


def percent(confidence: Number) -> str:
    """A confidence in percent, to six digits; with more nines rather than as 100%."""
    share = proper(confidence, "confidence")
    if share < _CLOSE:
        return f"{float(100 * share):g}%"
    with localcontext(prec=4 + floor(-log10(1 - share)), rounding=ROUND_DOWN):
        return f"{(100 * Decimal(share.numerator) / share.denominator).normalize()}%"
