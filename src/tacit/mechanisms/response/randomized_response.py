"""Randomized responses: each person's answer is randomised before it is sent. The base, and the K-ary response."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from functools import cached_property
from math import nextafter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tacit.errors import Refused
from tacit.exact import Number, positive, probability, proper, whole
from tacit.frozen import frozen
from tacit.loss.families.curve import float_up
from tacit.loss.families.loss import Relation
from tacit.loss.families.precision import sharp
from tacit.loss.pairs.finite_pair import FinitePair
from tacit.loss.pairs.response_pairs import kary_response
from tacit.mechanisms.inputs import in_steps
from tacit.mechanisms.mechanism import Answer, Mechanism, cost
from tacit.mechanisms.response.proportion import Share, longest_reach
from tacit.noise.ball import Ball, ball, up
from tacit.noise.bits import Bits, Integers
from tacit.noise.uniform import Coin, UniformBelow


class Response(Mechanism[ArrayLike, "Report"]):
    """A local randomizer: each answer becomes a report that could have come from any other answer.

    Claim, for each subclass: the loss is that of one person's report when that person's true answer is replaced by any
    other; no curator needs to be trusted. Answers are bools, or integers from 0 to options − 1 (one beyond counts as
    the nearest), one for each respondent, and every respondent's randomness is independent.
    """

    relation = Relation.REPLACE

    @property
    @abstractmethod
    def options(self) -> int:
        """How many answers there are."""

    @abstractmethod
    def probability(self, answer: int, report: int) -> Ball:
        """P(report | answer), exactly."""

    @abstractmethod
    def hit(self, option: int = 1) -> Ball:
        """The probability that a report counts for this option if it is the true answer."""

    @abstractmethod
    def stray(self, option: int = 1) -> Ball:
        """The probability that a report counts for this option if any other is the true answer."""

    @abstractmethod
    def randomize(self, answers: Integers, bits: Bits) -> Integers:
        """A report for each answer."""

    def tally(self, reports: ArrayLike, option: int = 1) -> int:
        """How many of the reports count for an option."""
        return int(np.count_nonzero(np.asarray(reports) == option))

    def estimate(self, reports: ArrayLike, option: int = 1) -> Share:
        """An unbiased estimate of the share of the population with this option as true answer."""
        asked = whole(option, "option")
        if not (asked < self.options and np.size(reports) > 0):
            raise Refused("an estimate", "There is no such option, or no report.", "reports, and one of the options.")
        return Share(self.tally(reports, asked), int(np.size(reports)), self, asked)

    def histogram(self, reports: ArrayLike) -> tuple[Share, ...]:
        """The estimated share of every option."""
        return tuple(self.estimate(reports, option) for option in range(self.options))

    def variance(self, share: Number, people: int, option: int = 1) -> float:
        """The variance of the estimate for people drawn from a population with this true share.

        A report counts for the option with probability λ = stray + (hit − stray)·share, the count is binomial, and
        the estimate is (count/n − stray)/(hit − stray): the variance is λ(1−λ)/(n·(hit − stray)²).
        """
        true_share, n = float(probability(share, "share")), whole(people, "people", 1)
        stray = float(sharp(lambda: self.stray(option)))
        contrast = float(sharp(lambda: self.hit(option) - self.stray(option)))
        rate = stray + contrast * true_share
        return rate * (1 - rate) / (n * contrast**2)

    def error(self, confidence: Number = "0.95", people: int = 1) -> float:
        """The largest distance between the estimate from so many reports and the true share, for any share.

        It is the largest distance from an estimate to an end of its exact interval, over all counts; that interval
        contains the true share with this confidence. (hit − stray is the same for all options.)
        """
        miss = (1 - proper(confidence, "confidence")) / 2
        reach = longest_reach(whole(people, "people", 1), miss)
        return up(reach / sharp(lambda: abs(self.hit() - self.stray())))

    def privatize(self, value: ArrayLike, bits: Bits) -> Any:
        try:
            array = np.asarray(value)
        except ValueError:
            raise Refused("answers of uneven length", "They are no array.", "one answer, or a list of them.") from None
        answers = array.astype(np.int64) if array.dtype.kind == "b" else in_steps(value, None)
        reports = self.randomize(np.clip(answers, 0, self.options - 1).ravel(), bits).reshape(answers.shape)
        return reports if reports.ndim else int(reports)

    def answer(self, private: Any) -> Report:
        return Report(private, self)


class Report(Answer):
    """One report or many, as they leave the respondents."""

    mechanism: Response

    def error(self, confidence: Number = "0.95") -> float:
        return self.mechanism.error(confidence, int(np.size(self.value)))

    def interval(self, confidence: Number = "0.95") -> tuple[Any, Any]:
        """The interval of the share of option 1."""
        return self.mechanism.estimate(self.value).interval(confidence)

    def describe(self, confidence: Number = "0.95") -> str:
        """A single report as it is; for many reports, the estimated share of option 1."""
        bare = nextafter(float_up(self.loss.core()[0]), 1)
        price = f"cost to each respondent {cost(self.loss, max(1e-6, bare))}"
        if not np.ndim(self.value):
            return f"{self.value}  ({price})"
        if not np.size(self.value):
            return f"no report  ({price})"
        return f"{np.size(self.value):,} reports: {self.mechanism.estimate(self.value).describe(confidence)}  ({price})"


_MOST = 1 << 62


@frozen
class Honesty(Coin):
    """A coin with odds e^ε to `others`: it is 1 with probability 1/(1 + others·e^−ε)."""

    epsilon: Fraction
    others: int = 1

    def bias(self) -> Ball:
        return 1 / (1 + self.others * (-ball(self.epsilon)).exp())


@frozen
class Kary(Response):
    """Reports the true option with probability e^ε/(e^ε+K−1), and each other one with 1/(e^ε+K−1).

    Claim, for the replacement of one respondent's answer: the report is ε-private, and no better. Proof: any two
    probabilities of one report are equal or have ratio e^ε. With p₀ = 1/(e^ε+K−1), the share of option k is estimated
    by (N_k/n − p₀)/(p₀(e^ε−1)).
    """

    epsilon: Fraction
    options: int = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        object.__setattr__(self, "options", whole(self.options, "options", 2))
        if not self.options <= _MOST:
            raise Refused(f"{self.options} options", "64 bits do not hold them.", f"options ≤ {_MOST}.")

    @cached_property
    def loss(self) -> FinitePair:
        return kary_response(self.epsilon, self.options)

    def hit(self, option: int = 1) -> Ball:
        return Honesty(self.epsilon, self.options - 1).bias()

    def stray(self, option: int = 1) -> Ball:
        return (1 - self.hit()) / (self.options - 1)

    def probability(self, answer: int, report: int) -> Ball:
        return self.hit() if answer == report else self.stray()

    def randomize(self, answers: Integers, bits: Bits) -> Integers:
        honest = Honesty(self.epsilon, self.options - 1).draw(answers.size, bits)
        other = UniformBelow(self.options - 1).draw(answers.size, bits)
        return np.where(honest, answers, other + (other >= answers))
