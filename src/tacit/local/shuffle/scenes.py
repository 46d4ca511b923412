"""Scenes of shuffled reports: one person's report among the others', as far as a bound or an attack knows them.

Scenes of a randomizer bound its shuffled reports from above, or are data sets that attack them. Clones bound what
shuffling hides of any ε₀-private report, whoever made the randomizer.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol

from tacit.local.randomizers.subset_selection import KaryResponse
from tacit.local.shuffle.crowd import Crowd
from tacit.local.shuffle.randomizer_table import RandomizerTable, ReportCell, channel_of
from tacit.local.shuffle.tilted_sums import exponential_up
from tacit.local.shuffle.two_groups import all_mixtures, some_mixtures


class Scene(Protocol):
    """Two worlds that differ in one person's answer; an ordered pair, so the converse is another scene."""

    def delta_above(self, epsilon: Fraction) -> float:
        """A number ≥ the δ at ε of this scene."""

    def delta_below(self, epsilon: Fraction) -> float:
        """A number ≤ the δ at ε that some data set of this scene has."""


_ATTACKS = 6
_MOST_COUNTED = 2 * 10**6  # people, beyond which floats no longer tell neighbouring tails apart


def bounds(channel: RandomizerTable, people: int) -> tuple[Scene, ...]:
    """Scenes whose worst δ is ≥ that of n shuffled reports, for every pair of neighbours.

    Claim (replace, n public, one report a person): two answers and two reports by `all_mixtures`, up to two million
    people; else by the blanket: whatever the answer z, a report is y with probability at least min_z P(y | z), so this
    is a crowd for every pair.
    """
    if channel.is_binary and people <= _MOST_COUNTED:
        return all_mixtures(channel, people)
    return tuple(Crowd(cells, people) for cells in channel.cells(channel.least))


def attacks(channel: RandomizerTable, people: int) -> tuple[Scene, ...]:
    """Concrete data sets: all others hold one of the two answers in question, or all hold a third; the most telling."""
    if channel.is_binary:
        return some_mixtures(channel, people)
    found = {cells for row in channel.rows for cells in channel.cells(row)}
    return tuple(Crowd(cells, people) for cells in sorted(found, key=_spread, reverse=True)[:_ATTACKS])


def _spread(cells: tuple[ReportCell, ...]) -> tuple[float, tuple[ReportCell, ...]]:
    """The variance of the likelihood ratio: with many people it alone decides."""
    return float(sum((cell.one - cell.other) ** 2 / cell.crowd for cell in cells)), cells


def clones(epsilon: Fraction, people: int) -> tuple[Crowd]:
    """The dominating pair of n shuffled reports, each from an ε₀-private randomizer, one report a person.

    Claim (replace, n public; Feldman, McMillan and Talwar 2020, arXiv 2012.12803). Of n−1 others, C ~ Bin(n−1, e^−ε₀)
    are clones, A ~ Bin(C, 1/2) of them of the first kind; the person is of the first kind with odds e^ε₀ : 1 in the one
    world and 1 : e^ε₀ in the other. Seeing how many are of each kind is at least as telling as the shuffled reports.
    Proof. As one report is ε₀-private, its laws in the two worlds are P = αU+(1−α)V and Q = (1−α)U+αV for some laws
    U, V and α = e^ε₀/(1+e^ε₀) (Kairouz, Oh and Viswanath 2015). Any other person's law R has R ≥ e^−ε₀·P and
    R ≥ e^−ε₀·Q, so R ≥ e^−ε₀(P+Q)/2 = e^−ε₀(U+V)/2: with probability e^−ε₀ the report is a clone, from U or V by a
    fair coin. Shuffled reports are made from the kinds by drawing from U and V and, for who is no clone, from what R
    leaves. This is a `Crowd` with ω the fair coin and γ = e^−ε₀. e^ε₀ is rounded up, which only widens the claim.
    The later "stronger clones" count more of them; an erratum restricts that theorem to some randomizers, so it is not
    used here.
    """
    odds = exponential_up(epsilon)
    true, false, clone = odds / (1 + odds), 1 / (1 + odds), 1 / (2 * odds)
    return (Crowd((ReportCell(true, false, clone), ReportCell(false, true, clone)), people),)


def known_attacks(epsilon: Fraction, people: int) -> tuple[Scene, ...]:
    """Attacks on ε₀-private reports: those on K-ary response of 2 and of 3 options, the worst randomizers known."""
    channels = [channel_of(KaryResponse.within(epsilon, options)) for options in (2, 3)]
    return tuple(attack for channel in channels if channel for attack in attacks(channel, people))
