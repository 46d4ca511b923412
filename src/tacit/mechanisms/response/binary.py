"""Randomized responses to a yes or no: Warner's, the forced and the optimal (ε, δ) response.

Warner's gives the truth with a known probability, else its opposite. In the forced response a die decides between the
truth, a yes and a no. Every other (ε, δ)-private release of a yes or no is a post-processing of the optimal response.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from tacit.errors import Refused
from tacit.exact import Number, nonnegative, positive, probability, proper
from tacit.frozen import frozen
from tacit.loss.pairs.finite_pair import FinitePair
from tacit.loss.pairs.response_pairs import forced_response, optimal_response, warner_response
from tacit.mechanisms.response.randomized_response import Honesty, Response
from tacit.noise.ball import Ball, ball, fraction_down, precision
from tacit.noise.bits import Bits, Integers
from tacit.noise.uniform import Bernoulli


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


@frozen
class Forced(Response):
    """Reports the truth with probability p, yes with p₁ and no with p₀, by a die that only the respondent sees.

    Claim, for the replacement of one respondent's answer: the report is ε-private with ε = max{ln((p+p₁)/p₁),
    ln((p+p₀)/p₀)}, and no better. Proof: yes has probability p+p₁ if it is true and p₁ if not; no likewise. If p₁ or p₀
    were 0, one report would prove the answer and ε would be infinite: refused. The die with 4 truths, a yes and a no
    costs ln 5.
    """

    truth: Fraction
    yes: Fraction
    no: Fraction

    def __post_init__(self) -> None:
        for name in ("truth", "yes", "no"):
            object.__setattr__(self, name, probability(getattr(self, name), name))
        if not (self.yes > 0 and self.no > 0):
            raise Refused(
                f"forced yes with probability {self.yes}, forced no with {self.no}",
                "A report that is never forced gives the truth away: ε is infinite.",
                "yes > 0 and no > 0.",
            )
        proper(self.truth, "truth")
        forced_response(self.truth, self.yes, self.no)

    @property
    def options(self) -> int:
        return 2

    @cached_property
    def loss(self) -> FinitePair:
        return forced_response(self.truth, self.yes, self.no)

    def hit(self, option: int = 1) -> Ball:
        return ball(self.truth + (self.yes if option else self.no))

    def stray(self, option: int = 1) -> Ball:
        return ball(self.yes if option else self.no)

    def probability(self, answer: int, report: int) -> Ball:
        return self.hit(report) if answer == report else self.stray(report)

    def randomize(self, answers: Integers, bits: Bits) -> Integers:
        honest = Bernoulli(self.truth).draw(answers.size, bits)
        forced = Bernoulli(self.yes / (self.yes + self.no)).draw(answers.size, bits)
        return np.where(honest, answers, forced)


SURELY_NO, MAYBE_NO, MAYBE_YES, SURELY_YES = range(4)


@frozen
class OptimalResponse(Response):
    """Reveals the answer with probability δ; otherwise reports it with odds e^ε to its opposite, marked as uncertain.

    Claim, for the replacement of one respondent's answer: the report is (ε, δ)-private, and reveals the most that this
    permits: any other such release is a post-processing of it (Kairouz, Oh and Viswanath 2015). Proof: the marked
    reports have ratio e^ε, the others total δ. It shows what (ε, δ) may reveal: δ is here the share of respondents
    whose answer is sent unprotected.

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
