"""The optimal (ε, δ) response: every other (ε, δ)-private release of a yes or no is a blur of it."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from tacit.errors import Refused
from tacit.exact import nonnegative, probability
from tacit.frozen import frozen
from tacit.loss.pairs.finite_pair import FinitePair
from tacit.loss.pairs.response import optimal_response
from tacit.mechanisms.response.kary import Honesty
from tacit.mechanisms.response.response import Response
from tacit.noise.ball import Ball, ball
from tacit.noise.bernoulli import Bernoulli
from tacit.noise.bits import Bits, Integers

SURELY_NO, MAYBE_NO, MAYBE_YES, SURELY_YES = range(4)


@frozen
class OptimalResponse(Response):
    """Gives the answer away with probability δ; else reports it with odds e^ε to its opposite, and marked as uncertain.

    Claim, for the replacement of one respondent's answer: the report is (ε, δ)-private, and exactly as far from
    private as that permits: any other such release is a blur of it (Kairouz, Oh and Viswanath 2015). Proof: the
    marked reports have ratio e^ε, the others total δ. It is the yardstick of what (ε, δ) may reveal: δ is here the
    share of respondents whose answer leaves bare.

    Reports: 0 surely no, 1 maybe no, 2 maybe yes, 3 surely yes. Estimates count both kinds of yes alike: the count is
    then binomial and its interval exact, for a variance that grows by at most δ(1−δ)/η⁴·(1−tanh(ε/2))²/4n, η = hit −
    stray.
    """

    epsilon: Fraction
    delta: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", nonnegative(self.epsilon, "epsilon"))
        object.__setattr__(self, "delta", probability(self.delta, "delta"))
        if not (self.delta < 1 and self.epsilon + self.delta > 0):
            raise Refused(
                f"ε = {self.epsilon}, δ = {self.delta}",
                "It would reveal everything, or nothing at all.",
                "δ < 1, and ε > 0 or δ > 0.",
            )

    @property
    def options(self) -> int:
        return 2

    @cached_property
    def loss(self) -> FinitePair:
        return optimal_response(self.epsilon, self.delta)

    def hit(self, option: int = 1) -> Ball:
        return ball(self.delta) + ball(1 - self.delta) * Honesty(self.epsilon).bias()

    def stray(self, option: int = 1) -> Ball:
        return 1 - self.hit()

    def probability(self, answer: int, report: int) -> Ball:
        if report in (SURELY_NO, SURELY_YES):
            return ball(self.delta if report == 3 * answer else 0)
        honest = Honesty(self.epsilon).bias()
        return ball(1 - self.delta) * (honest if report == MAYBE_NO + answer else 1 - honest)

    def tally(self, reports: ArrayLike, option: int = 1) -> int:
        return super().tally(np.asarray(reports) >= MAYBE_YES, option)

    def randomize(self, answers: Integers, bits: Bits) -> Integers:
        bare = Bernoulli(self.delta).draw(answers.size, bits)
        honest = Honesty(self.epsilon).draw(answers.size, bits)
        return np.where(bare, 3 * answers, MAYBE_NO + (answers ^ 1 ^ honest))
