"""K-ary randomized response: the true one of K options with odds e^ε against each other one."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

import numpy as np

from tacit.errors import Refused
from tacit.exact import positive, whole
from tacit.frozen import frozen
from tacit.loss.pairs.finite_pair import FinitePair
from tacit.loss.pairs.response_pairs import kary_response
from tacit.mechanisms.response.randomized_response import Response
from tacit.noise.ball import Ball, ball
from tacit.noise.bernoulli import Coin
from tacit.noise.bits import Bits, Integers
from tacit.noise.uniform import UniformBelow

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
