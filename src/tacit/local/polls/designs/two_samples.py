"""Designs with a second sample, which is asked the innocuous question alone; and the unrelated question.

In the unrelated question a coin that only the respondent sees decides which of two questions is answered.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import ceil, sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tacit.errors import Refused
from tacit.exact import Number, probability, proper
from tacit.frozen import frozen
from tacit.local.polls.designs.design import Design, OneSample, Protection, by_group
from tacit.local.polls.designs.wording import YES_NO, Group, QuestionPart, Wording, draw_words, whole_percent
from tacit.local.polls.estimation.prevalence import PollFinding, share_words, weighted_rate
from tacit.local.polls.estimation.rate_interval import Method, two_sided
from tacit.local.polls.estimation.two_rates import Blend, TwoCounts, blend_surprise, score_interval
from tacit.local.polls.estimation.yes_no_channel import Heard, YesNoChannel, read_reports
from tacit.local.randomizers.randomizer import WeightTable
from tacit.loss.pairs.response_pairs import forced_response


class TwoSamples(Design):
    """Group 0 answers by the design; group 1 is asked the innocuous question alone. The groups are disjoint."""

    @property
    @abstractmethod
    def blend(self) -> Blend:
        """The rate of yes in group 0 as a function of the unknown shares."""

    @abstractmethod
    def variance(self, share: float, other: float, people: float, others: float) -> float:
        """The variance of the estimate, at this share and innocuous prevalence, by the delta method."""

    def estimate(self, reports: Sequence[Any] | ArrayLike, others: Sequence[Any] | ArrayLike) -> JointPrevalence:
        """The share of yes, from the reports of both groups: 1 (yes), 0 (no), None (missing)."""
        return self._heard(read_reports(reports), read_reports(others))

    def _heard(self, own: Heard, beside: Heard) -> JointPrevalence:
        counts = (int(own.reports.sum()), own.people, int(beside.reports.sum()), beside.people)
        return JointPrevalence(self, *counts, own.missing + beside.missing, _weighted(own), _weighted(beside))

    def findings(
        self, wording: Wording, answers: Sequence[tuple[int, Any]], weights: ArrayLike | None = None
    ) -> tuple[PollFinding, ...]:
        return (PollFinding(wording.options[1], self._heard(*by_group(answers, weights, (1, 1)))),)

    def people_for(
        self, width: Number, confidence: Number = "0.95", share: Number = "1/2", prevalence: Number = "1/4"
    ) -> int:
        """How many people to ask in all, half of them in each group, for an interval of this width."""
        wanted, miss = float(proper(width, "width")), float(1 - proper(confidence, "confidence"))
        pi, u = float(probability(share, "share")), float(proper(prevalence, "prevalence"))
        return ceil(2 * self.variance(pi, u, 1, 1) * (2 * two_sided(miss) / wanted) ** 2)

    def second_sample(self, wording: Wording) -> Group:
        words = f"Answer this question truthfully: {wording.beside()}"
        return Group((QuestionPart(wording.beside(), YES_NO),), None, words, asks=False)


def _weighted(heard: Heard) -> tuple[float, float] | None:
    if heard.weights is None:
        return None
    return weighted_rate(heard.reports.astype(np.float64), heard.weights)


def _even(yes: int, people: int, weighted: tuple[float, float] | None) -> tuple[float, float]:
    """The counts of yes and of people; with weights, those of an equivalent number of even reports."""
    return (float(yes), float(people)) if weighted is None else (weighted[0] * weighted[1], weighted[1])


@frozen
class JointPrevalence:
    """An estimated share, from the counts of yes in both groups.

    With survey weights, each group's rate is the weighted one, and its number that of as many even reports as vary as
    much (see `Prevalence`): intervals are those of polls of these sizes.
    """

    design: TwoSamples
    yes: int
    people: int
    other_yes: int
    others: int
    missing: int = 0
    weighted: tuple[float, float] | None = None
    """The weighted rate and the effective number of the first group; then of the other."""
    other_weighted: tuple[float, float] | None = None

    @property
    def value(self) -> float:
        """Consistent; unbiased where the design is linear in u."""
        counts = self._counts
        return float(self.design.blend.share(counts.rate, counts.other)[0]) if counts.other[0] < 1 else 0.0

    @property
    def standard_error(self) -> float:
        """The root of the delta method's variance at the estimates."""
        counts = self._counts
        inner = min(1 - 1e-9, max(1e-9, float(counts.other[0])))
        share = min(1.0, max(0.0, self.value))
        return sqrt(max(0.0, self.design.variance(share, inner, counts.people, counts.other_people)))

    def interval(self, confidence: Number = "0.95", method: Method = Method.SCORE) -> tuple[float, float]:
        """By score, or asymptotic."""
        miss = float(1 - proper(confidence, "confidence"))
        if method is Method.EXACT:
            raise Refused(
                "an exact interval from two samples",
                "The innocuous prevalence is unknown, and guarding against all of them makes it far too wide.",
                "method score (95% on average), or a design with a known prevalence.",
            )
        if method is Method.ASYMPTOTIC:
            reach = two_sided(miss) * self.standard_error
            return max(0.0, self.value - reach), min(1.0, self.value + reach)
        low, high = score_interval(self.design.blend, self._counts, miss)
        return float(low[0]), float(high[0])

    def surprise(self) -> float:
        """As in `Prevalence`, for any innocuous prevalence: see `blend_surprise`."""
        own, other = (self.yes, self.people), (self.other_yes, self.others)
        return blend_surprise(self.design.blend, float(self.value > 0), own, other, is_low=self.value < 0)

    def describe(self, confidence: Number = "0.95", method: Method = Method.SCORE) -> str:
        heard = f"{self.people:,} and {self.others:,} answers" + (f", {self.missing:,} missing" if self.missing else "")
        return f"{share_words(self, confidence, self.interval(confidence, method))} ({heard})"

    def tally(self) -> dict[str, Any]:
        return {
            "answers": [self.people, self.others],
            "missing": self.missing,
            "count": [self.yes, self.other_yes],
        }

    def __str__(self) -> str:
        return self.describe()

    @property
    def _counts(self) -> TwoCounts:
        yes, people = _even(self.yes, self.people, self.weighted)
        other_yes, others = _even(self.other_yes, self.others, self.other_weighted)
        return TwoCounts(np.array([yes]), people, np.array([other_yes]), others)


