"""The base of every mechanism: how it releases one value, the privacy loss, and the error."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

from tacit.errors import Refused
from tacit.exact import Number
from tacit.loss.families.loss import Loss, Relation
from tacit.mechanisms.answer import Answer
from tacit.noise.bits import Bits, Rehearsal
from tacit.noise.entropy import ENTROPY
from tacit.noise.grid import check_grid

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
