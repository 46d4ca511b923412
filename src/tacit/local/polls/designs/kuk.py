"""Kuk's design: the answer decides which of two decks a card is drawn from, and only its colour is told."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from tacit.exact import probability
from tacit.frozen import frozen
from tacit.local.polls.asking import Group, Part, Wording
from tacit.local.polls.channel import Channel
from tacit.local.polls.designs.chance import mixed, whole_percent
from tacit.local.polls.designs.design import OneSample
from tacit.local.polls.protection import Protection
from tacit.local.randomizers.table import Table


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
        Channel(self.red_if_yes, self.red_if_no)

    @cached_property
    def table(self) -> Table:
        return Table.of([[1 - self.red_if_no, self.red_if_no], [1 - self.red_if_yes, self.red_if_yes]])

    @property
    def channel(self) -> Channel:
        return Channel(self.red_if_yes, self.red_if_no)

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
                (Part(wording.text, wording.options),),
                self.table,
                words if all(bags) else "",
                hides,
                reports=("Black", "Red"),
                by_hand=f"--red-if-yes {shares[0]} --red-if-no {shares[1]}",
            ),
        )
