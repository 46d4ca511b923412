"""Noise added to numbers: integers as they are, real numbers after rounding to a public grid."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from functools import lru_cache
from typing import Any

from numpy.typing import ArrayLike

from tacit.errors import Refused
from tacit.exact import Number, positive, proper, whole
from tacit.frozen import frozen
from tacit.loss.relation import Relation
from tacit.mechanisms.additive.held_answer import HeldAnswer
from tacit.mechanisms.answer import Answer
from tacit.mechanisms.mechanism import Mechanism
from tacit.mechanisms.steps import farthest, in_steps
from tacit.noise.bits import Bits
from tacit.noise.grid import Grid
from tacit.noise.slabs import AdditiveLaw


@frozen
class Additive(Mechanism[ArrayLike, Answer]):
    """A mechanism that adds independent integer noise, in steps of a grid, to every coordinate.

    Without a grid the query is integer-valued and the step is 1. With one, real values are rounded to it first,
    and the sensitivity in steps accounts for the rounding of up to `dimension` coordinates. Values beyond `farthest`
    count as the end of what is held, and the answer says so where it comes near that; NaN counts as zero, which no
    answer can tell.
    """

    sensitivity: Fraction
    relation: Relation
    grid: Grid | None = None
    dimension: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "sensitivity", positive(self.sensitivity, "sensitivity"))
        object.__setattr__(self, "dimension", whole(self.dimension, "dimension", 1))
        if self.grid is None and not self.sensitivity >= 1:
            raise Refused(
                f"a sensitivity of {self.sensitivity} for an integer-valued query",
                "Integers that differ at all differ by at least 1.",
                "sensitivity ≥ 1; or a grid, for a real-valued query.",
            )

    @property
    def step(self) -> Fraction:
        return Fraction(1) if self.grid is None else self.grid.step

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

    def answer(self, private: Any) -> Answer:
        return HeldAnswer(private, self)

    @property
    def farthest(self) -> float:
        """The largest value that is held for certain."""
        return farthest(self.grid)

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
