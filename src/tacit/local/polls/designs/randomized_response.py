"""Randomized response designs: Warner's, forced response, and Kuk's.

Warner: the truth with a known probability, else its opposite. Forced response: a die decides between the truth, a yes
and a no. Kuk: the answer decides which of two decks a card is drawn from, and only its colour is reported.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from tacit.errors import Refused
from tacit.exact import Number, probability, proper
from tacit.frozen import frozen
from tacit.local.polls.designs.design import OneSample, Protection
from tacit.local.polls.designs.wording import (
    Group,
    QuestionPart,
    Wording,
    draw_words,
    mixed,
    nobody_can_tell,
    odds_by_hand,
    tool,
    whole_percent,
)
from tacit.local.polls.estimation.yes_no_channel import YesNoChannel
from tacit.local.randomizers.randomizer import WeightTable, odds_within


@frozen
class WarnerDesign(OneSample):
    """The truth with probability φ, else the opposite (Warner 1965).

    Claim, for the replacement of one respondent's answer: the report is |ln(φ/(1−φ))|-private, and no better: perfect
    at φ = 1/2, where it is uninformative, and worst at 0 and 1. With λ the rate of yes, π̂ = (λ̂ − (1−φ))/(2φ−1) and
    Var = π(1−π)/n + φ(1−φ)/(n(2φ−1)²).
    """

    title: ClassVar[str] = "Self-randomised response"
    truth: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "truth", proper(self.truth, "truth"))
        if self.truth == Fraction(1, 2):
            raise Refused("truth = 1/2", "The report would be a fair coin and tell nothing.", "truth ≠ 1/2.")

    @classmethod
    def within(cls, epsilon: Number) -> WarnerDesign:
        """The design with the largest odds that ε permits."""
        odds = odds_within(epsilon)
        return cls(odds / (odds + 1))

    @cached_property
    def table(self) -> WeightTable:
        return WeightTable.of([[self.truth, 1 - self.truth], [1 - self.truth, self.truth]])

    @property
    def channel(self) -> YesNoChannel:
        return YesNoChannel(self.truth, 1 - self.truth)

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
        parts = (QuestionPart(wording.text, wording.options),)
        return (Group(parts, self.table, words, hides, hides_on_paper=on_paper, by_hand=nearest),)


@frozen
class ForcedDesign(OneSample):
    """The truth with probability p, yes with p₁, no with p₀.

    Claim, for the replacement of one respondent's answer: ε = max{ln((p+p₁)/p₁), ln((p+p₀)/p₀)}, and no better; the die
    with 4 truths, a yes and a no is ln 5. With p₁ = 0 only a true yes is reported as yes, and ε is infinite; likewise
    with p₀ = 0.
    """

    title: ClassVar[str] = "Forced response"
    truth: Fraction
    yes: Fraction
    no: Fraction

    def __post_init__(self) -> None:
        for name in ("truth", "yes", "no"):
            object.__setattr__(self, name, probability(getattr(self, name), name))
        proper(self.truth, "truth")
        if self.truth + self.yes + self.no != 1:
            raise Refused(
                f"truth = {self.truth}, yes = {self.yes}, no = {self.no}",
                "They do not add up to 1.",
                "three probabilities that add up to 1, such as 4/6, 1/6, 1/6.",
            )

    @classmethod
    def within(cls, epsilon: Number) -> ForcedDesign:
        """The even design with the largest odds that ε permits: forced yes and no equally often."""
        odds = odds_within(epsilon)
        forced = 1 / (odds + 1)
        return cls(1 - 2 * forced, forced, forced)

    @cached_property
    def table(self) -> WeightTable:
        return WeightTable.of([[self.truth + self.no, self.yes], [self.no, self.truth + self.yes]])

    @property
    def channel(self) -> YesNoChannel:
        return YesNoChannel(self.truth + self.yes, self.yes)

    @cached_property
    def protection(self) -> Protection:
        if self.yes and self.no:
            return Protection(self.table.loss)
        said = "yes" if not self.yes else "no"
        return Protection(None, f"nobody is forced to say {said}, so whoever says {said} means it")

    def describe(self) -> str:
        shown = [part if part.denominator <= 1000 else f"{float(part):.6g}" for part in (self.truth, self.yes, self.no)]
        return f"{self.title}, truth with probability {shown[0]}, yes with {shown[1]}, no with {shown[2]}"

    def groups(self, wording: Wording) -> tuple[Group, ...]:
        no, yes = wording.options
        forced = [(f"tick “{yes}”, whatever is true.", self.yes), (f"tick “{no}”, whatever is true.", self.no)]
        words = draw_words([("tick your true answer.", self.truth), *forced])
        if self.yes and self.no:
            nearest = odds_by_hand(1 + self.truth / min(self.yes, self.no))
        else:
            nearest = "--truth 4/6 --yes 1/6 --no 1/6"
        parts = (QuestionPart(wording.text, wording.options),)
        hides, on_paper = (self._hides(wording, drawn) for drawn in ("the coin", tool(words)))
        return (Group(parts, self.table, words, hides, hides_on_paper=on_paper, by_hand=nearest),)

    def _hides(self, wording: Wording, drawn: str) -> str:
        if self.yes and self.no:
            return f"{nobody_can_tell(wording, drawn)} {self.protection.plainly()}"
        no, yes = wording.options
        said, other = (yes, no) if not self.yes else (no, yes)
        return (
            f"If a “{other}” comes in from you, nobody can tell whether you or {drawn} said so; but a “{said}” is true."
        )


@frozen
class Kuk(OneSample):
    """Red with probability `red_if_yes` from the first deck, with `red_if_no` from the second (Kuk 1990).

    Claim, for the replacement of one respondent's answer: ε is the larger |ln| of the ratios of red and of black, and
    infinite where a deck lacks a colour that the other has. A report of 1 is red.
    """

    title: ClassVar[str] = "Kuk's two decks"
    red_if_yes: Fraction
    red_if_no: Fraction

    def __post_init__(self) -> None:
        for name in ("red_if_yes", "red_if_no"):
            object.__setattr__(self, name, probability(getattr(self, name), name))
        YesNoChannel(self.red_if_yes, self.red_if_no)

    @cached_property
    def table(self) -> WeightTable:
        return WeightTable.of([[1 - self.red_if_no, self.red_if_no], [1 - self.red_if_yes, self.red_if_yes]])

    @property
    def channel(self) -> YesNoChannel:
        return YesNoChannel(self.red_if_yes, self.red_if_no)

    @cached_property
    def protection(self) -> Protection:
        if all(0 < share < 1 for share in (self.red_if_yes, self.red_if_no)):
            return Protection(self.table.loss)
        return Protection(None, "one deck has a single colour, so the other colour tells which deck it came from")

    def describe(self) -> str:
        return f"{self.title}, red with probability {self.red_if_yes} for yes and {self.red_if_no} for no"

    def groups(self, wording: Wording) -> tuple[Group, ...]:
        no, yes = wording.options
        bags = [mixed(share) for share in (self.red_if_yes, self.red_if_no)]
        words = (
            f"You need two bags of slips of paper, folded alike. Bag 1: {bags[0]}. Bag 2: {bags[1]}.\n"
            "Draw one slip from each bag, where nobody else can see them. Put them back afterwards, and mix.\n"
            f"– If your true answer is “{yes}”: tick the colour from bag 1.\n"
            f"– If your true answer is “{no}”: tick the colour from bag 2."
        )
        either = f"Either colour can come up with either answer. {self.protection.plainly()}"
        gives_away = "But one of the two colours comes up with one answer alone, and shows your answer."
        hides = f"Only a colour comes in from you. {gives_away if self.protection.loss is None else either}"
        shares = [whole_percent(share) for share in (self.red_if_yes, self.red_if_no)]
        shares = shares if shares[0] != shares[1] else ["80%", "20%"]
        return (
            Group(
                (QuestionPart(wording.text, wording.options),),
                self.table,
                words if all(bags) else "",
                hides,
                reports=("Black", "Red"),
                by_hand=f"--red-if-yes {shares[0]} --red-if-no {shares[1]}",
            ),
        )
