"""Subset selection as a poll: the device sends a set of options that holds the true one more often than any other."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

from numpy.typing import ArrayLike

from tacit.errors import Refused
from tacit.exact import Number
from tacit.frozen import frozen
from tacit.local.frequencies.subset import SubsetOracle
from tacit.local.polls.asking import Group, Part, Wording
from tacit.local.polls.channel import Channel
from tacit.local.polls.designs.chance import odds_by_hand
from tacit.local.polls.designs.design import Design, option_count
from tacit.local.polls.finding import Finding
from tacit.local.polls.intervals.method import Method
from tacit.local.polls.prevalence import Prevalence
from tacit.local.polls.protection import Protection
from tacit.local.polls.reading import read_reports
from tacit.local.randomizers.subset import SubsetSelection


@frozen
class SetOfMany(Design):
    """Of all ε-private reports the one with the least mean variance: see `SubsetSelection` for the claim."""

    title: ClassVar[str] = "Subset selection"
    response: SubsetSelection

    @classmethod
    def within(cls, epsilon: Number, options: int) -> SetOfMany:
        """Sets of the exactly best size, with the largest odds that ε permits."""
        return cls(SubsetOracle.within(epsilon, options).device)

    @cached_property
    def channel(self) -> Channel:
        """How often a set holds a given option if that is the answer, and if another is."""
        oracle = SubsetOracle(self.response.options, self.response.size, self.response.odds)
        return Channel(oracle.hit, oracle.stray)

    @cached_property
    def protection(self) -> Protection:
        return Protection(self.response.loss)

    def estimate(
        self, reports: Sequence[Sequence[int] | None], weights: ArrayLike | None = None
    ) -> tuple[Prevalence, ...]:
        """The share of every option; a report lists the places of its options, from 0."""
        size, options = self.response.size, self.response.options
        for report in reports:
            if report is not None and not (len(set(report)) == size and set(report) <= set(range(options))):
                raise Refused("reports", "One of them is no set of this design.", f"{size} of 0 to {options - 1}.")
        return tuple(
            Prevalence.heard(
                self.channel,
                read_reports([None if report is None else option in report for report in reports], weights),
            )
            for option in range(options)
        )

    def findings(
        self, wording: Wording, answers: Sequence[tuple[int, Any]], weights: ArrayLike | None = None
    ) -> tuple[Finding, ...]:
        found = self.estimate([report for _, report in answers], weights)
        return tuple(Finding(option, share) for option, share in zip(wording.options, found, strict=True))

    def people_for(
        self, width: Number, confidence: Number = "0.95", share: Number | None = None, method: Method = Method.EXACT
    ) -> int:
        """How many people to ask so that no option's interval is wider."""
        return self.channel.people_for(width, confidence, share, method)

    def describe(self) -> str:
        return f"{self.title}, sets of {self.response.size} of {self.response.options} options"

    def groups(self, wording: Wording) -> tuple[Group, ...]:
        option_count(wording, self.response.options)
        hides = (
            f"{self.response.size} options are sent. Yours may or may not be among them, and nobody can tell which "
            f"it is. {self.protection.plainly('two answers')}"
        )
        nearest = odds_by_hand(self.response.odds, self.response.options)
        by_hand = f"--design kary {nearest}" if nearest else ""
        return (Group((Part(wording.text, wording.options),), self.response, "", hides, by_hand=by_hand),)
