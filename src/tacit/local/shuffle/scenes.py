"""Scenes of shuffled reports: one person's report among the others', as a bound or an attack models them.

Scenes of a randomizer bound its shuffled reports from above, or are data sets that attack them. Clones bound what
shuffling hides of any ε₀-private report, regardless of the randomizer. With two answers and two reports a data set is
the number of people who hold the one answer, so all data sets can be bounded.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Protocol

import numpy as np

from tacit.frozen import frozen
from tacit.local.randomizers.subset_selection import KaryResponse
from tacit.local.shuffle.crowd import Crowd
from tacit.local.shuffle.randomizer_table import RandomizerTable, ReportCell, channel_of
from tacit.local.shuffle.tilted_sums import (
    TiltedLaw,
    Voice,
    exponential_down,
    exponential_up,
    gain_below,
    law_at,
    tails,
)
from tacit.loss.accountant.lattice import Lattice
from tacit.loss.distributions.step import UNIT
from tacit.loss.families.curve import float_down, float_up


@frozen
class TwoGroups:
    """A report that is a yes with probability `one` or `other`, among independent ones of the `groups`.

    Each group is the probability of a yes and how many people have it. Only the number of yeses is released. Its law
    without the person, G, is that of a sum of independent coins, so G(h−1)/G(h) grows with h (Newton). So does the
    likelihood ratio of the two worlds, if one > other, and the best test is a threshold:
    δ(ε) = max over t of (one−e^ε·other)·G(≥ t−1) + ((1−one)−e^ε(1−other))·G(≥ t).
    """

    one: Fraction
    other: Fraction
    groups: tuple[tuple[Fraction, int], ...]

    def delta_above(self, epsilon: Fraction) -> float:
        """A number ≥ δ(ε) of this data set.

        A threshold that is surely too low need not be tried, and neither need those below it: where
        G(h−1)/G(h) ≤ (e^ε(1−other)−(1−one))/(one−e^ε·other), the best t exceeds h.
        """
        facing = self._facing_yes()
        yes, no = (float_up(gain) for gain in facing._gains(exponential_down(epsilon)))
        others = facing._others(yes, no)
        if not yes > 0 or others is None:
            return min(1.0, max(0.0, yes))
        low, up = tails(others)
        masses, error, unsure = others.masses, others.error, others.unsure
        step = math.exp(others.tilt) * (1 + 8 * UNIT * (1 + others.tilt))  # what a node's weight gains on the next one
        too_low = yes * (masses[:-1] + error) * step * (1 + unsure) ** 2 * (1 + 8 * UNIT) <= -no * (masses[1:] - error)
        if others.places[0] > 0 and not too_low.any():
            return min(1.0, yes)
        start = int(np.flatnonzero(too_low)[-1]) + 1 if too_low.any() else 0  # t−1 is at least this node
        gains = yes * up[start:-1] + no * low[start + 1 :]
        return min(1.0, max(0.0, float((gains + 4 * UNIT * yes * up[start:-1]).max())))

    def delta_below(self, epsilon: Fraction) -> float:
        """A number ≤ δ(ε) of this data set."""
        facing = self._facing_yes()
        yes, no = (float_down(gain) for gain in facing._gains(exponential_up(epsilon)))
        others = facing._others(yes, no)
        if not yes > 0 or others is None:
            return max(0.0, yes)
        return gain_below(others, [Voice(1, yes), Voice(0, no)])

    def _facing_yes(self) -> TwoGroups:
        """The same with yes and no exchanged, if a no is likelier in the first world."""
        if self.one >= self.other:
            return self
        return TwoGroups(1 - self.one, 1 - self.other, tuple((1 - chance, size) for chance, size in self.groups))

    def _gains(self, factor: Fraction) -> Sequence[Fraction]:
        """P−e^ε·Q of a yes, which may be positive, and of a no, which is not."""
        return self.one - factor * self.other, (1 - self.one) - factor * (1 - self.other)

    def _others(self, yes: float, no: float) -> TiltedLaw | None:
        """The law of the others' yeses, seen where the threshold will be: there ln G falls by the tilt at each step."""
        parts = [
            (Lattice(np.arange(2), np.array([float(1 - chance), float(chance)]), 0.0, 0.0), size)
            for chance, size in self.groups
            if size
        ]
        if not (yes > 0 and parts):
            return None
        deviation = math.sqrt(sum(size * float(chance * (1 - chance)) for chance, size in self.groups))
        return law_at(1.0, parts, max(math.log(max(-no / yes, 1.0)), min(1.0, 1 / deviation)))


_BLOCKS = 48


def all_mixtures(channel: RandomizerTable, people: int) -> tuple[TwoGroups, ...]:
    """Scenes whose worst δ is ≥ that of every data set, and equal to it for up to 48 others.

    More people can only hide more: their reports could be added afterwards. So a block of data sets, in which from m to
    m′ of n−1 others hold answer 1, is bounded by the scene of m others who hold 1 and n−1−m′ who hold 0. The 48 blocks
    leave out one person in 48, which moves ε by about one part in a hundred.
    """
    others = people - 1
    return tuple(_scenes(channel, [(others - last, first) for first, last in _blocks(others)]))


def some_mixtures(channel: RandomizerTable, people: int) -> tuple[TwoGroups, ...]:
    """Data sets to attack: all of them for up to 48 others, else those where all agree and one where half do."""
    others = people - 1
    held = range(people) if others <= _BLOCKS else (0, others // 2, others)
    return tuple(_scenes(channel, [(others - ones, ones) for ones in held]))


def _scenes(channel: RandomizerTable, sizes: list[tuple[int, int]]) -> Iterator[TwoGroups]:
    """Every data set in every direction."""
    yes = [row[1] for row in channel.rows]
    for zeros, ones in sizes:
        for one, other in channel.pairs:
            yield TwoGroups(yes[one], yes[other], ((yes[0], zeros), (yes[1], ones)))


def _blocks(others: int) -> Iterator[tuple[int, int]]:
    """From 0 to `others`, in at most 49 blocks, in the order of most agreement: there the worst is to be expected."""
    ends = sorted({others * part // _BLOCKS for part in range(_BLOCKS + 1)})
    blocks = [(0, ends[0]), *((before + 1, end) for before, end in pairwise(ends))]
    return iter(sorted(blocks, key=lambda block: min(block[0], others - block[1])))


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
    """The variance of the likelihood ratio, which alone decides for many people."""
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