_BECAUSE = "whoever knows that the innocuous answer is no learns from a yes that the sensitive one is yes"


@frozen
class Unrelated(OneSample):
    """The sensitive question with probability p, else an innocuous one with known prevalence u (Greenberg 1969).

    λ = pπ + (1−p)u. Claim: against an adversary who does not know the innocuous answer, and if it is unrelated, the
    report is that of a forced response with yes (1−p)u and no (1−p)(1−u); against one who knows it, ε is infinite.
    """

    title: ClassVar[str] = "Unrelated question"
    sensitive: Fraction
    prevalence: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "sensitive", proper(self.sensitive, "sensitive"))
        object.__setattr__(self, "prevalence", proper(self.prevalence, "prevalence"))

    @property
    def channel(self) -> YesNoChannel:
        stray = (1 - self.sensitive) * self.prevalence
        return YesNoChannel(self.sensitive + stray, stray)

    @cached_property
    def protection(self) -> Protection:
        yes = (1 - self.sensitive) * self.prevalence
        unknowing = forced_response(self.sensitive, yes, 1 - self.sensitive - yes)
        return Protection(None, _BECAUSE, unknowing)

    def describe(self) -> str:
        known = f"innocuous yes with prevalence {self.prevalence}"
        return f"{self.title}, the sensitive one with probability {self.sensitive}, {known}"

    def groups(self, wording: Wording) -> tuple[Group, ...]:
        return (_either(self.sensitive, wording),)


@frozen
class UnrelatedEstimated(TwoSamples):
    """The same with u estimated from a second sample that is asked the innocuous question alone.

    π̂ = (λ̂ − (1−p)û)/p, with variance λ(1−λ)/(np²) + ((1−p)/p)²·u(1−u)/m.
    """

    title: ClassVar[str] = "Unrelated question, prevalence estimated"
    sensitive: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "sensitive", proper(self.sensitive, "sensitive"))

    @property
    def blend(self) -> Blend:
        return Blend(float(self.sensitive), float(1 - self.sensitive), 0.0)

    @property
    def protection(self) -> Protection:
        return Protection(None, _BECAUSE)

    def variance(self, share: float, other: float, people: float, others: float) -> float:
        p = float(self.sensitive)
        rate = p * share + (1 - p) * other
        return rate * (1 - rate) / (people * p * p) + ((1 - p) / p) ** 2 * other * (1 - other) / others

    def describe(self) -> str:
        return f"{self.title}, the sensitive one with probability {self.sensitive}"

    def groups(self, wording: Wording) -> tuple[Group, ...]:
        return _either(self.sensitive, wording), self.second_sample(wording)


def _either(sensitive: Fraction, wording: Wording) -> Group:
    """Both are answered on the device, which sends one: rows are (sensitive, innocuous) = 00, 01, 10, 11."""
    p = sensitive
    table = WeightTable.of([[1, 0], [p, 1 - p], [1 - p, p], [0, 1]])
    outcomes = [("tick your true answer to question a.", p), ("tick your true answer to question b.", 1 - p)]
    drawn = draw_words(outcomes)
    words = f"a) {wording.text}\nb) {wording.beside()}\n{drawn}" if drawn else ""
    hides = (
        f"If a “{wording.options[1]}” comes in from you, nobody can tell which of the two questions it answers. But "
        "whoever knows that your answer to the second is no learns from a yes that your answer to the first is yes."
    )
    parts = (QuestionPart(wording.text, wording.options), QuestionPart(wording.beside(), YES_NO))
    return Group(parts, table, words, hides, by_hand=f"--sensitive {whole_percent(p)}")
