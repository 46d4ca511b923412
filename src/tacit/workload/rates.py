"""The errors of k counting questions about n people by model of privacy, beside the known rates.

Neighbours differ in one person's record; n is public. An error is the half-width within which all k answers lie at once
with 95% confidence, as a share of n. Rates leave out constants and logarithms; least errors do not:

Claim (packing): an ε-private release whose k answers are all within w people of the truth, with confidence 1−β on
whatever data, has w ≥ m/2 for every m ≤ n with m < (j·ln 2 + ln(1−β))/ε, where j = min(k, log₂|X|) questions can be set
apart. Proof: a domain with 2^j records has j questions that tell all of them apart. Let D_s have m people of record s
and n−m of record 0. Truths of different s differ by m in some question, so with w < m/2 the sets A_s of good answers
are disjoint, and from D_0, which is m people away, 1 ≥ Σ_s P(A_s) ≥ 2^j·e^{−εm}(1−β).

Claim (two worlds): an (ε, δ)-private one has w ≥ m/2 for every m ≤ n with 1−β > e^{mε}β + δ(e^{mε}−1)/(e^ε−1). Proof: m
people who change one answer move its truth by m; with w < m/2 the good answers A of one world are misses in the other,
and group privacy bounds P(A) ≥ 1−β by e^{mε}·P′(A) + δ(e^{mε}−1)/(e^ε−1) with P′(A) ≤ β.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import log, sqrt
from typing import NamedTuple

from tacit.errors import Refused
from tacit.exact import positive, proper, whole
from tacit.frozen import frozen
from tacit.local.means.mean_estimate import population_error
from tacit.local.means.optimal_mean import best_mean
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.loss import Relation
from tacit.mechanisms.statistics.counts import Sensitivity, calibrated
from tacit.mechanisms.weights.online_weights import OnlineWeights
from tacit.noise.ball import START_BITS, Ball, ball, first_true, precision

CONFIDENCE = Fraction(19, 20)


class Reached(NamedTuple):
    """One model of privacy: the mechanism's error, the known rate, and a certified lower bound."""

    guarantee: str
    mechanism: str
    error: float
    formula: str
    rate: float
    least: float | None


@frozen
class Rates:
    """So many people and questions over a domain of so many records, at a price."""

    people: int
    questions: int
    epsilon: Fraction
    delta: Fraction
    domain: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "people", whole(self.people, "people", 1))
        object.__setattr__(self, "questions", whole(self.questions, "questions", 1))
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        object.__setattr__(self, "delta", proper(self.delta, "delta"))
        object.__setattr__(self, "domain", whole(self.domain, "domain", 2))
        if not self.questions <= self.people:
            raise Refused(
                f"{self.questions:,} questions to {self.people:,} people",
                "In the local model each is put to people of its own.",
                "at most as many questions as people.",
            )

    @property
    def rows(self) -> tuple[Reached, ...]:
        """The local model, pure ε, (ε, δ), and multiplicative weights."""
        return self.local(), self.pure(), self.approximate(), self.weights()

    def local(self) -> Reached:
        """Each question to n/k people, who report on it at ε: the best known report of a number in [−1, 1]."""
        sure = 1 - (1 - CONFIDENCE) / self.questions
        error = population_error(best_mean(self.epsilon), self.people // self.questions, sure) / 2
        rate = sqrt(self.questions / self.people) / float(self.epsilon)
        return Reached("local ε", "reports", float(error), "√k/(ε√n)", rate, None)

    def pure(self) -> Reached:
        """Laplace noise for all k together."""
        moved = Sensitivity(self.questions, self.questions)
        error = calibrated(Pure(self.epsilon), moved, Relation.REPLACE).error(CONFIDENCE, self.questions)
        rate = self.questions / (float(self.epsilon) * self.people)
        return Reached("ε", "Laplace", error / self.people, "k/(εn)", rate, self._share(least_pure(self)))

    def approximate(self) -> Reached:
        """Gaussian noise for all k together."""
        moved = Sensitivity(self.questions, self.questions)
        noise = calibrated(Approx(self.epsilon, self.delta), moved, Relation.REPLACE)
        rate = sqrt(self.questions) / (float(self.epsilon) * self.people)
        least = self._share(least_approximate(self))
        return Reached(
            "(ε, δ)", "Gaussian", noise.error(CONFIDENCE, self.questions) / self.people, "√k/(εn)", rate, least
        )

    def weights(self) -> Reached:
        """Online multiplicative weights with the least alarm at which every question is provably answered."""
        price = Approx(self.epsilon, self.delta)
        mechanism = OnlineWeights.for_questions(price, (self.domain,), self.people, self.questions, CONFIDENCE)
        error = mechanism.error(CONFIDENCE, self.questions) / self.people
        rate = sqrt(sqrt(log(self.domain)) * log(max(self.questions, 2)) / (float(self.epsilon) * self.people))
        least = self._share(least_approximate(self))
        return Reached("(ε, δ)", "weights", error, "√(√ln|X|·ln k/εn)", rate, least)

    def _share(self, people: Fraction) -> float:
        return float(people / self.people)


def least_pure(asked: Rates) -> Fraction:
    """The least half-width in people, certified: the larger of packing and two worlds."""
    apart = min(asked.questions, asked.domain.bit_length() - 1)
    miss = 1 - CONFIDENCE

    def packed(m: int) -> Ball:
        return ball(2**apart * (1 - miss)) * (-ball(asked.epsilon * m)).exp() - 1

    def two(m: int) -> Ball:
        return 1 - ball(miss) - ball(asked.epsilon * m).exp() * ball(miss)

    with precision(START_BITS):
        largest = max(_last(lambda m: bool(packed(m) > 0), asked), _last(lambda m: bool(two(m) > 0), asked))
    return Fraction(largest, 2)


def least_approximate(asked: Rates) -> Fraction:
    """The least half-width in people under (ε, δ), certified: two worlds."""
    miss = 1 - CONFIDENCE

    def two(m: int) -> Ball:
        gained = ball(asked.epsilon * m).expm1()
        return 1 - ball(miss) - (gained + 1) * ball(miss) - ball(asked.delta) * gained / ball(asked.epsilon).expm1()

    with precision(START_BITS):
        return Fraction(_last(lambda m: bool(two(m) > 0), asked), 2)


def _last(holds: Callable[[int], bool], asked: Rates) -> int:
    """The largest number of people for which a claim holds that fails from some number on."""
    return min(asked.people, first_true(lambda m: not holds(m), 1) - 1)
