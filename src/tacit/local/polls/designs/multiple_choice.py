"""Multiple-choice designs: K-ary response, and subset selection.

K-ary response reports one of several options, the true one likelier than each other. Subset selection sends a set of
options that contains the true one more often than any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from numpy.typing import ArrayLike

from tacit.errors import Refused
from tacit.exact import Number, proper, whole
from tacit.frozen import frozen
from tacit.local.frequencies.block_design import KaryOracle
from tacit.local.frequencies.set_reports import SubsetOracle
from tacit.local.polls.designs.design import Design, Protection, option_count
from tacit.local.polls.designs.wording import (
    Group,
    QuestionPart,
    Wording,
    draw_words,
    nobody_can_tell,
    odds_by_hand,
    tool,
)
from tacit.local.polls.estimation.prevalence import PollFinding, Prevalence
from tacit.local.polls.estimation.rate_interval import Method
from tacit.local.polls.estimation.yes_no_channel import YesNoChannel, read_reports
from tacit.local.randomizers.subset_selection import KaryResponse, SubsetSelection


@frozen
class OneOfMany(Design):
    """The true option with odds r : 1 against each other one (the notes' 7.32): see `KaryResponse` for the claim."""

    title: ClassVar[str] = "K-ary response"
    response: KaryResponse

    @classmethod
    def within(cls, epsilon: Number, options: int) -> OneOfMany:
        """The response with the largest odds that ε permits."""
        return cls(KaryResponse.within(epsilon, options))

    @classmethod
    def truthful(cls, truth: Number, options: int) -> OneOfMany:
        """The response that is the true option with this probability, and each other one equally often."""
        share, known = proper(truth, "truth"), whole(options, "options", 2)
        if not share > Fraction(1, known):
            asked, why = f"truth = {share} for {known} options", "The true option must be likelier than each other one."
            raise Refused(asked, why, f"truth > 1/{known}.")
        return cls(KaryResponse(known, share * (known - 1) / (1 - share)))

    @property
    def channel(self) -> YesNoChannel:
        """The probabilities that a report is a given option if that is the answer, and if another is."""
        return YesNoChannel(self.response.probability(0, 0), self.response.probability(1, 0))

    @cached_property
    def protection(self) -> Protection:
        return Protection(self.response.loss)

    @property
    def optimality(self) -> str:
        return KaryOracle(self.response.options, self.response.odds).optimality

    def estimate(self, reports: Sequence[Any] | ArrayLike, weights: ArrayLike | None = None) -> tuple[Prevalence, ...]:
        """The share of every option; reports are the options' indices, from 0."""
        heard = read_reports(reports, weights, self.response.options - 1)
        return tuple(Prevalence.heard(self.channel, heard, option) for option in range(self.response.options))

    def findings(
        self, wording: Wording, answers: Sequence[tuple[int, Any]], weights: ArrayLike | None = None
    ) -> tuple[PollFinding, ...]:
        found = self.estimate([report for _, report in answers], weights)
        return tuple(PollFinding(option, share) for option, share in zip(wording.options, found, strict=True))

    def together(self, confidence: Number = "0.95") -> Number:
        """The confidence of each interval such that all hold together with this one (Bonferroni)."""
        return 1 - (1 - proper(confidence, "confidence")) / self.response.options

    def people_for(
        self, width: Number, confidence: Number = "0.95", share: Number | None = None, method: Method = Method.EXACT
    ) -> int:
        """How many people to ask so that no option's interval is wider."""
        return self.channel.people_for(width, confidence, share, method)

    def describe(self) -> str:
        truth = self.channel.hit
        shown = truth if truth.denominator <= 1000 else f"{float(truth):.6g}"
        return f"{self.title}, {self.response.options} options, truth with probability {shown}"

    def groups(self, wording: Wording) -> tuple[Group, ...]:
        option_count(wording, self.response.options)
        keep = 1 - self.response.options * self.channel.stray
        other = (1 - keep) / self.response.options
        forced = [(f"tick “{option}”, whatever is true.", other) for option in wording.options]
        words = draw_words([("tick your true answer.", keep), *forced])
        hides, on_paper = (
            f"{nobody_can_tell(wording, drawn)} {self.protection.plainly('two answers')}"
            for drawn in ("chance", tool(words))
        )
        nearest = odds_by_hand(self.response.odds, self.response.options)
        by_hand = f"--design kary {nearest}" if nearest else ""
        parts = (QuestionPart(wording.text, wording.options),)
        return (Group(parts, self.response, words, hides, hides_on_paper=on_paper, by_hand=by_hand),)


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
    def channel(self) -> YesNoChannel:
        """The probabilities that a set contains a given option if that is the answer, and if another is."""
        return YesNoChannel(self._oracle.hit, self._oracle.stray)

    @property
    def _oracle(self) -> SubsetOracle:
        return SubsetOracle(self.response.options, self.response.size, self.response.odds)

    @cached_property
    def protection(self) -> Protection:
        return Protection(self.response.loss)

    @property
    def optimality(self) -> str:
        return self._oracle.optimality

    def estimate(
        self, reports: Sequence[Sequence[int] | None], weights: ArrayLike | None = None
    ) -> tuple[Prevalence, ...]:
        """The share of every option; a report lists the indices of its options, from 0."""
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
    ) -> tuple[PollFinding, ...]:
        found = self.estimate([report for _, report in answers], weights)
        return tuple(PollFinding(option, share) for option, share in zip(wording.options, found, strict=True))

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
        return (Group((QuestionPart(wording.text, wording.options),), self.response, "", hides, by_hand=by_hand),)
