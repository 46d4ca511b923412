"""Forced response: a die decides between the truth, a yes and a no."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from tacit.errors import Refused
from tacit.exact import Number, probability, proper
from tacit.frozen import frozen
from tacit.local.polls.asking import Group, Part, Wording
from tacit.local.polls.channel import Channel
from tacit.local.polls.designs.chance import draw_words, nobody_can_tell, odds_by_hand, tool
from tacit.local.polls.designs.design import OneSample
from tacit.local.polls.protection import Protection
from tacit.local.randomizers.odds import odds_within
from tacit.local.randomizers.table import Table


@frozen
class Forced(OneSample):
    """The truth with probability p, yes with p₁, no with p₀.

    Claim, for the replacement of one respondent's answer: ε = max{ln((p+p₁)/p₁), ln((p+p₀)/p₀)}, and no better; the
    die with 4 truths, a yes and a no is ln 5. With p₁ = 0 only a true yes says yes, and ε is infinite; so with p₀ = 0.
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
    def within(cls, epsilon: Number) -> Forced:
        """The even design with the largest odds that ε permits: forced yes and no equally often."""
        odds = odds_within(epsilon)
        forced = 1 / (odds + 1)
        return cls(1 - 2 * forced, forced, forced)

    @cached_property
    def table(self) -> Table:
        return Table.of([[self.truth + self.no, self.yes], [self.no, self.truth + self.yes]])

    @property
    def channel(self) -> Channel:
        return Channel(self.truth + self.yes, self.yes)

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
        parts = (Part(wording.text, wording.options),)
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
