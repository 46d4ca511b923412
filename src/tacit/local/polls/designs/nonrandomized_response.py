"""Non-randomized response designs: crosswise, and “yes to at least one”.

Crosswise: the respondent says whether the answers to the sensitive and to an innocuous question are the same. “Yes to
at least one” is the triangular design, also with a prevalence that is estimated, not known.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Final

from tacit.errors import Refused
from tacit.exact import proper
from tacit.frozen import frozen
from tacit.local.polls.designs.design import OneSample, Protection
from tacit.local.polls.designs.two_samples import TwoSamples
from tacit.local.polls.designs.wording import Group, QuestionPart, Wording
from tacit.local.polls.estimation.two_rates import Blend
from tacit.local.polls.estimation.yes_no_channel import YesNoChannel
from tacit.loss.pairs.response_pairs import warner_response


@frozen
class Crosswise(OneSample):
    """Same or different (Yu, Tian and Tang 2008): Warner's design, with a person's own innocuous fact for the coin.

    Claim: against an adversary who does not know that fact, and if it is unrelated to the answer, ε = |ln(p/(1−p))|
    with p its prevalence; against one who knows it, ε is infinite. A report of 1 is “the same”.
    """

    title: ClassVar[str] = "Crosswise"
    prevalence: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "prevalence", proper(self.prevalence, "prevalence"))
        if self.prevalence == Fraction(1, 2):
            raise Refused("prevalence = 1/2", "“The same” would tell nothing.", "prevalence ≠ 1/2, such as 1/4.")

    @property
    def channel(self) -> YesNoChannel:
        return YesNoChannel(self.prevalence, 1 - self.prevalence)

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
        return (Group((QuestionPart(words, ("Different", "The same")),), None, words, hides),)


_PROTECTION: Final = Protection(
    None, "whoever says “no to both” has said no, and whoever is known to answer no to the innocuous question, yes"
)


@frozen
class Triangular(OneSample):
    """No to both, or yes to at least one (Yu, Tian and Tang 2008), with a known innocuous prevalence u.

    λ = u + (1−u)π. Claim: none. ε is infinite against anyone, since the report “no to both” reveals a no. A report of 1
    is “at least one”.
    """

    title: ClassVar[str] = "Triangular"
    prevalence: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "prevalence", proper(self.prevalence, "prevalence"))

    @property
    def channel(self) -> YesNoChannel:
        return YesNoChannel(Fraction(1), self.prevalence)

    @property
    def protection(self) -> Protection:
        return _PROTECTION

    def describe(self) -> str:
        return f"{self.title}, innocuous yes with prevalence {self.prevalence}"

    def groups(self, wording: Wording) -> tuple[Group, ...]:
        return (_both(wording),)


@frozen
class AtLeastOne(TwoSamples):
    """The same with u estimated from a second sample that is asked the innocuous question alone.

    π̂ = (λ̂ − û)/(1 − û), with variance λ(1−λ)/(n(1−u)²) + (1−π)²u/(m(1−u)) (the notes' 7.1.3 and exercise 7.2).
    """

    title: ClassVar[str] = "Yes to at least one"

    @property
    def blend(self) -> Blend:
        return Blend(1.0, 1.0, -1.0)

    @property
    def protection(self) -> Protection:
        return _PROTECTION

    def variance(self, share: float, other: float, people: float, others: float) -> float:
        rate = share + other - share * other
        return rate * (1 - rate) / (people * (1 - other) ** 2) + (1 - share) ** 2 * other / (others * (1 - other))

    def describe(self) -> str:
        return f"{self.title}, innocuous prevalence from a second sample"

    def groups(self, wording: Wording) -> tuple[Group, ...]:
        return _both(wording), self.second_sample(wording)


def _both(wording: Wording) -> Group:
    words = (
        "Answer both questions in your head, and write down neither. Then say only whether you answer yes to at least "
        f"one of them.\na) {wording.text}\nb) {wording.beside()}"
    )
    hides = (
        "If you say “yes to at least one”, nobody can tell which. But “no to both” shows both answers, and whoever "
        "knows that your answer to question b is no learns from a yes that your answer to question a is yes."
    )
    return Group((QuestionPart(words, ("No to both", "Yes to at least one")),), None, words, hides)
