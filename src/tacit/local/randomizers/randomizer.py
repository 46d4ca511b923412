"""What every local randomizer is: a table of exact probabilities, of reports given answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Generic, TypeVar

from tacit.errors import Refused
from tacit.exact import whole
from tacit.loss.families.loss import Loss, Relation
from tacit.noise.bits import Bits, Rehearsal
from tacit.noise.entropy import ENTROPY
from tacit.noise.uniform import UniformBelow

Report = TypeVar("Report")


class Randomizer(ABC, Generic[Report]):
    """One person's answer, from 0 to answers − 1, becomes a report.

    Claim, for the replacement of that person's answer by any other: `loss`. All probabilities are fractions, so that a
    test can hold P(report | answer) ≤ e^ε·P(report | other) over the whole alphabet without rounding. Randomness comes
    as uniform integers below a bound, and nothing else: the browser's module draws the same integers from the same
    bytes, and so makes the same report.
    """

    relation = Relation.REPLACE

    @property
    @abstractmethod
    def answers(self) -> int:
        """How many answers there are."""

    @property
    @abstractmethod
    def loss(self) -> Loss:
        """What one report costs its respondent."""

    @abstractmethod
    def alphabet(self) -> Iterator[Report]:
        """Every report there is."""

    @abstractmethod
    def probability(self, answer: int, report: Report) -> Fraction:
        """P(report | answer)."""

    @abstractmethod
    def draw(self, answer: int, bits: Bits) -> Report:
        """The report of an answer, from these bits. Callers want `report`."""

    @abstractmethod
    def written(self) -> dict[str, Any]:
        """How a device is told: JSON, integers beyond 2^53 as text."""

    def report(self, answer: int) -> Report:
        """What the person with this answer sends, from the operating system's entropy. There is no seed."""
        return self.draw(self._checked(answer), ENTROPY)

    def rehearse(self, answer: int, bits: Rehearsal) -> Report:
        """The same on scripted or seeded bits, for tests and simulations: not private."""
        if not isinstance(bits, Rehearsal):
            raise Refused(
                f"a rehearsal on {type(bits).__name__}",
                "A rehearsal is repeatable and must not look like a release.",
                "a Rehearsal source such as Seeded(1); or report(answer), which takes no source.",
            )
        return self.draw(self._checked(answer), bits)

    def _checked(self, answer: int) -> int:
        """The answer; one that does not exist is refused without being named."""
        known = whole(answer, "answer")
        if not known < self.answers:
            raise Refused("an answer that is none of those offered", "It has no report.", f"0 to {self.answers - 1}.")
        return known


def below(bound: int, bits: Bits) -> int:
    """A uniform integer in [0, bound): ⌊bit length/8⌋+1 bytes, most significant first; anew if in the remainder."""
    return UniformBelow(bound).draw_integer(bits)
