"""The share of a population that an answer is true of, as randomized reports tell it."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from typing import Protocol

from tacit.exact import Number, proper
from tacit.frozen import frozen
from tacit.loss.sharp import sharp
from tacit.mechanisms.answer import percent
from tacit.mechanisms.response.clopper_pearson import lower_end, upper_end
from tacit.noise.ball import Ball, ball, down, precision, up


class Channel(Protocol):
    """What must be known of a response: how often a report counts for the true option, and for another."""

    def hit(self, option: int = 1) -> Ball: ...

    def stray(self, option: int = 1) -> Ball: ...


@frozen
class Share:
    """An estimated share: how many of the reports count for it, and the response they went through."""

    count: int
    people: int
    response: Channel
    option: int = 1

    @property
    def value(self) -> float:
        """(count/n − stray)/(hit − stray): unbiased, and so not always within [0, 1]."""
        rate = Fraction(self.count, self.people)
        return float(sharp(lambda: (ball(rate) - self.response.stray(self.option)) / self._contrast()))

    @property
    def standard_error(self) -> float:
        """The square root of the unbiased estimate of the estimate's variance; `inf` for a single report."""
        if self.people == 1:
            return float("inf")
        rate = self.count / self.people
        return sqrt(rate * (1 - rate) / (self.people - 1)) / abs(float(sharp(self._contrast)))

    def interval(self, confidence: Number = "0.95") -> tuple[float, float]:
        """Clopper and Pearson's exact interval of the reports' rate, read back as a share and cut to [0, 1].

        Claim: for respondents drawn independently from the population it holds the true share with at least this
        probability. Proof: the count is binomial, and the share a monotone function of its rate.
        """
        miss = (1 - proper(confidence, "confidence")) / 2
        with precision(96):
            ends = [
                (ball(end(self.count, self.people, miss)) - self.response.stray(self.option)) / self._contrast()
                for end in (lower_end, upper_end)
            ]
            return min(1.0, max(0.0, min(map(down, ends)))), max(0.0, min(1.0, max(map(up, ends))))

    def describe(self, confidence: Number = "0.95") -> str:
        """Value and interval, in one line."""
        low, high = self.interval(confidence)
        return f"{self.value:.1%}, {percent(confidence)} interval {low:.1%} to {high:.1%}"

    def __str__(self) -> str:
        return self.describe()

    def _contrast(self) -> Ball:
        return self.response.hit(self.option) - self.response.stray(self.option)
