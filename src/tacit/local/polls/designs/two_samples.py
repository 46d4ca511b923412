"""Designs that need a second sample: who else is asked the innocuous question alone."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from math import ceil, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tacit.errors import Refused
from tacit.exact import Number, probability, proper
from tacit.frozen import frozen
from tacit.local.polls.asking import YES_NO, Group, Part, Wording
from tacit.local.polls.designs.design import Design, by_group
from tacit.local.polls.finding import Finding
from tacit.local.polls.intervals.approximate import two_sided
from tacit.local.polls.intervals.method import Method
from tacit.local.polls.intervals.two_rates import Blend, TwoCounts, score_interval
from tacit.local.polls.reading import read_reports
from tacit.mechanisms.answer import percent


class TwoSamples(Design):
    """Group 0 answers by the design; group 1 is asked the innocuous question alone. Nobody is in both."""

    @property
    @abstractmethod
    def blend(self) -> Blend:
        """How the rate of yes in group 0 comes about."""

    @abstractmethod
    def variance(self, share: float, other: float, people: int, others: int) -> float:
        """Of the estimate, at this share and innocuous prevalence, by the delta method."""

    def estimate(self, reports: Sequence[Any] | ArrayLike, others: Sequence[Any] | ArrayLike) -> JointPrevalence:
        """The share of yes, from the reports of both groups: 1 (yes), 0 (no), None (missing)."""
        own, beside = read_reports(reports), read_reports(others)
        counts = (int(own.reports.sum()), own.people, int(beside.reports.sum()), beside.people)
        return JointPrevalence(self, *counts, own.missing + beside.missing)

    def findings(
        self, wording: Wording, answers: Sequence[tuple[int, Any]], weights: ArrayLike | None = None
    ) -> tuple[Finding, ...]:
        return (Finding(wording.options[1], self.estimate(*by_group(answers, weights))),)

    def people_for(
        self, width: Number, confidence: Number = "0.95", share: Number = "1/2", prevalence: Number = "1/4"
    ) -> int:
        """How many people to ask in all, half of them in each group, for an interval of this width."""
        wanted, miss = float(proper(width, "width")), float(1 - proper(confidence, "confidence"))
        pi, u = float(probability(share, "share")), float(proper(prevalence, "prevalence"))
        return ceil(2 * self.variance(pi, u, 1, 1) * (2 * two_sided(miss) / wanted) ** 2)

    def second_sample(self, wording: Wording) -> Group:
        words = f"Answer this question truthfully: {wording.beside()}"
        return Group((Part(wording.beside(), YES_NO),), None, words, asks=False)


@frozen
class JointPrevalence:
    """An estimated share, from the counts of yes in both groups."""

    design: TwoSamples
    yes: int
    people: int
    other_yes: int
    others: int
    missing: int = 0

    @property
    def value(self) -> float:
        """Consistent; unbiased where the design is linear in u."""
        counts = self._counts
        return float(self.design.blend.share(counts.rate, counts.other)[0]) if self.other_yes < self.others else 0.0

    @property
    def standard_error(self) -> float:
        """The root of the delta method's variance at the estimates."""
        inner = min(1 - 1e-9, max(1e-9, self.other_yes / self.others))
        share = min(1.0, max(0.0, self.value))
        return sqrt(max(0.0, self.design.variance(share, inner, self.people, self.others)))

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

    def describe(self, confidence: Number = "0.95", method: Method = Method.SCORE) -> str:
        low, high = self.interval(confidence, method)
        value = min(1.0, max(0.0, self.value))
        heard = f"{self.people:,} and {self.others:,} answers" + (f", {self.missing:,} missing" if self.missing else "")
        return f"{value:.1%}, {percent(confidence)} interval {low:.1%} to {high:.1%} ({heard})"

    def __str__(self) -> str:
        return self.describe()

    @property
    def _counts(self) -> TwoCounts:
        return TwoCounts(np.array([float(self.yes)]), self.people, np.array([float(self.other_yes)]), self.others)
