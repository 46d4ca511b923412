"""The base of poll designs: questions, estimates, and protection.

The protection names the adversary it holds against: an ε, or the reason why there is none.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tacit.errors import Refused
from tacit.exact import Number
from tacit.frozen import frozen
from tacit.local.least_noise import yes_no_words
from tacit.local.polls.designs.wording import Group, Wording
from tacit.local.polls.estimation.prevalence import PollFinding, Prevalence
from tacit.local.polls.estimation.rate_interval import Method
from tacit.local.polls.estimation.yes_no_channel import Heard, YesNoChannel, read_reports
from tacit.loss.families.loss import Loss
from tacit.loss.interpretation import guess_probability


class Design(ABC):
    """A way to ask one sensitive question. Subclasses are frozen and hold probabilities, never words or answers."""

    title: ClassVar[str]

    @property
    @abstractmethod
    def protection(self) -> Protection:
        """The protection of one report."""

    @property
    def optimality(self) -> str:
        """Its reports compared with the optimum at their ε; "" where no bound is known."""
        return ""

    @abstractmethod
    def groups(self, wording: Wording) -> tuple[Group, ...]:
        """The groups of respondents; several where a design needs two samples."""

    @abstractmethod
    def describe(self) -> str:
        """The design and its numbers, in one line."""

    @abstractmethod
    def findings(
        self, wording: Wording, answers: Sequence[tuple[int, Any]], weights: ArrayLike | None = None
    ) -> tuple[PollFinding, ...]:
        """The findings from answers, each a group and a report (None: left out), with a survey weight for each."""

    @abstractmethod
    def people_for(self, width: Number, confidence: Number = "0.95") -> int:
        """The number of people to ask for an interval of this width."""


class OneSample(Design):
    """A design whose reports are yes or no, each with a probability that depends on the respondent's answer alone."""

    @property
    @abstractmethod
    def channel(self) -> YesNoChannel:
        """The probabilities that a report is yes if the answer is yes, and if it is no."""

    @property
    def optimality(self) -> str:
        """The optimality; known where the report protects against anyone, so that its own odds are its ε."""
        return "" if self.protection.loss is None else yes_no_words(self.channel.hit, self.channel.stray)

    def estimate(self, reports: Sequence[Any] | ArrayLike, weights: ArrayLike | None = None) -> Prevalence:
        """The share of yes, from reports 1 (yes), 0 (no) and None (missing)."""
        return Prevalence.of(self.channel, reports, weights)

    def findings(
        self, wording: Wording, answers: Sequence[tuple[int, Any]], weights: ArrayLike | None = None
    ) -> tuple[PollFinding, ...]:
        return (PollFinding(wording.options[1], self.estimate([report for _, report in answers], weights)),)

    def variance(self, share: Number, people: int) -> float:
        """The variance of the estimate, for so many people drawn from a population with this share."""
        return self.channel.variance(share, people)

    def people_for(
        self, width: Number, confidence: Number = "0.95", share: Number | None = None, method: Method = Method.EXACT
    ) -> int:
        """The number of people to ask so that the interval is no wider."""
        return self.channel.people_for(width, confidence, share, method)


def option_count(wording: Wording, options: int) -> None:
    """Refuse a wording with another number of options than the design has."""
    if len(wording.options) != options:
        raise Refused(
            f"{len(wording.options)} options", f"The design is for {options}.", f"options = [ … ] with {options} texts."
        )


def by_group(
    answers: Sequence[tuple[int, Any]], weights: ArrayLike | None, most: tuple[int, int]
) -> tuple[Heard, Heard]:
    """The reports of group 0 and those of group 1, each with its weights, and at most so large."""
    load = None if weights is None else np.asarray(weights, np.float64).ravel()
    if load is not None and load.size != len(answers):
        raise Refused("survey weights", "They do not fit the reports.", "one weight a report.")
    ours = [np.array([group == which for group, _ in answers], bool) for which in (0, 1)]
    own, beside = (
        read_reports([report for group, report in answers if group == which], None if load is None else load[mask], top)
        for which, (mask, top) in enumerate(zip(ours, most, strict=True))
    )
    return own, beside


@frozen
class Protection:
    """The loss of one report against anyone.

    Where that is infinite, the reason, and the ε against less informed adversaries.
    """

    loss: Loss | None
    because: str = ""
    unknowing: Loss | None = None
    """The loss against an adversary who does not know the answer to the innocuous question."""

    @property
    def epsilon(self) -> float:
        """ε against anyone: rounded up, `inf` where a report can give its sender away."""
        return math.inf if self.loss is None else self.loss.epsilon(0)

    def __str__(self) -> str:
        if self.loss is not None:
            return f"ε = {named(self.epsilon)}"
        if self.unknowing is None:
            return f"ε infinite, because {self.because}"
        return (
            f"ε infinite, because {self.because}; against all others ε = {named(self.unknowing.epsilon(0))} "
            "(if the two answers of a person are unrelated)"
        )

    def plainly(self, answers: str = "both answers", seen: str = "it") -> str:
        """The protection in words for a respondent: odds first, ε last; "" where no odds hold against everyone."""
        if self.loss is None:
            return ""
        sure = math.ceil(round(1000 * guess_probability(self.loss), 6)) / 10  # 0.8 in floats is more, not 80.1%
        return (
            f"Whoever sees {seen}, and thought {answers} equally likely before, then has odds of at most "
            f"{odds_words(self.epsilon)} on one of them, and is right at most {sure:g}% of the time: {self}."
        )


def odds_words(epsilon: float) -> str:
    """The odds e^ε : 1 in words, rounded up: “3 to 1”."""
    odds = math.exp(min(epsilon, 700.0))
    if abs(odds - round(odds)) < 1e-9 * odds:
        return f"{round(odds)} to 1"
    return f"{math.ceil(odds * 10) / 10:,} to 1" if odds < 100 else f"{math.ceil(odds):,} to 1"


def named(epsilon: float) -> str:
    """An ε as text: ln of a whole number where it is one, else to four digits."""
    odds = math.exp(min(epsilon, 30))
    if odds > 1.5 and abs(odds - round(odds)) < 1e-9 * odds:
        return f"ln {round(odds)} ({epsilon:.4g})"
    return f"{epsilon:.4g}"
