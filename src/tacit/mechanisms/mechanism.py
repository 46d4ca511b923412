"""The base of every mechanism: how it releases one value, the privacy loss, the error; and the answer that it gives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from decimal import ROUND_DOWN, Decimal, localcontext
from fractions import Fraction
from math import floor, log10
from typing import Any, Final, Generic, Protocol, TypeVar

import numpy as np

from tacit.errors import Refused
from tacit.exact import Number, proper
from tacit.frozen import frozen
from tacit.loss.families.loss import Loss, Relation
from tacit.loss.interpretation import cost as cost
from tacit.noise.bits import ENTROPY, Bits, Rehearsal
from tacit.noise.grid import check_grid
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


Value = TypeVar("Value", contravariant=True)
Given = TypeVar("Given", bound=Answer, covariant=True)


class Mechanism(ABC, Generic[Value, Given]):
    """One way to release a value. It holds parameters, never data.

    Subclasses are frozen dataclasses. Each states its claim, with the neighbour relation, in its
    docstring; `loss` is that claim as a `Loss`.
    """

    relation: Relation

    def __post_init__(self) -> None:
        """Refuse a relation or a grid of the wrong type, which would make the claim false."""
        check_relation(self.relation)
        grid = getattr(self, "grid", None)
        if grid is not None:
            check_grid(grid)

    @property
    @abstractmethod
    def loss(self) -> Loss:
        """What one release costs."""

    @abstractmethod
    def error(self, confidence: Number = "0.95") -> Any:
        """The distance that the answer keeps to the value with this confidence, from the exact law of the noise."""

    @abstractmethod
    def privatize(self, value: Value, bits: Bits) -> Any:
        """The private value, from these bits. Callers use `release`."""

    @abstractmethod
    def answer(self, private: Any) -> Given:
        """The answer for a private value: post-processing."""

    def release(self, value: Value) -> Given:
        """The private answer, with noise from the operating system's entropy. There is no seed."""
        return self.answer(self.privatize(value, ENTROPY))

    def rehearse(self, value: Value, bits: Rehearsal) -> Given:
        """The same on scripted or seeded bits, for tests and audits: not private, never to be published."""
        if not isinstance(bits, Rehearsal):
            raise Refused(
                f"a rehearsal on {type(bits).__name__}",
                "A rehearsal is repeatable and must not look like a release.",
                "a Rehearsal source such as Seeded(1); or release(value), which takes no source.",
            )
        return self.answer(self.privatize(value, bits))


def check_relation(relation: object) -> None:
    """Refuse anything that is not a `Relation`: text that names one is not accepted."""
    if not isinstance(relation, Relation):
        raise Refused(
            f"a relation of type {type(relation).__name__}",
            "It is no neighbour relation, so no claim can be made.",
            "Relation.ADD_REMOVE or Relation.REPLACE.",
        )
