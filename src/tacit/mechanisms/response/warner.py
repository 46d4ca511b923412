"""Warner's randomized response: the truth with a known probability, else its opposite."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

from tacit.errors import Refused
from tacit.exact import Number, positive, proper
from tacit.frozen import frozen
from tacit.loss.pairs.finite_pair import FinitePair
from tacit.loss.pairs.response import warner_response
from tacit.mechanisms.response.response import Response
from tacit.noise.ball import Ball, ball, fraction_down, precision
from tacit.noise.bernoulli import Bernoulli
from tacit.noise.bits import Bits, Integers


@frozen
class Warner(Response):
    """Reports yes or no: the truth with probability p, else the opposite (Warner 1965).

    Claim, for the replacement of one respondent's answer: the report is |ln(p/(1−p))|-private, and no better. Proof:
    a report has probability p under one answer and 1−p under the other. With λ the share of yes among the reports,
    the true share is estimated by (λ − (1−p))/(2p−1), with variance π(1−π)/n + p(1−p)/(n(2p−1)²).
    """

    truth: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "truth", proper(self.truth, "truth"))
        if self.truth == Fraction(1, 2):
            raise Refused("truth = 1/2", "The report would be a fair coin and tell nothing.", "truth ≠ 1/2.")

    @classmethod
    def for_epsilon(cls, epsilon: Number) -> Warner:
        """The truth with probability e^ε/(1+e^ε), rounded down in the 64th bit (`Kary` does not round)."""
        budget = positive(epsilon, "epsilon")
        with precision(256):
            truth = fraction_down(1 / (1 + (-ball(budget)).exp()))
        return cls(truth)

    @property
    def options(self) -> int:
        return 2

    @cached_property
    def loss(self) -> FinitePair:
        return warner_response(self.truth)

    def hit(self, option: int = 1) -> Ball:
        return ball(self.truth)

    def stray(self, option: int = 1) -> Ball:
        return ball(1 - self.truth)

    def probability(self, answer: int, report: int) -> Ball:
        return self.hit() if answer == report else self.stray()

    def randomize(self, answers: Integers, bits: Bits) -> Integers:
        honest = Bernoulli(self.truth).draw(answers.size, bits)
        return answers ^ 1 ^ honest
