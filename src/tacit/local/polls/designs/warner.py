"""Warner's design, self-randomised: the truth with a known probability, else its opposite."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from tacit.errors import Refused
from tacit.exact import Number, proper
from tacit.frozen import frozen
from tacit.local.polls.asking import Group, Part, Wording
from tacit.local.polls.channel import Channel
from tacit.local.polls.designs.chance import draw_words, nobody_can_tell, odds_by_hand, tool
from tacit.local.polls.designs.design import OneSample
from tacit.local.polls.protection import Protection
from tacit.local.randomizers.odds import odds_within
from tacit.local.randomizers.table import Table


@frozen
class Warner(OneSample):
    """The truth with probability φ, else the opposite (Warner 1965).

    Claim, for the replacement of one respondent's answer: the report is |ln(φ/(1−φ))|-private, and no better: perfect
    at φ = 1/2, where it tells nothing, and worst at 0 and 1. With λ the rate of yes, π̂ = (λ̂ − (1−φ))/(2φ−1) and
    Var = π(1−π)/n + φ(1−φ)/(n(2φ−1)²).
    """

    title: ClassVar[str] = "Self-randomised response"
    truth: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "truth", proper(self.truth, "truth"))
        if self.truth == Fraction(1, 2):
            raise Refused("truth = 1/2", "The report would be a fair coin and tell nothing.", "truth ≠ 1/2.")

    @classmethod
    def within(cls, epsilon: Number) -> Warner:
        """The design with the largest odds that ε permits."""
        odds = odds_within(epsilon)
        return cls(odds / (odds + 1))

    @cached_property
    def table(self) -> Table:
        return Table.of([[self.truth, 1 - self.truth], [1 - self.truth, self.truth]])

    @property
    def channel(self) -> Channel:
        return Channel(self.truth, 1 - self.truth)

    @cached_property
    def protection(self) -> Protection:
        return Protection(self.table.loss)

    def describe(self) -> str:
        shown = self.truth if self.truth.denominator <= 1000 else f"{float(self.truth):.6g}"
        return f"{self.title}, truth with probability {shown}"

    def groups(self, wording: Wording) -> tuple[Group, ...]:
        outcomes = [("tick your true answer.", self.truth), ("tick the opposite of your true answer.", 1 - self.truth)]
        words = draw_words(outcomes)
        hides, on_paper = (
            f"{nobody_can_tell(wording, drawn)} {self.protection.plainly()}" for drawn in ("the coin", tool(words))
        )
        nearest = odds_by_hand(max(self.truth, 1 - self.truth) / min(self.truth, 1 - self.truth))
        parts = (Part(wording.text, wording.options),)
        return (Group(parts, self.table, words, hides, hides_on_paper=on_paper, by_hand=nearest),)
