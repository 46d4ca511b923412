"""What every poll design is: how it asks, what it protects, and how its reports are read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from numpy.typing import ArrayLike

from tacit.exact import Number
from tacit.local.polls.asking import Group, Wording
from tacit.local.polls.channel import Channel
from tacit.local.polls.intervals.method import Method
from tacit.local.polls.prevalence import Prevalence
from tacit.local.polls.protection import Protection


class Design(ABC):
    """A way to ask one sensitive question. Subclasses are frozen and hold probabilities, never words or answers."""

    title: ClassVar[str]

    @property
    @abstractmethod
    def protection(self) -> Protection:
        """What one report gives away at most."""

    @abstractmethod
    def groups(self, wording: Wording) -> tuple[Group, ...]:
        """Who is asked what; several groups where a design needs two samples."""

    @abstractmethod
    def describe(self) -> str:
        """The design and its numbers, in one line."""

    def instructions(self, wording: Wording) -> str:
        """What to print for respondents who answer on paper."""
        groups = self.groups(wording)
        if len(groups) == 1:
            return groups[0].instructions
        return "\n\n".join(f"Sheet {letter}:\n{g.instructions}" for letter, g in zip("AB", groups, strict=True))


class OneSample(Design):
    """A design whose reports are yes or no, each with a probability that depends on the respondent's answer alone."""

    @property
    @abstractmethod
    def channel(self) -> Channel:
        """How often a report is yes if the answer is, and if not."""

    def estimate(self, reports: Sequence[Any] | ArrayLike, weights: ArrayLike | None = None) -> Prevalence:
        """The share of yes, from reports 1 (yes), 0 (no) and None (missing)."""
        return Prevalence.of(self.channel, reports, weights)

    def variance(self, share: Number, people: int) -> float:
        """Of the estimate, for so many people drawn from a population with this share."""
        return self.channel.variance(share, people)

    def people_for(
        self, width: Number, confidence: Number = "0.95", share: Number | None = None, method: Method = Method.EXACT
    ) -> int:
        """How many people to ask so that the interval is no wider."""
        return self.channel.people_for(width, confidence, share, method)
