"""The forced response: a die decides between the truth, a yes and a no."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

import numpy as np

from tacit.errors import Refused
from tacit.exact import probability, proper
from tacit.frozen import frozen
from tacit.loss.pairs.finite_pair import FinitePair
from tacit.loss.pairs.response import forced_response
from tacit.mechanisms.response.response import Response
from tacit.noise.ball import Ball, ball
from tacit.noise.bernoulli import Bernoulli
from tacit.noise.bits import Bits, Integers


@frozen
class Forced(Response):
    """Reports the truth with probability p, yes with p₁ and no with p₀, as a die says that only the respondent sees.

    Claim, for the replacement of one respondent's answer: the report is ε-private with ε = max{ln((p+p₁)/p₁),
    ln((p+p₀)/p₀)}, and no better. Proof: yes has probability p+p₁ if it is true and p₁ if not; no likewise. If p₁ or
    p₀ were 0, one report would come from the truth alone and ε would be infinite: refused. The die with 4 truths, a
    yes and a no costs ln 5.
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
