"""The unrelated question: a coin that only the respondent sees decides which of two questions is answered."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from tacit.exact import proper
from tacit.frozen import frozen
from tacit.local.polls.designs.design import OneSample
from tacit.local.polls.designs.protection import Protection
from tacit.local.polls.designs.two_samples import TwoSamples
from tacit.local.polls.designs.wording import YES_NO, Group, QuestionPart, Wording, draw_words, whole_percent
from tacit.local.polls.estimation.two_rates import Blend
from tacit.local.polls.estimation.yes_no_channel import YesNoChannel
from tacit.local.randomizers.weight_table import WeightTable
from tacit.loss.pairs.response_pairs import forced_response

_BECAUSE = "whoever knows that the innocuous answer is no learns from a yes that the sensitive one is yes"


@frozen
class Unrelated(OneSample):
    """The sensitive question with probability p, else an innocuous one with known prevalence u (Greenberg 1969).

    λ = pπ + (1−p)u. Claim: against an adversary who does not know the innocuous answer, and if it is unrelated, the
    report is that of a forced response with yes (1−p)u and no (1−p)(1−u); against one who knows it, ε is infinite.
    """

    title: ClassVar[str] = "Unrelated question"
    sensitive: Fraction
    prevalence: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "sensitive", proper(self.sensitive, "sensitive"))
        object.__setattr__(self, "prevalence", proper(self.prevalence, "prevalence"))

    @property
    def channel(self) -> YesNoChannel:
        stray = (1 - self.sensitive) * self.prevalence
        return YesNoChannel(self.sensitive + stray, stray)

    @cached_property
    def protection(self) -> Protection:
        yes = (1 - self.sensitive) * self.prevalence
        unknowing = forced_response(self.sensitive, yes, 1 - self.sensitive - yes)
        return Protection(None, _BECAUSE, unknowing)

    def describe(self) -> str:
        known = f"innocuous yes with prevalence {self.prevalence}"
        return f"{self.title}, the sensitive one with probability {self.sensitive}, {known}"

    def groups(self, wording: Wording) -> tuple[Group, ...]:
        return (_either(self.sensitive, wording),)


@frozen
class UnrelatedEstimated(TwoSamples):
    """The same with u estimated from a second sample that is asked the innocuous question alone.

    π̂ = (λ̂ − (1−p)û)/p, with variance λ(1−λ)/(np²) + ((1−p)/p)²·u(1−u)/m.
    """

    title: ClassVar[str] = "Unrelated question, prevalence estimated"
    sensitive: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "sensitive", proper(self.sensitive, "sensitive"))

    @property
    def blend(self) -> Blend:
        return Blend(float(self.sensitive), float(1 - self.sensitive), 0.0)

    @property
    def protection(self) -> Protection:
        return Protection(None, _BECAUSE)

    def variance(self, share: float, other: float, people: float, others: float) -> float:
        p = float(self.sensitive)
        rate = p * share + (1 - p) * other
        return rate * (1 - rate) / (people * p * p) + ((1 - p) / p) ** 2 * other * (1 - other) / others

    def describe(self) -> str:
        return f"{self.title}, the sensitive one with probability {self.sensitive}"

    def groups(self, wording: Wording) -> tuple[Group, ...]:
        return _either(self.sensitive, wording), self.second_sample(wording)


def _either(sensitive: Fraction, wording: Wording) -> Group:
    """Both are answered on the device, which sends one: rows are (sensitive, innocuous) = 00, 01, 10, 11."""
    p = sensitive
    table = WeightTable.of([[1, 0], [p, 1 - p], [1 - p, p], [0, 1]])
    outcomes = [("tick your true answer to question a.", p), ("tick your true answer to question b.", 1 - p)]
    drawn = draw_words(outcomes)
    words = f"a) {wording.text}\nb) {wording.beside()}\n{drawn}" if drawn else ""
    hides = (
        f"If a “{wording.options[1]}” comes in from you, nobody can tell which of the two questions it answers. But "
        "whoever knows that your answer to the second is no learns from a yes that your answer to the first is yes."
    )
    parts = (QuestionPart(wording.text, wording.options), QuestionPart(wording.beside(), YES_NO))
    return Group(parts, table, words, hides, by_hand=f"--sensitive {whole_percent(p)}")
