"""“Yes to at least one”: the triangular design, and the same with a prevalence that is estimated, not known."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar, Final

from tacit.exact import proper
from tacit.frozen import frozen
from tacit.local.polls.asking import Group, Part, Wording
from tacit.local.polls.channel import Channel
from tacit.local.polls.designs.design import OneSample
from tacit.local.polls.designs.two_samples import TwoSamples
from tacit.local.polls.intervals.two_rates import Blend
from tacit.local.polls.protection import Protection

_PROTECTION: Final = Protection(
    None, "whoever says “no to both” has said no, and whoever is known to answer no to the innocuous question, yes"
)


@frozen
class Triangular(OneSample):
    """No to both, or yes to at least one (Yu, Tian and Tang 2008), with a known innocuous prevalence u.

    λ = u + (1−u)π. Claim: none. ε is infinite against anyone, since a no says no. A report of 1 is “at least one”.
    """

    title: ClassVar[str] = "Triangular"
    prevalence: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "prevalence", proper(self.prevalence, "prevalence"))

    @property
    def channel(self) -> Channel:
        return Channel(Fraction(1), self.prevalence)

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
    return Group((Part(words, ("No to both", "Yes to at least one")),), None, words, hides)
