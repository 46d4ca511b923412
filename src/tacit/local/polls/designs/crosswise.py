"""The crosswise design: is your answer to the sensitive question the same as to an innocuous one, or not?"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from tacit.errors import Refused
from tacit.exact import proper
from tacit.frozen import frozen
from tacit.local.polls.asking import Group, Part, Wording
from tacit.local.polls.channel import Channel
from tacit.local.polls.designs.design import OneSample
from tacit.local.polls.protection import Protection
from tacit.loss.pairs.response_pairs import warner_response


@frozen
class Crosswise(OneSample):
    """Same or different (Yu, Tian and Tang 2008): Warner's design, with a person's own innocuous fact for the coin.

    Claim: against whoever does not know that fact, and if it is unrelated to the answer, ε = |ln(p/(1−p))| with p its
    prevalence; against whoever knows it, ε is infinite. A report of 1 is “the same”.
    """

    title: ClassVar[str] = "Crosswise"
    prevalence: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "prevalence", proper(self.prevalence, "prevalence"))
        if self.prevalence == Fraction(1, 2):
            raise Refused("prevalence = 1/2", "“The same” would tell nothing.", "prevalence ≠ 1/2, such as 1/4.")

    @property
    def channel(self) -> Channel:
        return Channel(self.prevalence, 1 - self.prevalence)

    @cached_property
    def protection(self) -> Protection:
        because = "whoever knows the innocuous answer reads the other off the report"
        return Protection(None, because, warner_response(self.prevalence))

    def describe(self) -> str:
        return f"{self.title}, innocuous yes with prevalence {self.prevalence}"

    def groups(self, wording: Wording) -> tuple[Group, ...]:
        words = (
            "Answer both questions in your head, and write down neither. Then say only whether your two answers are "
            f"the same or different.\na) {wording.text}\nb) {wording.beside()}"
        )
        hides = (
            "Whether you say “the same” or “different”, nobody can tell your answer to question a who does not know "
            "your answer to question b. Whoever knows one of them can work out the other."
        )
        return (Group((Part(words, ("Different", "The same")),), None, words, hides),)
